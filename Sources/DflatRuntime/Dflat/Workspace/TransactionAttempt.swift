/// The throwing closure of a transaction, and the result of running it.
package final class TransactionAttempt<Value: Sendable>: @unchecked Sendable {
  // Unchecked: the closure was sent here, one thread runs it, and the result is read after that thread has finished.
  private let changesHandler: (any TransactionContext) throws -> Value
  private var result: Result<Value, any Error>?

  package init(_ changesHandler: sending @escaping (any TransactionContext) throws -> Value) {
    self.changesHandler = changesHandler
  }

  /// Calls the closure, and aborts the transaction when it throws.
  package func run(in context: any TransactionContext) {
    result = Result { try changesHandler(context) }
    if case .failure = result { context.abort() }
  }

  /// Returns the closure's value, or throws its error or the transaction's.
  ///
  /// - Parameter failure: how the transaction has failed; nil if its changes are stored.
  /// - Throws: the closure's error; `CancellationError` if the closure did not run; else `failure`.
  package func outcome(failure: TransactionError?) throws -> Value {
    switch (result, failure) {
    case (.failure(let error), _): throw error
    case (.success(let value), nil): return value
    // The closure did not run: the task was cancelled before, or the workspace was shut down.
    case (nil, .aborted): throw CancellationError()
    case (_, let failure): throw failure ?? .others
    }
  }
}
