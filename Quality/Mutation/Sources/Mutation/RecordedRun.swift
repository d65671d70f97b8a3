import Foundation

/// A run of which a page gets the date, the commit, the machine and the table.
struct RecordedRun {
  private let page: URL
  private let start = Date()
  private let commit: String
  private let machine: String

  private static let beginning = "<!-- mutation -->\n"
  private static let end = "<!-- end of mutation -->"

  /// Notes the commit that is going to be broken: others may follow while the tests run.
  ///
  /// - Throws: `MutationError` if the page has no place for a record, which is better known before hours of tests.
  init(page: String, package: URL) throws {
    self.page = URL(fileURLWithPath: page)
    commit = try Self.output(["git", "describe", "--always", "--dirty"], in: package)
    let system = try Self.output(["uname", "-sm"], in: package)
    machine = "\(system) with \(ProcessInfo.processInfo.activeProcessorCount) processors"
    _ = try place(in: String(contentsOf: self.page, encoding: .utf8))
  }

  /// Returns what a program prints, without its end of line.
  private static func output(_ arguments: [String], in folder: URL) throws -> String {
    let ending = try run(arguments, in: folder)
    guard ending.isSuccess else { throw MutationError("\(arguments.joined(separator: " ")) fails: \(ending.output)") }
    return ending.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Returns where a record stands in the text of the page.
  private func place(in text: String) throws -> Range<String.Index> {
    guard let beginning = text.range(of: Self.beginning), let end = text.range(of: Self.end),
      beginning.upperBound <= end.lowerBound
    else { throw MutationError("\(page.path) has no lines <!-- mutation --> and \(Self.end)") }
    return beginning.upperBound..<end.lowerBound
  }

  /// Writes the report of the run to the page, in place of that of an earlier one.
  ///
  /// - Parameter patience: for how many seconds of tests each mutant had to survive.
  func write(_ report: Report, of paths: [String], patience: Double) throws {
    let places = paths.map { "`\($0)`" }.joined(separator: ", ")
    let record = """

      \(day), mutants of \(places), each against up to \(Int(patience)) seconds of tests, \
      commit \(commit), \(machine).

      \(report.summary)

      \(report.table)


      """
    var text = try String(contentsOf: page, encoding: .utf8)
    let old = try place(in: text)
    text.replaceSubrange(old, with: record)
    try Data(text.utf8).write(to: page, options: .atomic)
  }

  /// The day on which the run began, in UTC.
  private var day: String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "yyyy-MM-dd"
    return formatter.string(from: start)
  }
}
