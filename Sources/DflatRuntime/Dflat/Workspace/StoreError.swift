/// The reason why a fetch failed.
///
/// ```swift
/// do {
///   print(try workspace.fetch(for: Post.self).throwing.where(Post.priority == 0).count)
/// } catch {
///   print(error)
/// }
/// ```
///
/// The methods of ``QueryBuilder/throwing`` and ``QueryBuilder/async`` throw it. Those of ``QueryBuilder`` itself
/// report the cause to the workspace's error handler; they report nothing after a shutdown.
///
/// See also: ``TransactionError`` for writes, Documentation/using-the-store.md (Errors).
public enum StoreError: Error, Sendable {
  /// The workspace has been shut down.
  case shutDown
  /// The store could not be opened or read. The associated value is the cause: for a `SQLiteWorkspace`, mostly a
  /// `SQLiteError`.
  ///
  /// A fetch of a page also fails if the object to start after is too large to be encoded.
  case failed(any Error)

  /// The error of the database, such as a `SQLiteError` or a `PostgresError`; nil if the workspace is shut down.
  public var cause: (any Error)? {
    switch self {
    case .shutDown: nil
    case .failed(let cause): cause
    }
  }

  /// The error that the workspace's error handler gets: the cause of `failed`, or else this error itself.
  package var reason: any Error {
    switch self {
    case .shutDown: self
    case .failed(let reason): reason
    }
  }
}

extension StoreError: CustomStringConvertible {
  /// The error as an English sentence.
  public var description: String {
    switch self {
    case .shutDown: "The workspace has been shut down."
    case .failed(let reason): "\(reason)"
    }
  }
}
