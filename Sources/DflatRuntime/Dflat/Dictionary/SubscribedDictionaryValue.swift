/// What has become of a key that is subscribed to.
public enum SubscribedDictionaryValue<Value> {
  /// The value when it was subscribed to, which always comes first; nil if there was none.
  case initial(_: Value?)
  /// The key was set to this value.
  case updated(_: Value)
  /// The key was removed, or holds a value of another type now. It may be set again later.
  case deleted

  /// The value of the key; nil if there is none.
  public var value: Value? {
    switch self {
    case .initial(let value): value
    case .updated(let value): value
    case .deleted: nil
    }
  }
}

extension SubscribedDictionaryValue: Equatable where Value: Equatable {}

extension SubscribedDictionaryValue: Sendable where Value: Sendable {}
