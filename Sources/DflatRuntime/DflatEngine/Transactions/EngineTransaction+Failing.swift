import Dflat
import FlatBuffersCore

/// Whether a transaction accepts what its closure submits.
@usableFromInline
package enum TransactionStanding {
  case open
  case aborted
  case failed(TransactionError)
  /// The closure has returned.
  case ended
}

extension EngineTransaction {
  /// Checks that the transaction accepts submissions. Stops the program if the closure has returned.
  ///
  /// - Throws: `.aborted`, or the failure of the transaction.
  @inlinable
  package func checkAcceptsSubmissions() throws(TransactionError) {
    switch standing {
    case .open: break
    case .aborted: throw .aborted
    case .failed(let failure): throw failure
    case .ended: stopProgram(Self.endedMessage)
    }
  }

  /// Fails the whole transaction, and reports `error` to the error handler, since the returned error tells less than
  /// `error`.
  package func fail(_ error: any Error) -> TransactionError {
    let failure = TransactionError(error)
    rollBack(failing: failure)
    report(error)
    return failure
  }
}

/// An error of an engine's database.
package protocol DatabaseError: Error {
  /// Whether the disk was full.
  var isDiskFull: Bool { get }
}

extension TransactionError {
  /// Makes the error that a closure or caller gets in place of `error`, which goes to the error handler.
  package init(_ error: any Error) {
    self = (error as? any DatabaseError)?.isDiskFull ?? false ? .diskFull(error) : .others(error)
  }
}
