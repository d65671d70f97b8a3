import FlatBuffersCore

/// The standing queries and the subscribed objects of one type. The observation's lock guards it.
package final class ObservedType: @unchecked Sendable {
  // Unchecked: the variables are guarded by the owner's lock.

  package let record: RecordDescription
  package let access: Access
  private let source: ObjectIdentifier
  // Exclusivity is unchecked in the variables used for each changed row: one thread uses them at a time, and nothing
  // called from here leads back here. With the checks, a transaction takes a fifth longer while 10,000 queries are
  // observed that do not match its rows: the benchmark row "update beside 10,000 others".
  private let index = PredicateIndex()
  /// The queries by their numbers; nil for free numbers.
  @exclusivity(unchecked) private var queries: ContiguousArray<StandingQuery?> = []
  private var freeNumbers: ContiguousArray<Int> = []
  private var byRequest: [StandingQuery.Request: StandingQuery] = [:]
  @exclusivity(unchecked) private var membership = Membership()
  /// The subscribed objects by their rows.
  @exclusivity(unchecked) var objects: [Int64: ObservedObject] = [:]
  /// The subscribers to objects whose updates are held back until the row has been read, by their rows.
  var awaitingReads: [Int64: ContiguousArray<ObservationSubscriber>] = [:]
  /// The subscribed objects whose rows are not known.
  package internal(set) var unplacedObjects: [UnplacedObject] = []
  /// The queries that are not current, by their numbers.
  private(set) var outdated: [Int: StandingQuery] = [:]
  var failedReads = FailedReads()

  /// The orders of the queries, shared by queries with the same keys.
  private var orders: [[FetchKey]: SharedOrder] = [:]

  /// The number of registrations so far. A query is registered when its list becomes current, and an object when it
  /// gets its first subscriber. From then on, each change is looked up for it.
  var registrationCount = 0

  // Scratch memory for applying a transaction, kept from one to the next.
  @exclusivity(unchecked) private var ownChanges = ObservedChanges(registrationCount: .max, isComplete: true)
  @exclusivity(unchecked) private var edits: ContiguousArray<StandingQuery.RowEdit> = []
  @exclusivity(unchecked) private var keyedEdits = KeyedEdits()
  /// The largest capacity of `edits` that is kept for the next transaction. A larger list is freed.
  private static let keptEditCount = 1024

  /// Makes the registry of one type.
  ///
  /// - Parameter source: the store, as the origin of fetched results names it.
  package init(_ record: RecordDescription, _ access: Access, of source: ObjectIdentifier) {
    self.record = record
    self.access = access
    self.source = source
  }

  package var isEmpty: Bool { byRequest.isEmpty && objects.isEmpty && unplacedObjects.isEmpty }

  /// All subscribers to objects and results.
  package var subscribers: [ObservationSubscriber] {
    objects.values.flatMap(\.subscribers) + byRequest.values.flatMap(\.subscribers)
      + unplacedObjects.map(\.subscriber)
  }

  // MARK: Subscribing

  /// Returns the standing query for a request. It is made unless there is an equal one that may be shared.
  package func query(for request: FetchRequest) -> StandingQuery {
    if let query = sharedQuery(for: request) { return query }
    let id = freeNumbers.popLast() ?? queries.count
    let order = orders[request.orderBy] ?? SharedOrder(request.orderBy)
    orders[request.orderBy] = order
    order.queryCount += 1
    let query = StandingQuery(request, of: source, id: id, order)
    if id == queries.count {
      queries.append(query)
    } else {
      queries[id] = query
    }
    byRequest[query.identity] = query
    outdated[id] = query
    return query
  }

  /// Returns the standing query with an equal request; nil if there is none, or the request must not share it.
  package func sharedQuery(for request: FetchRequest) -> StandingQuery? {
    if request.start != nil { return nil }
    return byRequest[
      StandingQuery.Request(predicate: request.predicate, limit: request.limit, orderBy: request.orderBy, page: nil)]
  }

  /// Removes a query if it has no subscriber left.
  package func removeIfUnused(_ query: StandingQuery) {
    guard query.subscribers.isEmpty, queries[query.id] === query else { return }
    if query.isCurrent { index.remove(query.id) }
    outdated[query.id] = nil
    query.freshness.setOutdated()
    query.clear(&membership)
    queries[query.id] = nil
    query.sharedOrder.queryCount -= 1
    if query.sharedOrder.queryCount == 0 { orders[query.request.orderBy] = nil }
    byRequest[query.identity] = nil
    freeNumbers.append(query.id)
    endFailuresIfAllIsRead()
  }

  // MARK: Fetched queries

  /// Replaces the list of a query by fetched rows, and applies the transactions that were committed meanwhile. The
  /// list is then current, and posted.
  ///
  /// If a transaction cannot be applied without more objects of the database, the list stays outdated and has to be
  /// fetched again.
  ///
  /// - Returns: whether the rows are posted although the list stays outdated.
  @discardableResult
  package func finishFetch(
    _ number: Int, of query: StandingQuery, _ rows: StandingQuery.Rows, _ deliveries: inout Deliveries
  ) -> Bool {
    switch query.endFetch(number) {
    case .replaced: return false
    case .outdated: return postIfOverdue(rows, of: query, &deliveries)
    case .complete(let backlog):
      query.replace(with: rows, &membership)
      var version = rows.version
      for (commit, transaction) in backlog where commit > rows.version {
        // Not all changes of the transaction were kept: the query has to be fetched again.
        guard let transaction else { return postIfOverdue(rows, of: query, &deliveries) }
        version = commit
        if case .needsFetch = query.apply(rowEdits(of: transaction, for: query), &membership) {
          return postIfOverdue(rows, of: query, &deliveries)
        }
      }
      setCurrent(query)
      endFailuresIfAllIsRead()
      query.post(nil, version: version, &deliveries)
      return false
    }
  }

  /// Posts the rows of a fetch that has left the list outdated, if the fetches before it have done so, too. The rows
  /// are a committed state, which is no older than the one that was posted last.
  ///
  /// - Returns: whether they are posted.
  private func postIfOverdue(
    _ rows: StandingQuery.Rows, of query: StandingQuery, _ deliveries: inout Deliveries
  ) -> Bool {
    // A store that is shut down or released finds no rows, at version 0.
    guard query.freshness.noteOutdatedFetch(), rows.version >= query.changedVersion else { return false }
    query.replace(with: rows, &membership)
    query.postOutdated(version: rows.version, &deliveries)
    return true
  }

  /// Makes rows the list of a query without subscribers. They must be those that a fetch would find now.
  package func adopt(_ rows: StandingQuery.Rows, for query: StandingQuery) {
    query.replace(with: rows, &membership)
    setCurrent(query)
  }

  private func setCurrent(_ query: StandingQuery) {
    registrationCount += 1
    query.registration = registrationCount
    query.freshness.setCurrent()
    outdated[query.id] = nil
    index.insert(query.request.predicate, as: query.id)
  }

  /// Requests a fetch of a query in turn with the completion handlers, unless one is requested already.
  func request(_ query: StandingQuery, _ deliveries: inout Deliveries) {
    if query.freshness.requestFetch() { deliveries.outdated.append((self, query)) }
  }

  /// Returns the changes of a transaction as edits for one query.
  private func rowEdits(
    of transaction: CommittedTransaction, for query: StandingQuery
  ) -> ContiguousArray<StandingQuery.RowEdit> {
    var rows = ChangedRows()
    rows.take(transaction, of: record)
    return ContiguousArray(
      rows.all.map { row in
        guard let table = transaction.row(at: row.change), query.matches(table) else {
          return StandingQuery.RowEdit(row, object: nil, key: nil)
        }
        return StandingQuery.RowEdit(row, object: row.object, key: query.order.key(of: table))
      })
  }

  // MARK: Commits

  /// Applies a transaction of this workspace, all of whose changes were kept, to all queries and objects.
  ///
  /// - Parameter version: the commit version that began with the transaction's commit.
  package func apply(_ transaction: CommittedTransaction, version: UInt64, _ deliveries: inout Deliveries) {
    ownChanges.rows.take(transaction, of: record)
    ownChanges.concerned.removeAll()
    if byRequest.count > outdated.count {
      for position in ownChanges.rows.all.indices {
        let row = ownChanges.rows.all[position]
        let pairs = findQueries(row.rowid, transaction.bytes(at: row.change), &ownChanges.concerned)
        ownChanges.rows.setPairs(pairs, ofRowAt: position)
      }
    }
    apply(&ownChanges, of: transaction, version: version, &deliveries)
  }

  /// Finds the queries that a changed row concerns: those whose results have the row, and those that it matches.
  ///
  /// - Parameter bytes: the encoded object; empty if the row was deleted.
  /// - Returns: the range of the row's pairs in `concerned`.
  private func findQueries(
    _ rowid: Int64, _ bytes: UnsafeRawBufferPointer, _ concerned: inout ConcernedQueries
  ) -> Range<Int> {
    concerned.append(queryCount: queries.count, members: membership.queries(ofChangedRow: rowid)) { matches in
      if !bytes.isEmpty { index.appendMatches(of: FlatBufferTable(ofEncoded: bytes), to: &matches) }
    }
  }

  /// Begins to collect the changes of a transaction that writes before its closure has ended, as far as they concern
  /// subscribers.
  package func beginCollecting() -> ObservedChanges {
    ObservedChanges(registrationCount: registrationCount, isComplete: !outdated.isEmpty)
  }

  /// Finds the queries that a collected change concerns, while its transaction is writing.
  ///
  /// - Parameter bytes: the encoded object; empty if the row was deleted.
  /// - Returns: the range of the row's pairs in `changes`; nil if the change need not be kept.
  package func find(
    changeOf rowid: Int64, _ bytes: UnsafeRawBufferPointer, in changes: inout ObservedChanges
  ) -> Range<Int>? {
    let pairs = findQueries(rowid, bytes, &changes.concerned)
    if !pairs.isEmpty || changes.isComplete || !objects.isEmpty && objects[rowid] != nil { return pairs }
    // A kept change of the row is no longer the last one if the row changes again.
    return !changes.rows.isEmpty && changes.rows.contains(rowid) ? pairs : nil
  }

  /// Applies the collected changes of a transaction that is now committed.
  ///
  /// - Parameter version: the commit version that began with the commit.
  package func apply(
    collected changes: inout ObservedChanges, of transaction: CommittedTransaction, version: UInt64,
    _ deliveries: inout Deliveries
  ) {
    changes.rows.sort()
    apply(&changes, of: transaction, version: version, &deliveries)
    if changes.registrationCount < registrationCount {
      update(registeredAfter: changes, transaction, version: version, &deliveries)
    }
  }

  private func apply(
    _ changes: inout ObservedChanges, of transaction: CommittedTransaction, version: UInt64,
    _ deliveries: inout Deliveries
  ) {
    if !objects.isEmpty {
      for row in changes.rows.all { tell(of: transaction.changes[row.change], version, &deliveries) }
    }
    if !unplacedObjects.isEmpty { deliveries.hasUnknownObjects = true }
    changes.concerned.group(changes.rows.all, queryCount: queries.count)
    editQueries(changes, transaction, version: version, &deliveries)
    for query in outdated.values
    where query.freshness.keep(changes.isComplete ? transaction : nil, version) {
      request(query, &deliveries)
    }
  }

  /// Updates the queries and objects that were registered while the transaction was being applied, so that its changes
  /// were not looked up for them.
  private func update(
    registeredAfter changes: ObservedChanges, _ transaction: CommittedTransaction, version: UInt64,
    _ deliveries: inout Deliveries
  ) {
    for case let query? in queries
    where query.isCurrent && query.registration > changes.registrationCount && version > query.fetchedVersion {
      guard changes.isComplete else {
        expire(query, &deliveries)
        continue
      }
      settle(query, query.apply(rowEdits(of: transaction, for: query), &membership), version: version, &deliveries)
    }
    if objects.values.contains(where: { $0.registration > changes.registrationCount }) {
      deliveries.hasUnknownObjects = true
    }
  }

  /// Has all results and objects read again, because it is not known what has changed.
  package func expireAll(_ deliveries: inout Deliveries) {
    for case let query? in queries {
      if query.isCurrent { expire(query, &deliveries) } else { request(query, &deliveries) }
    }
    if !objects.isEmpty || !unplacedObjects.isEmpty { deliveries.hasUnknownObjects = true }
  }

  private func expire(_ query: StandingQuery, _ deliveries: inout Deliveries) {
    query.freshness.setOutdated()
    outdated[query.id] = query
    index.remove(query.id)
    request(query, &deliveries)
  }

  private func settle(
    _ query: StandingQuery, _ outcome: StandingQuery.Outcome, version: UInt64, _ deliveries: inout Deliveries
  ) {
    switch outcome {
    case .same: break
    case .changed(let difference): query.post(difference, version: version, &deliveries)
    case .needsFetch: expire(query, &deliveries)
    }
  }

  /// Changes the results of the queries that the changes concern.
  private func editQueries(
    _ changes: ObservedChanges, _ transaction: CommittedTransaction, version: UInt64, _ deliveries: inout Deliveries
  ) {
    membership.beginExchange()
    for group in changes.concerned.groups {
      // If the changes were collected, another query may have this number by now.
      guard let query = queries[Int(group.query)], query.isCurrent, query.registration <= changes.registrationCount,
        version > query.fetchedVersion
      else { continue }
      settle(query, edit(query, group, changes, transaction), version: version, &deliveries)
    }
    membership.endExchange(changes.rows.all, changes.concerned)
    edits.removeAll(keepingCapacity: edits.capacity <= ObservedType.keptEditCount)
    if !keyedEdits.isEmpty { keyedEdits.end() }
    for order in orders.values { order.forgetKeys() }
  }

  private func edit(
    _ query: StandingQuery, _ group: ConcernedQueries.Group, _ changes: ObservedChanges,
    _ transaction: CommittedTransaction
  ) -> StandingQuery.Outcome {
    let count = group.end - group.start
    if query.isToMerge(count) {
      return changes.concerned.rows.withUnsafeBufferPointer { concerned in
        changes.rows.all.withUnsafeBufferPointer { rows in
          query.merge(count, &membership) { position in
            let row = rows[concerned[group.start + position].position]
            return (row.rowid, concerned[group.start + position].isMatch ? row.unretainedObject : nil)
          }
        }
      }
    }
    if query.isToMergeByKey(count) { return mergeByKey(query, group, changes, transaction) }
    edits.removeAll(keepingCapacity: true)
    for concerned in changes.concerned.rows[group.start..<group.end] {
      let row = changes.rows.all[concerned.position]
      if concerned.isMatch {
        let key = query.sharedOrder.key(ofRow: concerned.position, of: changes.rows.all, in: transaction)
        edits.append(StandingQuery.RowEdit(row, object: row.object, key: key))
      } else {
        edits.append(StandingQuery.RowEdit(row, object: nil, key: nil))
      }
    }
    return query.apply(edits, &membership)
  }

  private func mergeByKey(
    _ query: StandingQuery, _ group: ConcernedQueries.Group, _ changes: ObservedChanges,
    _ transaction: CommittedTransaction
  ) -> StandingQuery.Outcome {
    let rows = changes.rows.all
    if keyedEdits.isEmpty { keyedEdits.begin(rows) }
    keyedEdits.removeAll()
    for concerned in changes.concerned.rows[group.start..<group.end] where concerned.isMatch {
      let position = concerned.position
      let order = query.sharedOrder
      if query.isAfterStart(order.key(ofRow: position, of: rows, in: transaction), rows[position].rowid) {
        keyedEdits.want(position)
      }
    }
    return query.merge(&keyedEdits, rows, of: transaction, &membership)
  }
}
