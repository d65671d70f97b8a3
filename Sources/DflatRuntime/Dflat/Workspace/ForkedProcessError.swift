/// A workspace is used in a process that was forked from the one that had opened it.
///
/// The child has none of the threads that the workspace needs, and shares locks and connections with its parent. Nothing is read or
/// written there: fetches fail with this error, transactions complete with `false` on the calling thread, and the error handler is
/// told. Open a workspace in the child, after the fork; or have the child run another program (`exec`), as `Process` does.
public struct ForkedProcessError: Error, Hashable, CustomStringConvertible {
  package init() {}

  /// What happened, and what to do.
  public var description: String {
    "A workspace cannot be used in a process that was forked after the workspace had been opened. "
      + "Open another one in the child process."
  }
}
