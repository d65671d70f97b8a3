/// The error that reports that `shutdown()` has returned before the store was closed.
///
/// The call was made on the workspace's serial target queue while transactions or handlers were waiting for that
/// queue. To wait for them there would be a deadlock. The store is closed when they have run. The workspace's error
/// handler gets this error.
///
/// Use `shutdown(completion:)` on a target queue, or `await shutdown()`.
public struct DeferredShutdown: Error, Sendable, CustomStringConvertible {
  package init() {}

  /// The error as an English text.
  public var description: String {
    "shutdown() was called on the workspace's target queue, on which transactions or handlers are waiting, and has returned before the "
      + "store is closed. Call shutdown(completion:), or await shutdown(), to be told when it is."
  }
}
