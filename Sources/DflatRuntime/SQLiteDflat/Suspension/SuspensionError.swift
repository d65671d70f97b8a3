import Dflat
import DflatEngine

/// Why a workspace could not be suspended, or why it refuses a call while it is suspended.
///
/// ```swift
/// do {
///   try await workspace.suspend()
/// } catch SuspensionError.transactionInProgress {
///   print("a transaction takes too long")
/// }
/// ```
///
/// The `cause` of a transaction's error is such an error if the transaction failed since the workspace was suspended;
/// its `mayBeTriedAgain` is true then.
///
/// See also: Documentation/app-groups.md.
public enum SuspensionError: Error, Hashable, Sendable {
  /// The workspace is suspended, and the call was not carried out. It may be repeated after `resume()`.
  case suspended
  /// A transaction had the writer for the whole time: its closure has neither returned, nor fetched or submitted
  /// anything.
  case transactionInProgress
  /// A snapshot, a fetch or a backup was open for the whole time.
  case readingInProgress
  /// `suspend` was called inside a transaction or a snapshot of the workspace: it would wait for itself.
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
