import FBSSchema

/// Tries out whether data of one type reads well as another one, though they are two types by their names.
///
/// All types that the two lead to in the same places are taken for versions of one, and compared. The trial fails with
/// the first finding that data shows.
struct LikenessTrial {
  /// Schemas that swap types of more pairs are told that they are different.
  static let maximumPairs = 200

  private let versions: VersionPair

  init(_ versions: VersionPair) {
    self.versions = versions
  }

  func isAlike(_ pair: TypePair) -> Bool {
    let assumptions = Assumptions(pair)
    for _ in 0..<Self.maximumPairs {
      guard let next = assumptions.pairs.popNext() else { return true }
      let comparison = DefinitionComparison(pair: next, versions: versions, relations: assumptions)
      let isHarmed = comparison.typeFindings().contains { $0.rule.level == .storage && $0.evidence != .precaution }
      if isHarmed { return false }
    }
    return assumptions.pairs.isEmpty
  }
}

/// What a trial takes for granted: types of one kind, in the same place, are versions of one type.
private final class Assumptions: TypeRelations {
  var pairs = TypePairs()

  init(_ pair: TypePair) { pairs.add(pair) }

  func relate(_ pair: TypePair, in holder: TypePair) -> TypeRelation {
    if pairs.newOf[pair.old] == pair.new { return .same }
    guard pair.old.kind == pair.new.kind else { return .kind }
    guard pairs.isFree(pair) else { return .different }
    pairs.add(pair)
    return .same
  }

  /// What is found of fields that no accessor reads are precautions, which do not count.
  func relateUnread(_ pair: TypePair) -> TypeRelation { .same }
}
