import Foundation

/// What a soak is asked for.
struct Options: Sendable {
  var minutes = 10.0
  /// After so many runs it is over, too.
  var runs = Int.max
  var seed = Int(Date().timeIntervalSince1970)
  var workers = max(2, ProcessInfo.processInfo.activeProcessorCount)
  var tests = ".build/debug/dflatPackageTests.xctest"
  var folder = URL(fileURLWithPath: ".build-soak")
  /// The page that gets the table. Nothing leaves it alone.
  var page: URL?
  /// Which forms: those whose title has these words. Those that need PostgreSQL are left out where it is not installed.
  var words: String?

  static let help = """
    Runs long tests of the store side by side, again and again with other seeds, until the time is over.

      --minutes N     how long (10); a run that has begun then is waited for, and from 20 on each form has a run
      --runs N        over after so many runs, too
      --seed N        the first seed: printed, so that a soak can be repeated
      --workers N     how many runs at once (the number of processors)
      --only WORDS    only the forms whose title has these words
      --tests PATH    the program with the tests (.build/debug/dflatPackageTests.xctest)
      --postgres PATH the folder of the programs of PostgreSQL (those of the newest version that is installed)
      --folder PATH   where the logs of failed runs stay (.build-soak)
      --page PATH     a page of documentation that gets the table of what was tried

    Exit codes: 0 nothing failed, 1 a run failed, 2 wrong usage, 3 the tests cannot be run.
    """

  var forms: [Form] {
    wantedForms.filter { !$0.needsPostgres || Form.postgres != nil }
  }

  /// How many forms are left out.
  var skippedForms: Int { wantedForms.count - forms.count }

  private var wantedForms: [Form] {
    guard let words else { return Form.all }
    return Form.all.filter { $0.title.localizedCaseInsensitiveContains(words) }
  }

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { throw SoakError("\(name) needs a value, or is no option: see --help") }
      func number() throws -> Int {
        guard let number = Int(value), number > 0 else {
          throw SoakError("\(name) takes a number above 0, not \(value)")
        }
        return number
      }
      switch name {
      case "--minutes": minutes = Double(try number())
      case "--runs": runs = try number()
      case "--seed": seed = try number()
      case "--workers": workers = try number()
      case "--only": words = value
      case "--tests": tests = value
      case "--postgres":
        guard FileManager.default.isExecutableFile(atPath: value + "/initdb") else {
          throw SoakError("\(value) has no program initdb")
        }
        // The tests find it there, too.
        setenv("POSTGRES_PROGRAMS", value, 1)
      case "--folder": folder = URL(fileURLWithPath: value)
      case "--page": page = URL(fileURLWithPath: value)
      default: throw SoakError("there is no option \(name): see --help")
      }
    }
    guard !forms.isEmpty else { throw SoakError("no form that can be run here has '\(words ?? "")' in its title") }
  }
}
