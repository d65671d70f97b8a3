/// A transaction's closure that may throw, and its result.
package final class TransactionAttempt<Value: Sendable>: @unchecked Sendable {
  // Unchecked: the closure was sent here, one thread runs it, and its result is looked at when that has been done.
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

  /// The closure's value, or its error, or the one because of which its changes are not stored.
  ///
  /// - Parameter failure: how the transaction has failed. It is nil when the changes are stored.
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
