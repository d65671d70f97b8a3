import Dflat
import Dispatch

extension SQLiteWorkspace {
  /// Creates a workspace in a file of its own, for a test, a preview or a command.
  ///
  /// ```swift
  /// let workspace = SQLiteWorkspace.temporary()
  /// await workspace.performChanges([Post.self]) { transaction in
  ///   transaction.try(submit: PostChangeRequest.creationRequest(Post(title: "Hello")))
  /// }
  /// ```
  ///
  /// The file is removed when the workspace is shut down or released, and when the process ends. If the process
  /// crashes, the first temporary workspace of another process removes it. Tests that run side by side each have their
  /// own file.
  ///
  /// See also: Documentation/testing.md.
  ///
  /// - Parameters:
  ///   - writeConcurrency: which transactions run at the same time.
  ///   - errorHandler: called with every error that no call can return; see `init`. If no temporary file can be
  ///     created, the first use of the workspace causes such an error.
  public static func temporary(
    writeConcurrency: WriteConcurrency = .concurrent, errorHandler: (@Sendable (any Error) -> Void)? = nil
  ) -> SQLiteWorkspace {
    let folder = TemporaryFolder()
    return SQLiteWorkspace(
      folder.path + "/store.sqlite3", .noProtection, .normal, writeConcurrency, nil, .writer, errorHandler, folder)
  }
}
