import FBSDiagnostics
import FBSParser
import FBSSchema

/// Compares two versions of one type, or a part of them.
protocol TypeComparer: ComparisonStage {
  var pair: TypePair { get }
  var relations: any TypeRelations { get }
}

extension TypeComparer {
  /// How what two types refer to relates, as part of something that holds them.
  func relate(_ first: DefinitionID?, _ second: DefinitionID?) -> TypeRelation {
    switch (first, second) {
    case (nil, nil): .same
    case (let first?, let second?): relations.relate(TypePair(old: first, new: second), in: pair)
    default: .different
    }
  }

  /// The same for what only a deprecated field holds.
  func relateUnread(_ first: DefinitionID?, _ second: DefinitionID?) -> TypeRelation {
    switch (first, second) {
    case (nil, nil): .same
    case (let first?, let second?): relations.relateUnread(TypePair(old: first, new: second))
    default: .different
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
