import Dflat

/// The events of a workspace: the feeds of its query and transaction events.
package final class StoreEvents: Sendable {
  package let queries: EventFeed<QueryEvent>
  package let transactions: EventFeed<TransactionEvent>

  /// Makes the feeds of a workspace.
  /// - Parameters:
  ///   - scheduler: traces transactions while there are handlers.
  ///   - onListening: is called with true when query events get their first handler, and with false when they lose the
  ///     last one, in this order.
  package init(_ scheduler: TransactionScheduler, onListening: @escaping @Sendable (Bool) -> Void = { _ in }) {
    queries = EventFeed { [weak scheduler] isListening in
      scheduler?.setListening(toQueries: isListening)
      onListening(isListening)
    }
    transactions = EventFeed { [weak scheduler] in scheduler?.setListening(toTransactions: $0) }
    scheduler.setTransactionFeed(transactions)
  }

  /// Answers a query and appends its event. Appends no event if a handler of events makes the query.
  ///
  /// - Parameters:
  ///   - type: the name of the objects' type.
  ///   - answer: answers the query. Its argument collects the contents of the event; nil if there will be none.
  package func trace<Answer>(
    queryOf type: @autoclosure () -> String, inTransaction: Bool,
    _ answer: (QueryTrace?) throws(StoreError) -> Answer
  ) throws(StoreError) -> Answer {
    if EventHandling.isActive { return try answer(nil) }
    let trace = QueryTrace(type())
    let begun = ContinuousClock.now
    var failure: StoreError?
    defer {
      queries.append(
        QueryEvent(
          plan: trace.plan, rowsRead: trace.rowsRead, rowsReturned: trace.rowsReturned,
          duration: begun.duration(to: .now),
          error: failure, isInTransaction: inTransaction))
    }
    do throws(StoreError) {
      return try answer(trace)
    } catch {
      failure = error
      throw error
    }
  }
}

extension StoreEngine {
  package func onQuery(_ handler: @escaping @Sendable (QueryEvent) -> Void) -> any WorkspaceSubscription {
    events.queries.add(handler)
  }

  package func onTransaction(_ handler: @escaping @Sendable (TransactionEvent) -> Void) -> any WorkspaceSubscription {
    events.transactions.add(handler)
  }
}
