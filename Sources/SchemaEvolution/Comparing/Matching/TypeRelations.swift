import FBSSchema

/// How two types that something held before and holds now relate.
enum TypeRelation {
  /// They are versions of one type, which are compared on their own.
  case same
  /// They are of different kinds.
  case kind
  /// They are two types, whose bytes are read alike.
  case alike
  /// They are two types.
  case different
}

/// Tells how types relate while what holds them is compared, and remembers the pairs that are to be compared on their own.
protocol TypeRelations: AnyObject {
  /// How the types relate that a pair of other types holds in the same place.
  func relate(_ pair: TypePair, in holder: TypePair) -> TypeRelation
  /// The same for types that only a deprecated field holds.
  func relateUnread(_ pair: TypePair) -> TypeRelation
}
