/// The error of using a workspace in a process that was forked after the workspace had been opened.
///
/// The child process has none of the threads that the workspace needs, and shares locks and connections with its
/// parent. So the workspace reads and writes nothing there: fetches fail with this error, transactions complete with
/// `false` on the calling thread, and the error handler gets this error. Open a workspace in the child, after the
/// fork, or let the child run another program (`exec`), as `Process` does.
public struct ForkedProcessError: Error, Hashable, CustomStringConvertible {
  package init() {}

  /// An English text that says what happened and what to do.
  public var description: String {
    "A workspace cannot be used in a process that was forked after the workspace had been opened. "
      + "Open another one in the child process."
  }
}
