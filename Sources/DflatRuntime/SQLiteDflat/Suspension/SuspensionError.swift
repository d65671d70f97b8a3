import Dflat
import DflatEngine

/// Why a workspace could not be suspended, or refused a call since it is suspended.
public enum SuspensionError: Error, Hashable, Sendable {
  /// The workspace is suspended, so that the call was not carried out. After `resume()` it may be made again.
  case suspended
  /// A transaction kept the writer for the whole time: its closure has neither returned, nor fetched or submitted anything.
  case transactionInProgress
  /// A snapshot, a fetch or a backup was open for the whole time.
  case readingInProgress
  /// `suspend` was called inside of a transaction or a snapshot of the workspace: it would wait for itself.
  case calledInside
  /// `resume()` or `shutdown()` was called before the workspace was suspended.
  case resumed
}

extension SuspensionError: CustomStringConvertible {
  /// The error as an English text.
  public var description: String {
    switch self {
    case .suspended:
      "The workspace is suspended: call resume() on it, and then make the call again."
    case .transactionInProgress:
      """
      The workspace could not be suspended in time, since a transaction kept the writer: its closure has neither returned, nor \
      fetched or submitted anything.
      """
    case .readingInProgress:
      "The workspace could not be suspended in time, since a snapshot, a fetch or a backup was open for the whole time."
    case .calledInside:
      "A workspace cannot be suspended inside of its own transaction or snapshot: it would wait for itself."
    case .resumed:
      "resume() or shutdown() was called before the workspace was suspended."
    }
  }
}

extension SuspensionError: TransientError {
  package var isTransient: Bool { self == .suspended }
}
