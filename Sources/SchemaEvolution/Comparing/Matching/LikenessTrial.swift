import FBSSchema

/// Decides whether data of one type reads correctly as another type with an unrelated name.
///
/// The trial assumes that the types which the two hold in the same places are versions of one type, and compares them,
/// too. It fails at the first storage finding that data shows.
struct LikenessTrial {
  /// The most pairs that a trial compares. If there are more, the types count as different.
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

/// The assumption of a trial: types of one kind in the same place are versions of one type.
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

  /// Returns `.same`: findings about deprecated fields are precautions, which do not count in a trial.
  func relateUnread(_ pair: TypePair) -> TypeRelation { .same }
}
