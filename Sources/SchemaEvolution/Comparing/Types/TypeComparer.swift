import FBSDiagnostics
import FBSParser
import FBSSchema

/// Compares two versions of one type, or a part of them.
protocol TypeComparer: ComparisonStage {
  var pair: TypePair { get }
  var relations: any TypeRelations { get }
}

extension TypeComparer {
  /// Returns how two types relate that the versions of `pair` refer to in the same place; `.same` if neither refers to
  /// one.
  func relate(_ first: DefinitionID?, _ second: DefinitionID?) -> TypeRelation {
    switch (first, second) {
    case (nil, nil): .same
    case (let first?, let second?): relations.relate(TypePair(old: first, new: second), in: pair)
    default: .different
    }
  }

  /// Returns how two types relate that only a deprecated field refers to; `.same` if neither version refers to one.
  func relateUnread(_ first: DefinitionID?, _ second: DefinitionID?) -> TypeRelation {
    switch (first, second) {
    case (nil, nil): .same
    case (let first?, let second?): relations.relateUnread(TypePair(old: first, new: second))
    default: .different
    }
  }

  /// Reports the precautions between two types, such as another key, for a field whose new type is another one that is
  /// stored alike. They would otherwise be missed, since the two types are not compared as versions of one type.
  /// Reports one finding for each rule.
  mutating func reportPrecautions(
    _ first: DefinitionID?, _ second: DefinitionID?, at range: SourceRange, was oldRange: SourceRange
  ) {
    guard let first, let second else { return }
    let found = relations.precautions(between: TypePair(old: first, new: second))
    for (rule, findings) in Dictionary(grouping: found, by: \.rule) {
      report(
        rule, "with the type, " + findings.map(\.message).joined(separator: ", and "), harm: findings[0].harm,
        advice: "put the type back", at: range, was: oldRange, "the type was this", evidence: .precaution)
    }
  }

  mutating func reportKind(_ first: DefinitionID, _ second: DefinitionID, _ evidence: Finding.Evidence? = nil) {
    let name = new.schema.name(of: second)
    guard first.kind != second.kind, old.schema.name(of: first) == name else { return }
    report(
      .typeKind, "`\(name)` was \(first.kindName), and is \(second.kindName)",
      harm: "what was stored as the one is no valid other", advice: "give the new type a name of its own",
      at: new.schema.declaration(of: second).nameRange, was: old.schema.declaration(of: first).nameRange,
      "\(first.kindName) here", severity: evidence == .precaution ? .warning : nil, evidence: evidence)
  }
}
