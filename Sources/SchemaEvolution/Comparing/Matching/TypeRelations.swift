import FBSSchema

/// How the type that a field or member refers to in OLD relates to the type that it refers to in NEW.
enum TypeRelation {
  /// The types are versions of one type, and are compared as a pair of their own.
  case same
  /// The types are of different kinds.
  case kind
  /// The types have unrelated names, but data of the old one reads correctly as the new one.
  case alike
  /// The types are different.
  case different
}

/// Decides how two types relate while the types that refer to them are compared, and remembers pairs to be compared on
/// their own.
protocol TypeRelations: AnyObject {
  /// Returns how two types relate that the types of `holder` refer to in the same place.
  func relate(_ pair: TypePair, in holder: TypePair) -> TypeRelation
  /// Returns how two types relate that only a deprecated field refers to.
  func relateUnread(_ pair: TypePair) -> TypeRelation
  /// Returns the errors about two types that are related as `.alike` which no stored object shows, such as another key.
  func precautions(between pair: TypePair) -> [Finding]
}

extension TypeRelations {
  /// Returns none: where all types are compared as pairs, the pairs themselves have such findings.
  func precautions(between pair: TypePair) -> [Finding] { [] }
}
