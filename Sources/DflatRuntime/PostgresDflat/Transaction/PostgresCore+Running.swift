import Dflat
import DflatEngine

extension PostgresCore: TransactionRunner {
  func run(_ queued: QueuedTransaction) {
    let failure = queued.run { runUntilSettled(queued) }
    completions.appendCompletion(of: queued, failure)
  }

  func closureHasEnded(hasNext: Bool) {}

  /// Runs the closure of a transaction, again and again if necessary, until its changes are stored or it has failed.
  /// Returns the failure; nil if the changes are stored.
  private func runUntilSettled(_ queued: QueuedTransaction) -> TransactionError? {
    if options.runsClosuresTwice { _ = attempt(queued, isCareful: false, isTrial: true) }
    var pauses = RetryPauses(options.retry)
    var numberPauses = RowNumbering.pauses
    var hasForgottenTables = false
    // Without retries, a taken key has to be reported at once.
    var isCareful = options.retry == .never
    while true {
      switch attempt(queued, isCareful: isCareful, isTrial: false) {
      case .committed: return nil
      case .failed(let failure): return failure
      case .again(.takenKey): isCareful = true
      case .again(.preparation(let record)):
        do {
          try prepareForWriting(record)
        } catch {
          reportLater(error)
          return TransactionError(error)
        }
      case .again(.missingTable(let error)):
        // Look for the table once more; it is made if it is missing.
        catalog.forgetAll()
        if hasForgottenTables {
          reportLater(error)
          return TransactionError(error)
        }
        hasForgottenTables = true
      case .again(.takenKeyNumber(let error)):
        do {
          guard try numbering.recover(from: error, in: DictionaryTable.record), numberPauses.wait() else { throw error }
        } catch {
          reportLater(error)
          return TransactionError(error)
        }
      case .again(.conflict(let error)):
        if error.cause == .connectionLost { pool.dropIdle() }
        guard pauses.wait() else {
          reportLater(error)
          return TransactionError(error)
        }
      }
    }
  }

  private func attempt(_ queued: QueuedTransaction, isCareful: Bool, isTrial: Bool) -> PostgresTransaction.Outcome {
    let transaction = PostgresTransaction(self, types: queued.types, isCareful: isCareful)
    CurrentTransaction.run(transaction) { queued.callChangesHandler(in: transaction) }
    let outcome = transaction.end(isTrial: isTrial)
    queued.trace?.changes = transaction.changes
    return outcome
  }
}
