/// The reason why a fetch failed. The methods of `workspace.fetch(for: Post.self).throwing` throw it.
public enum StoreError: Error, Sendable {
  /// The workspace has been shut down.
  case shutDown
  /// The store could not be opened or read, or the object to start a page after is too large to be written. The
  /// associated value is the cause; a `SQLiteWorkspace` gives a `SQLiteError`.
  case failed(any Error)

  /// Why the store has failed, such as a `SQLiteError` or a `PostgresError`; nil if it is shut down.
  public var cause: (any Error)? {
    switch self {
    case .shutDown: nil
    case .failed(let cause): cause
    }
  }

  /// The error that the workspace's error handler gets: the cause of `failed`, else this error itself.
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
