/// Why a fetch has no answer. The throwing forms of fetches throw it: `workspace.fetch(for: Post.self).throwing`.
public enum StoreError: Error, Sendable {
  /// The workspace has been shut down.
  case shutDown
  /// The store could not be opened or read, or an object to start from is too large to be written. A `SQLiteWorkspace`
  /// says why with a `SQLiteError`.
  case failed(any Error)

  /// The reason as the workspace's error handler gets it.
  package var reason: any Error {
    switch self {
    case .shutDown: self
    case .failed(let reason): reason
    }
  }
}

extension StoreError: CustomStringConvertible {
  /// The failure in a sentence, for people.
  public var description: String {
    switch self {
    case .shutDown: "The workspace has been shut down."
    case .failed(let reason): "\(reason)"
    }
  }
}
