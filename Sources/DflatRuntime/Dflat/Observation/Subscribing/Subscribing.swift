/// A subscription to an object, a result, a key or events. It is cancelled when nothing refers to it any more.
public protocol WorkspaceSubscription: AnyObject, Sendable {
  /// Ends the subscription. No call of the callback begins after it; a call that another thread is in goes on.
  func cancel()
}

/// A change of a subscribed object.
public enum SubscribedObject<Element: Atom>: Sendable {
  /// The object was changed; the associated value is its new state.
  case updated(_: Element)
  /// The object was deleted, which ends the subscription. An object that is stored later is another one, even with
  /// the same primary key.
  case deleted
}

extension SubscribedObject: Equatable where Element: Equatable {}
