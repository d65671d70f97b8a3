import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation
import SchemaEvolution

/// Reads the two versions that a command compares, as its arguments name them.
struct VersionReader {
  /// Both versions, and a function that returns the name to show for a file of the old version.
  typealias Versions = (old: VersionFiles, new: VersionFiles, oldPath: (String) -> String)

  /// OLD and NEW; with `against`, the files and folders of NEW alone.
  var paths: [String]
  /// The value of `--against`.
  var against: String?
  /// The files that had another path in the old version, each as OLD=NEW.
  var renames: [String] = []
  /// The folders in which both versions look for includes. `oldIncludePaths` and `newIncludePaths` are for one version
  /// only.
  var includePaths: [String] = []
  var oldIncludePaths: [String] = []
  var newIncludePaths: [String] = []
  /// The files and folders that `--exclude` leaves out of folders.
  var excluded: [String] = []
  /// Whether included files are compared like the named ones.
  var takesIncludes = false
  /// Whether NEW is git's index.
  var isStaged = false
  var format = ReportFormat.text
  var all = false

  /// The files and folders of both versions that are compared.
  var comparedPaths: [String] { (against.map { OldVersion($0) == nil ? [$0] : [] } ?? []) + paths }

  /// Checks that the paths and the version to compare with go together.
  /// - Throws: `UsageFailure` if they do not.
  func validate() throws(UsageFailure) {
    if let against, OldVersion(against) == nil, FileManager.default.fileExists(atPath: against) {
      guard paths.count == 1 else {
        throw UsageFailure(
          "Name one file or folder to check against \(against)"
            + (paths.count == 2
              ? ", or write --against \(paths[0]) \(paths[1]) to compare the one with the other." : "."))
      }
      guard renames.isEmpty, !isStaged else { throw UsageFailure("--rename and --staged go with --against git:REF.") }
    } else if let against {
      guard !paths.isEmpty else { throw UsageFailure("Name at least one schema, or a folder, to check.") }
      guard OldVersion(against) != nil else {
        throw UsageFailure(
          "--against takes git:REF or git:REF:DIR, such as git:main, merge-base or merge-base:REF, or an older file or "
            + "folder, and not '\(against)'.")
      }
      for pair in renames where pair.split(separator: "=", omittingEmptySubsequences: false).count != 2 {
        throw UsageFailure("--rename takes OLD=NEW, and not '\(pair)'.")
      }
    } else {
      guard paths.count == 2 else {
        throw UsageFailure(Self.howToNameVersions(paths))
      }
      guard renames.isEmpty else { throw UsageFailure("--rename goes with --against.") }
      guard !isStaged else { throw UsageFailure("--staged goes with --against.") }
    }
  }

  /// Returns the message of a command that is not told which version to compare with: the forms of naming it. The
  /// command chooses none by itself, since a check against the wrong version finds nothing and looks like success.
  private static func howToNameVersions(_ paths: [String]) -> String {
    let files = paths.isEmpty ? "FILE..." : paths.prefix(3).joined(separator: " ") + (paths.count > 3 ? " ..." : "")
    let forms = [
      ("--against git:REF \(files)", "a commit, branch or tag: `git:v1.0` if users have that"),
      ("--against merge-base \(files)", "the commit where this branch left its base: for pull requests"),
      ("OLD \(paths.count == 1 ? files : "NEW")", "two files or folders"),
    ]
    let width = forms.map(\.0.count).max() ?? 0
    let lines = forms.map { "  " + $0.padding(toLength: width, withPad: " ", startingAt: 0) + "  \($1)" }
    return "Name the version to compare with, in one of three ways:\n\(lines.joined(separator: "\n"))\n"
      + "  `\"against\": \"merge-base\"` in \(TeamConfiguration.fileName) says it once for all."
  }

  /// Takes the version to compare with from the configurations of the paths, unless the command line names one. Two paths are OLD and NEW
  /// only if no configuration names a version; otherwise a note says that both are compared with that version.
  mutating func takeAgainst(_ configurations: Configurations) throws {
    guard against == nil else { return }
    var found: [(path: String, against: String)] = []
    for path in paths {
      let isFolder = InputFileSystem().isFolderOnDisk(path)
      let configuration = isFolder ? configurations.nearest(to: path) : configurations[path]
      if let against = configuration.against { found.append((path, against)) }
    }
    try configurations.throwMistakes(format, all: all)
    guard let first = found.first else { return }
    if let other = found.first(where: { $0.against != first.against }) {
      Terminal.printError(
        """
        error: \(TeamConfiguration.fileName) compares \(first.path) with \(first.against), and \(other.path) with \(other.against): run \
        dflatc for each of them, or name one version with --against
        """)
      throw ExitStatus.usage.exitCode
    }
    against = first.against
    guard paths.count == 2, OldVersion(first.against) != nil else { return }
    Terminal.printError(
      """
      note: \(paths[0]) and \(paths[1]) are both compared with \(first.against), as "against" in \(TeamConfiguration.fileName) says; \
      --against \(paths[0]) \(paths[1]) compares the one with the other
      """)
  }

  /// Reads both versions. Prints errors and ends the command if there are any.
  func read(_ configurations: Configurations) throws -> Versions {
    if let version = against.flatMap(OldVersion.init) { return try readAgainst(version, configurations) }
    let (common, excluded, takesIncludes) = (includePaths, excluded, takesIncludes)
    let paths = (against.map { [$0] } ?? []) + paths
    // As with a commit, a file that is named is left alone if its configuration leaves it out. A path that cannot be
    // looked at is reported when it is read.
    let isLeftOut = (try? InputFileSystem().isFolder(paths[1])) == false && configurations.isExcluded(paths[1])
    // Before either version is read, so that both leave the same included files out.
    let vendoring = takesIncludes ? configurations.reading(paths) : []
    // Each version has the include folders of its own configuration: those of the other one hold the other one's files.
    let sides = [(paths[0], paths[1], oldIncludePaths), (paths[1], paths[0], newIncludePaths)].mapInParallel {
      path, counterpart, own in
      Result { () throws(InputError) -> CheckInput<InputFileSystem> in
        if isLeftOut { return try CheckInput([], names: [:], includePaths: [], InputFileSystem()) }
        return try CheckInput.read(
          path, ownIncludePaths: own, includePaths: common, usesConfigured: common.isEmpty, excluding: excluded,
          configurations, vendoring: vendoring, counterpart: counterpart, takesIncludes: takesIncludes)
      }
    }
    let (old, new) = (try input(sides[0], "OLD"), try input(sides[1], "NEW"))
    let folders = CheckFolders(old: paths[0], new: paths[1])
    if let file = folders.sharedFile(old: old, new: new, ownIncludePaths: (oldIncludePaths, newIncludePaths)) {
      Terminal.printError("error: \(explanation(of: file))")
      throw ExitStatus.usage.exitCode
    }
    return (
      old.version { folders.neighbours(isOld: true) }, new.version { folders.neighbours(isOld: false) }, { $0 }
    )
  }

  /// Returns why a file must not be read by both versions, and which options make each version read its own file.
  private func explanation(of file: CheckFolders.SharedFile) -> String {
    let (owner, other) = (file.owner.rawValue, file.owner == .new ? "OLD" : "NEW")
    let reader = file.isReadByBoth ? "both versions" : other
    let problem = "\(reader) would read \(file.path), which belongs to \(owner), so that no change of it could be seen"
    let (own, others) = file.owner == .new ? ("--new-include", "--old-include") : ("--old-include", "--new-include")
    guard let folder = includePaths.first(where: { file.path.hasPrefix($0.hasSuffix("/") ? $0 : $0 + "/") }) else {
      return "\(problem): name the folder where \(other) has its own with \(others)"
    }
    return """
      \(problem): instead of -I \(folder) write \(own) \(folder) \(others) DIR, where DIR has \(other)'s own (\(folder) \
      again if both are to share it)
      """
  }

  private func readAgainst(_ version: OldVersion, _ configurations: Configurations) throws -> Versions {
    var renames: [String: String] = [:]
    for pair in self.renames {
      let parts = pair.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      renames[parts[1]] = parts[0]
    }
    let sides: GitSides
    do throws(InputError) {
      sides = try GitSides.read(
        .init(
          version: version, paths: paths, renames: renames, includePaths: includePaths,
          oldIncludePaths: oldIncludePaths, newIncludePaths: newIncludePaths, excluded: excluded,
          configurations: configurations, takesIncludes: takesIncludes, isStaged: isStaged))
    } catch {
      throw failure(error, "OLD")
    }
    let name = sides.name
    for path in sides.added {
      Terminal.printError(
        "note: \(path) is not in \(name): there is nothing to compare it with (--rename tells its old path)")
    }
    return (
      try input(sides.old, "OLD"), try input(sides.new, "NEW"), { sides.tree.shownPath(of: $0, in: name) }
    )
  }

  private func input<Input>(_ result: Result<Input, InputError>, _ side: String) throws -> Input {
    do throws(InputError) {
      return try result.get()
    } catch {
      throw failure(error, side)
    }
  }

  private func failure(_ error: InputError, _ side: String) -> any Error {
    Terminal.printError("error: \(error.version?.rawValue ?? side): \(error.message)")
    if format == .text {
      ReportFormat.text.show(error.diagnostics, in: error.sources, all: all)
    } else {
      format.show(error.diagnostics, in: error.sources, all: all)
    }
    return ExitStatus.inputOutput.exitCode
  }
}

/// The error that arguments do not go together.
struct UsageFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Array where Element: Sendable {
  /// Maps the elements in parallel, and returns the results in their order.
  func mapInParallel<Result: Sendable>(_ body: @Sendable (Element) -> Result) -> [Result] {
    let results = Slots<Result>(count)
    DispatchQueue.concurrentPerform(iterations: count) { results.set(body(self[$0]), at: $0) }
    return results.all
  }
}

/// Results of work that runs at the same time.
private final class Slots<Value: Sendable>: @unchecked Sendable {
  // Unchecked, since the lock guards it: every access goes through `set` and `all`.
  private var values: [Value?]
  private let lock = NSLock()

  init(_ count: Int) { values = Array(repeating: nil, count: count) }

  func set(_ value: Value, at index: Int) { lock.withLock { values[index] = value } }

  var all: [Value] { lock.withLock { values.compactMap { $0 } } }
}
