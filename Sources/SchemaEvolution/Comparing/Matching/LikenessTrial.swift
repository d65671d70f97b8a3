import FBSSchema

/// Decides whether data of one type reads correctly as another type with an unrelated name.
///
/// The trial assumes that the types which the two hold in the same places are versions of one type, and compares them,
/// too. It fails at the first storage finding that data shows, or that says that the same bytes stand for other values.
struct LikenessTrial {
  /// The most pairs that a trial compares. If there are more, the types count as different.
  static let maximumPairs = 200

  private let versions: VersionPair

  init(_ versions: VersionPair) {
    self.versions = versions
  }

  func isAlike(_ pair: TypePair) -> Bool { precautions(between: pair) != nil }

  /// Returns the errors about two types that no stored object shows, such as another key. Nil if the types are not alike.
  func precautions(between pair: TypePair) -> [Finding]? {
    let assumptions = Assumptions(pair)
    var precautions: [Finding] = []
    for _ in 0..<Self.maximumPairs {
      guard let next = assumptions.pairs.popNext() else { return precautions }
      let comparison = DefinitionComparison(pair: next, versions: versions, relations: assumptions)
      for finding in comparison.typeFindings() where finding.rule.level == .storage {
        if isHarm(finding) { return nil }
        if finding.severity == .error { precautions.append(finding) }
      }
    }
    return assumptions.pairs.isEmpty ? precautions : nil
  }

  /// Returns whether a finding keeps stored objects from being read with their meaning. Another unit of numbers does, and another
  /// width of a union's codes, though both are precautions: bytes alone do not tell the unit, and flatc does not write
  /// the width.
  private func isHarm(_ finding: Finding) -> Bool {
    finding.evidence != .precaution
      || finding.severity == .error && [.valueUnit, .enumType].contains(finding.rule)
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
