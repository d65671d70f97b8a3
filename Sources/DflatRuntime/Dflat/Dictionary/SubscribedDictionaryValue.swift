/// The present value, or a change, of a subscribed key.
///
/// ```swift
/// subscription = workspace.dictionary.subscribe("name", of: String.self) { change in
///   print(change.value ?? "nobody")
/// }
/// ```
///
/// See also: ``WorkspaceDictionary``, Documentation/dictionary.md (Subscriptions).
public enum SubscribedDictionaryValue<Value> {
  /// The value at the time of the subscription; nil if there was none. It always comes first.
  case initial(_: Value?)
  /// The key was set to this value.
  case updated(_: Value)
  /// The key was removed, or now holds a value of another type. It may be set again later.
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
