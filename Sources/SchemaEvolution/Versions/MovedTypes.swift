import FBSDiagnostics
import FBSParser
import FBSSchema

/// Types that moved to a file which cannot be compiled with those that they left, since it defines other types of the same names.
///
/// Such a file is compared alone with the files of OLD, and only what is said about these types counts, and about the types that their
/// objects hold.
struct MovedTypes {
  private let old: VersionPart
  /// The types, and all that their objects hold.
  private let types: Set<DefinitionID>

  /// - Parameter names: What the types are called. All are types of `old`.
  init(_ names: Set<QualifiedName>, of old: VersionPart) {
    self.old = old
    let schema = old.compilation.schema
    types = schema.contents(reachedFrom: schema.definitionsOfInputs.filter { names.contains(schema.name(of: $0)) })
  }

  /// What changed in the types, by places among the files of the two parts.
  /// - Parameter new: The file that they moved to.
  func findings(in new: VersionPart) -> [Finding] {
    let schema = old.compilation.schema
    let names = Set(types.map { schema.name(of: $0) })
    // What else the old files define has nothing to do with this file.
    let version = new.version(namesElsewhere: old.typeNames.subtracting(names))
    let places = DefinitionPlaces(schema)
    return SchemaEvolution.compare(old: old.version(), new: version).filter { finding in
      // Which roots there are is said of the files that the types left.
      finding.rule != .rootType && places.definition(at: finding.oldRange).map(types.contains) == true
    }
  }
}

/// Which part of a file belongs to which definition: from its name to that of the next one.
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
    // The first one behind the place.
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].start > range.start { high = middle } else { low = middle + 1 }
    }
    return low == 0 ? nil : places[low - 1].id
  }
}
