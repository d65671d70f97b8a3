import FBSDiagnostics
import FBSParser
import FBSSchema

/// Compares two versions of one type: what all kinds have in common, then what their kind has.
struct DefinitionComparison: TypeComparer {
  let pair: TypePair
  let versions: VersionPair
  let relations: any TypeRelations
  var findings: [Finding] = []

  /// Returns the findings about the types themselves. Adds the pairs of types that they refer to to `relations`.
  func typeFindings() -> [Finding] {
    var comparison = self
    comparison.run()
    return comparison.findings
  }

  /// Returns the finding about two types of one name and different kinds.
  func kindFindings() -> [Finding] {
    var comparison = self
    comparison.reportKind(pair.old, pair.new)
    return comparison.findings
  }

  private mutating func run() {
    compareNames()
    compareCodable()
    switch (pair.old, pair.new) {
    case (.table(let first), .table(let second)):
      var tables = TableComparison(pair: pair, versions: versions, relations: relations)
      tables.compare(old.schema[first], new.schema[second])
      findings += tables.findings
    case (.structure(let first), .structure(let second)):
      var structs = StructComparison(pair: pair, versions: versions, relations: relations)
      structs.compare(old.schema[first], new.schema[second])
      findings += structs.findings
    case (.enumeration(let first), .enumeration(let second)):
      var enums = EnumComparison(pair: pair, versions: versions, relations: relations)
      enums.compare(old.schema[first], new.schema[second])
      findings += enums.findings
    case (.union(let first), .union(let second)):
      var unions = UnionComparison(pair: pair, versions: versions, relations: relations)
      unions.compare(old.schema[first], new.schema[second])
      findings += unions.findings
    default: break  // Types of different kinds make no pair.
    }
  }

  private mutating func compareNames() {
    let (oldName, newName) = (old.schema.name(of: pair.old), new.schema.name(of: pair.new))
    if oldName != newName { reportRenamed(pair) }
  }

  /// Reports a type that lost `codable`, unless another codable type still holds it and so keeps it codable.
  private mutating func compareCodable() {
    let (first, second) = (old.schema.declaration(of: pair.old), new.schema.declaration(of: pair.new))
    guard let attribute = first.attribute("codable"), !second.has("codable"),
      !versions.newCodables.contains(pair.new)
    else { return }
    report(
      .codable, "`\(new.schema.name(of: pair.new))` is codable no more",
      harm: "stored data is safe; code that encodes or decodes it, or what it holds, stops building",
      advice: "put `codable` back", at: second.nameRange, was: attribute.range, "codable here")
  }
}
