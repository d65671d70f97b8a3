import Dflat

/// The events of a workspace: what its handlers are told of queries and transactions.
package final class StoreEvents: Sendable {
  package let queries: EventFeed<QueryEvent>
  package let transactions: EventFeed<TransactionEvent>

  /// - Parameters:
  ///   - scheduler: traces transactions while anybody listens.
  ///   - onListening: is called with whether anybody listens to queries, in the order of the changes.
  package init(_ scheduler: TransactionScheduler, onListening: @escaping @Sendable (Bool) -> Void = { _ in }) {
    queries = EventFeed { [weak scheduler] isListening in
      scheduler?.setListening(toQueries: isListening)
      onListening(isListening)
    }
    transactions = EventFeed { [weak scheduler] in scheduler?.setListening(toTransactions: $0) }
    scheduler.setTransactionFeed(transactions)
  }

  /// Answers a query, and tells of it, unless a handler of events has made it.
  ///
  /// - Parameters:
  ///   - type: the name of the objects' type.
  ///   - answer: is given what collects the event; nil if nobody is told.
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
