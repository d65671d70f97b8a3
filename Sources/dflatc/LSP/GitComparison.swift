import FBSDiagnostics
import FBSSchema
import Foundation
import LanguageServer
import SchemaEvolution
import SchemaLinting

/// Compares the texts of an editor with the commit that `dflatc check` compares them with.
///
/// The commit is looked up once for the schemas of a folder, and again when the repository's HEAD or a reference has
/// changed, or when many other folders were edited since.
struct GitComparison {
  /// A commit to compare with, and its files.
  private struct Baseline {
    let version: OldVersion
    /// The states of the files that hold git's references, when the commit was looked up.
    let stamps: [String: ServerFiles.Stamp?]
    let name: String
    let tree: GitTree
  }

  /// The commits to compare with, by the folders of schemas. The one that was used last is the last.
  private var baselines: [(folder: String, baseline: Baseline)] = []
  /// The most commits that are kept. Each has a process of git, with its open files, and more for submodules: a server
  /// that runs for days would have as many as folders were ever edited. Far fewer are edited in turn.
  private static let mostBaselines = 16

  /// Returns the findings of `dflatc check` in one file.
  /// - Parameters:
  ///   - neighbours: the folder of the files to which a type may have moved.
  ///   - texts: the texts that replace files, by their identities.
  /// - Returns: nil if there is nothing to compare with: no repository, no such commit, or a file that the commit does
  ///   not have.
  mutating func findings(
    about path: String, neighbours: String, includePaths: [String], texts: [String: [UInt8]]
  ) -> EvolutionAnswer? {
    let configurations = Configurations()
    let against = configurations[path].against
    // A mistake in a configuration is shown with the other diagnostics.
    guard configurations.mistake == nil, let version = OldVersion(against ?? "merge-base") else { return nil }
    let folder = path.parentFolder
    return Git.$folder.withValue(folder) {
      do throws(InputError) {
        let baseline = try baseline(version, in: folder)
        let files = InputFileSystem(texts: texts)
        // The folder may hold several repositories: types move only within one.
        let root = baseline.tree.place.root
        let searched = root.hasPrefix(files.identity(of: neighbours) + "/") ? root : neighbours
        let request = GitSides.Request(
          version: version, paths: [path], renames: [:], includePaths: includePaths, oldIncludePaths: [],
          newIncludePaths: [], excluded: [], configurations: configurations, takesIncludes: false, isStaged: false,
          neighbours: searched)
        // A new file has no earlier version.
        guard try baseline.tree.exists(path) else { return nil }
        let sides = try GitSides.read(request, baseline.name, baseline.tree, files)
        let (old, new) = (try sides.old.get(), try sides.new.get())
        return EvolutionAnswer(
          diagnostics: Self.diagnostics(about: path, old, new, sides, configurations, files))
      } catch {
        // The process of git that gives files may have ended: the next one is new.
        baselines.removeAll { $0.folder == folder }
        // Only a team that names a version wants to know that it is missing.
        return against.map { EvolutionAnswer(mistake: "cannot compare with \($0): \(error.message)") }
      }
    }
  }

  private static func diagnostics(
    about path: String, _ old: VersionFiles, _ new: VersionFiles, _ sides: GitSides, _ configurations: Configurations,
    _ files: InputFileSystem
  ) -> [Diagnostic] {
    let transition = Transition(old: old, new: new)
    let judge = FindingJudge(configurations, transition.sources)
    let report = EvolutionReport(
      transition, otherRules: Set(LintRule.all.map(\.id)).union(configurations.programRules), judge: judge.setting
    ).withoutFaults()
    let (diagnostics, sources) = report.diagnostics(
      old: transition.sources.old, new: transition.sources.new,
      oldPath: { sides.tree.shownPath(of: $0, in: sides.name) })
    let identity = files.identity(of: path)
    // The old version's files come after those of the new one.
    let isOwn = sources.files.indices.map { index in
      index < transition.sources.new.files.count && files.identity(of: sources.files[index].path) == identity
    }
    return diagnostics.filter { isOwn[$0.range.file.index] }.map { diagnostic in
      func isHere(_ range: SourceRange) -> Bool { isOwn[range.file.index] }
      // An editor has no document for the old version, so that its texts are told in words.
      let others = diagnostic.labels.filter { !isHere($0.range) && !$0.text.isEmpty }.map { label in
        let place = sources.position(of: label.range.start, in: label.range.file)
        return "\(sources[label.range.file].path):\(place.line):\(place.column): \(label.text)"
      }
      return Diagnostic(
        diagnostic.code, diagnostic.severity, diagnostic.message, at: diagnostic.range, advice: diagnostic.advice,
        labels: diagnostic.labels.filter { isHere($0.range) }, notes: diagnostic.notes + others,
        fixes: diagnostic.fixes.filter { $0.edits.allSatisfy { isHere($0.range) } }
      ).relocated { SourceRange(file: FileID(0), start: $0.start, end: $0.end) }
    }
  }

  private mutating func baseline(_ version: OldVersion, in folder: String) throws(InputError) -> Baseline {
    if let index = baselines.firstIndex(where: { $0.folder == folder }) {
      let known = baselines.remove(at: index).baseline
      if known.version == version, known.stamps == Self.stamps(known.stamps.keys) {
        baselines.append((folder, known))
        return known
      }
    }
    let place = try GitPlace()
    // Taken before the commit is looked up: a change in between is then seen the next time.
    let stamps = Self.stamps(try Self.references())
    let reference = try version.reference()
    let baseline = Baseline(
      version: version, stamps: stamps, name: reference.name, tree: try GitTree(commit: reference, place))
    if baselines.count >= Self.mostBaselines { baselines.removeFirst() }
    baselines.append((folder, baseline))
    return baseline
  }

  private static func stamps(_ paths: some Sequence<String>) -> [String: ServerFiles.Stamp?] {
    Dictionary(uniqueKeysWithValues: paths.map { ($0, ServerFiles.stamp(of: $0)) })
  }

  /// Returns the files and folders that show a change of a reference: at least one of them changes with it. A loose
  /// reference is replaced by a file of another name, which changes its folder.
  private static func references() throws(InputError) -> Set<String> {
    let answer = try Git.run(["rev-parse", "--absolute-git-dir", "--git-common-dir"])
    guard answer.isSuccess else { throw InputError(message: answer.complaint) }
    let folder = Git.folder ?? FileManager.default.currentDirectoryPath
    var paths: Set<String> = []
    for line in answer.output.split(separator: "\n").map(String.init) {
      let place = line.hasPrefix("/") ? line : folder + "/" + line
      paths.formUnion(["HEAD", "packed-refs", "shallow", "refs", "reftable"].map { "\(place)/\($0)" })
      guard let names = FileManager.default.enumerator(atPath: place + "/refs") else { continue }
      while let name = names.nextObject() as? String {
        if names.fileAttributes?[.type] as? FileAttributeType == .typeDirectory {
          paths.insert("\(place)/refs/\(name)")
        }
      }
    }
    return paths
  }
}
