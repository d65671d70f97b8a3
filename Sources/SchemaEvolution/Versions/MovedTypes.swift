import FBSDiagnostics
import FBSParser
import FBSSchema

/// Types that moved to a file that cannot be compiled together with the files that they left, since it defines other
/// types of the same names.
///
/// Such a file is compared alone with the files of OLD. Only findings about these types, and about the types that their
/// objects hold, count.
struct MovedTypes {
  private let old: VersionPart
  /// The moved types, and all types that their objects hold.
  private let types: Set<DefinitionID>
  /// The files of `old` whose root tables moved.
  private let filesOfRoots: Set<FileID>

  /// Finds the moved types, and all types that their objects hold.
  /// - Parameter names: the names of the moved types. `old` defines all of them.
  init(_ names: Set<QualifiedName>, of old: VersionPart) {
    self.old = old
    let schema = old.compilation.schema
    types = schema.contents(reachedFrom: schema.definitionsOfInputs.filter { names.contains(schema.name(of: $0)) })
    filesOfRoots = Set(schema.roots.filter { names.contains(schema[$0.table].name) }.map(\.file.id))
  }

  /// Returns the findings about the types, with ranges in the files of the two parts.
  /// - Parameter new: The part with the file that the types moved to.
  func findings(in new: VersionPart) -> [Finding] {
    let schema = old.compilation.schema
    let names = Set(types.map { schema.name(of: $0) })
    // The other types of the old files need not be in this file.
    let version = new.version(namesElsewhere: old.typeNames.subtracting(names))
    let places = DefinitionPlaces(schema)
    return SchemaEvolution.compare(old: old.version(), new: version).filter { finding in
      // A root table that moved is looked for in this file alone. The others are reported in the comparison of the
      // files that the types left.
      finding.rule == .rootType
        ? filesOfRoots.contains(finding.oldRange.file)
        : places.definition(at: finding.oldRange).map(types.contains) == true
    }
  }
}

/// The part of a file that belongs to each definition: from its name to the name of the next one.
private struct DefinitionPlaces {
  private let byFile: [FileID: [(start: Int, id: DefinitionID)]]

  init(_ schema: Schema) {
    let places = schema.files.map { file in
      (file.id, file.definitions.map { (schema.declaration(of: $0).nameRange.start, $0) }.sorted { $0.0 < $1.0 })
    }
    byFile = Dictionary(uniqueKeysWithValues: places)
  }

  func definition(at range: SourceRange) -> DefinitionID? {
    guard let places = byFile[range.file] else { return nil }
    // Searches for the first definition after the range's start.
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].start > range.start { high = middle } else { low = middle + 1 }
    }
    return low == 0 ? nil : places[low - 1].id
  }
}
