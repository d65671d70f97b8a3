/// A subscription to an object or a result. It is cancelled when nothing refers to it any more.
public protocol WorkspaceSubscription: AnyObject, Sendable {
  /// Ends the subscription. The callback is not called again, but for a call that another thread is in just now.
  func cancel()
}

/// What has become of a subscribed object.
public enum SubscribedObject<Element: Atom>: Sendable {
  /// It was changed, into this.
  case updated(_: Element)
  /// It was deleted, which ends the subscription. An object that is stored later is another one, also with the same primary
  /// key.
  case deleted
}

extension SubscribedObject: Equatable where Element: Equatable {}
