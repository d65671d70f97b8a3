import FBSDiagnostics
import FBSParser
import FBSSchema

/// The change from the files of one version to those of another: decides which files are compared, and collects the
/// findings.
///
/// Files that share a name space are one schema, whose types may move between them. Where two files define one name,
/// the files are divided into modules (`ModulePartition`), each of which is compared on its own. A file that has errors
/// is left out in both versions, with the files that include it, and the others are compared.
public struct Transition {
  /// The findings, in the order of their ranges in the files of the new version.
  public private(set) var findings: [Finding] = []
  /// Errors in files of the old version, and of the new one. Such files are not compared.
  public private(set) var faults: (old: [Diagnostic], new: [Diagnostic]) = ([], [])
  /// Whether any file of the old version could be compared.
  public private(set) var hasComparison = false
  /// The source files of both versions, which all ranges refer to.
  public var sources: (old: SourceMap, new: SourceMap) { (oldSources.sources, newSources.sources) }

  /// Both versions of each module that was compared, which are valid. A module that is new has an old version without files.
  public private(set) var comparedModules: [(old: Compilation, new: Compilation)] = []

  private var oldSources = SourceJoin()
  private var newSources = SourceJoin()
  private let old: VersionFiles
  private let new: VersionFiles
  private let modules: [Set<String>]
  private lazy var arrivals = TypeArrivals(old: old, new: new, isDivided: modules.count > 1)

  /// Compares two versions.
  public init(old: VersionFiles, new: VersionFiles) {
    self.old = old
    self.new = new
    modules = Self.modules(old, new)
    // All files are added first: their order is the order of the findings, and the first file shows what is gone.
    _ = oldSources.add(old.compilation.sources)
    _ = newSources.add(new.compilation.sources)
    for module in modules { compare(module) }
    findings = findings.sortedByPlace()
    faults = (faults.old.inSourceOrder(), faults.new.inSourceOrder())
  }

  private static func modules(_ old: VersionFiles, _ new: VersionFiles) -> [Set<String>] {
    guard old.compilation.hasNameInTwoFiles || new.compilation.hasNameInTwoFiles else {
      return [Set(old.entryKeys.values).union(new.entryKeys.values)]
    }
    return ModulePartition([
      .init(old.compilation, keys: old.entryKeys), .init(new.compilation, keys: new.entryKeys),
    ]).modules
  }

  private mutating func compare(_ module: Set<String>) {
    var keys = module
    var (first, second) = (old.part(keys), new.part(keys))
    var namesElsewhere: Set<QualifiedName> = []
    // Each round leaves out at least one input. A second round is rare: the remaining files had no errors when compiled
    // with the others.
    while !first.compilation.isValid || !second.compilation.isValid {
      faults.old += Self.errors(of: first, &oldSources)
      faults.new += Self.errors(of: second, &newSources)
      // The types of a file with errors are not gone.
      namesElsewhere.formUnion(second.compilation.sources.files.flatMap { DefinedNames($0).types })
      let left = keys.subtracting(first.faultyKeys).subtracting(second.faultyKeys)
      guard left.count < keys.count else { return }
      keys = left
      (first, second) = (old.part(keys), new.part(keys))
    }
    guard !first.keys.isEmpty || !second.keys.isEmpty else { return }
    hasComparison = hasComparison || !first.keys.isEmpty
    comparedModules.append((first.compilation, second.compilation))
    let version = first.version()
    var found = SchemaEvolution.compare(old: version, new: second.version(namesElsewhere: namesElsewhere))
    if found.contains(where: { Self.rulesOfMissingTypes.contains($0.rule) }) {
      let known = second.typeNames
      let missing = first.inputTypeNames.filter { !known.contains($0) }
      let places = missing.isEmpty ? [:] : arrivals.files(defining: missing)
      if !places.isEmpty {
        if let more = part(second, with: Set(places.values)) {
          second = more
        } else {
          namesElsewhere.formUnion(places.keys)
          compareMoved(places, from: first)
        }
        found = SchemaEvolution.compare(old: version, new: second.version(namesElsewhere: namesElsewhere))
      }
    }
    if found.contains(where: { $0.rule == .rootType }) {
      let more = withRoots(first.rootNames, second)
      let other = SchemaEvolution.compare(old: version, new: more.version(namesElsewhere: namesElsewhere))
      if Self.countOfLost(other) < Self.countOfLost(found) { (second, found) = (more, other) }
    }
    // A type that moved may have another name, too. Its fields then identify it.
    let lost = Self.countOfLost(found)
    if lost > 0, !arrivals.newFiles.isEmpty, let more = part(second, with: arrivals.newFiles) {
      let other = SchemaEvolution.compare(old: version, new: more.version(namesElsewhere: namesElsewhere))
      if Self.countOfLost(other) < lost { (second, found) = (more, other) }
    }
    let oldFiles = oldSources.add(first.compilation.sources)
    let newFiles = newSources.add(second.compilation.sources)
    findings += found.map { $0.relocated(old: oldFiles, new: newFiles) }
  }

  /// Compares types with the files that they moved to, each file on its own. Errors in such a file are reported where
  /// it is an input.
  /// - Parameter places: The paths of the files, by the names of the types.
  private mutating func compareMoved(_ places: [QualifiedName: String], from first: VersionPart) {
    for (path, names) in Dictionary(grouping: places.keys, by: { places[$0] ?? "" }).sorted(by: { $0.key < $1.key }) {
      var second = new.part(paths: [path])
      guard second.compilation.isValid else { continue }
      second = withRoots(first.rootNames.intersection(names), second)
      let oldFiles = oldSources.add(first.compilation.sources)
      let newFiles = newSources.add(second.compilation.sources)
      findings += MovedTypes(Set(names), of: first).findings(in: second)
        .map { $0.relocated(old: oldFiles, new: newFiles) }
    }
  }

  /// The rules whose findings may only mean that a type has moved to another file. A finding of one starts the search for
  /// moved types.
  private static let rulesOfMissingTypes: Set<EvolutionRule> = [.typeRemoved, .rootType, .typeRenamed]

  private static func countOfLost(_ findings: [Finding]) -> Int {
    findings.count { $0.rule == .typeRemoved || $0.rule == .rootType }
  }

  /// Returns a part of NEW with further files, or nil if these do not compile together.
  private func part(_ part: VersionPart, with paths: Set<String>) -> VersionPart? {
    let known = Set(part.compilation.schema.files.map(\.path))
    let more = new.part(
      paths: part.compilation.schema.files.filter(\.isInput).map(\.path) + paths.subtracting(known).sorted())
    return more.compilation.isValid ? more : nil
  }

  /// Returns a part of NEW with the further files that name these tables as their roots, as far as they compile with the
  /// part: the file that makes a table a root may be another one than that of the table, which it includes.
  private mutating func withRoots(_ names: Set<QualifiedName>, _ part: VersionPart) -> VersionPart {
    let files = arrivals.files(withRoots: names.subtracting(part.rootNames)).sorted()
    return files.reduce(part) { self.part($0, with: [$1]) ?? $0 }
  }

  private static func errors(of part: VersionPart, _ sources: inout SourceJoin) -> [Diagnostic] {
    let errors = part.compilation.diagnostics.filter { $0.severity == .error }
    guard !errors.isEmpty else { return [] }
    let files = sources.add(part.compilation.sources)
    return errors.map { files($0) }
  }
}
