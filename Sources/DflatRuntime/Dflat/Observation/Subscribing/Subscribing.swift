/// A subscription to an object, a result, a key or events. It is cancelled when nothing refers to it any more.
///
/// ```swift
/// let subscription = workspace.subscribe(fetchedResult: posts) { posts in print(posts.count) }
/// subscription.cancel()
/// ```
///
/// Keep it in a property of the object that needs the updates. Its callback is released, with everything that it has
/// captured, when the subscription is cancelled, the object deleted, or the workspace shut down. Only a handler of
/// events stays after a shutdown: it is told what the closed workspace refuses. Cancel its subscription.
///
/// See also: ``Workspace``, ``WorkspaceDictionary``, Documentation/observing.md (What can you rely on?).
public protocol WorkspaceSubscription: AnyObject, Sendable {
  /// Ends the subscription. No call of the callback begins after it. A call that is running on another thread
  /// continues.
  ///
  /// Any thread may call it, also the callback itself, and more than once.
  func cancel()
}

/// A change of a subscribed object.
///
/// ```swift
/// subscription = workspace.subscribe(object: post) { change in
///   guard case .updated(let post) = change else { return print("deleted") }
///   print("now \(post.priority)")
/// }
/// ```
///
/// See also: ``Workspace``, Documentation/observing.md (Callbacks).
public enum SubscribedObject<Element: Atom>: Sendable {
  /// The object was changed; the associated value is its new state.
  case updated(_: Element)
  /// The object was deleted, which ends the subscription. An object that is stored later is another one, even with
  /// the same primary key.
  case deleted
}

extension SubscribedObject: Equatable where Element: Equatable {}
