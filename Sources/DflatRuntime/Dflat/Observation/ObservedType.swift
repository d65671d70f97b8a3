import FlatBuffersCore

/// The standing queries and the subscribed objects of one type. Guarded by the lock of the observation.
package final class ObservedType: @unchecked Sendable {
  // Unchecked: what is variable is guarded by the owner's lock.

  /// What only the store knows about a type, whose objects are of no type here.
  package struct Access: Sendable {
    /// The rows that a request asks for, of what is committed.
    package let fetch: @Sendable (StandingQuery) throws -> StandingQuery.Rows
    /// The object that a row holds, none if there is no such row; nil if that is not known.
    package let object: @Sendable (_ rowid: Int64) throws -> (object: (any Atom)?, version: UInt64)?
    /// Whether two objects have the same values.
    package let isSame: @Sendable (AnyObject, AnyObject) -> Bool

    package init(
      fetch: @escaping @Sendable (StandingQuery) throws -> StandingQuery.Rows,
      object: @escaping @Sendable (_ rowid: Int64) throws -> (object: (any Atom)?, version: UInt64)?,
      isSame: @escaping @Sendable (AnyObject, AnyObject) -> Bool
    ) {
      self.fetch = fetch
      self.object = object
      self.isSame = isSame
    }
  }

  package let record: RecordDescription
  package let access: Access
  private let source: ObjectIdentifier
  private var index = PredicateIndex()
  /// The queries by their numbers.
  private var queries: ContiguousArray<StandingQuery?> = []
  private var freeNumbers: ContiguousArray<Int> = []
  private var byRequest: [StandingQuery.Request: StandingQuery] = [:]
  private var membership = Membership()
  /// The subscribers to single objects, by the rows of these.
  private var objects: [Int64: ObservedObject] = [:]
  /// The queries that are not current, by their numbers.
  private var outdated: [Int: StandingQuery] = [:]

  // What is used while a transaction is applied, and keeps its memory.
  private var matches: ContiguousArray<Int32> = []
  /// For each query, the number of the change that it was last found to match.
  private var marks: ContiguousArray<Int> = []
  private var markCount = 0
  private var edits: ContiguousArray<ContiguousArray<StandingQuery.RowEdit>> = []
  private var edited: ContiguousArray<Int> = []

  /// - Parameter source: the store that is asked, as fetched results name it.
  package init(_ record: RecordDescription, _ access: Access, of source: ObjectIdentifier) {
    self.record = record
    self.access = access
    self.source = source
  }

  package var isEmpty: Bool { byRequest.isEmpty && objects.isEmpty }

  // MARK: Subscribing

  /// The standing query for a request, which is made if nobody has subscribed to the same.
  package func query(for request: FetchRequest) -> StandingQuery {
    let shared = StandingQuery.Request(
      predicate: request.predicate, limit: request.limit, orderBy: request.orderBy, page: nil)
    if request.start == nil, let query = byRequest[shared] { return query }
    let id = freeNumbers.popLast() ?? queries.count
    let query = StandingQuery(request, of: source, id: id, isSame: access.isSame)
    if id == queries.count {
      queries.append(query)
      marks.append(0)
      edits.append([])
    } else {
      queries[id] = query
    }
    byRequest[query.identity] = query
    outdated[id] = query
    return query
  }

  /// Forgets a query if nobody subscribes to it any more.
  package func removeIfUnused(_ query: StandingQuery) {
    guard query.subscribers.isEmpty, queries[query.id] === query else { return }
    if query.isCurrent { index.remove(query.id) }
    outdated[query.id] = nil
    query.freshness = .outdated
    query.clear(&membership)
    queries[query.id] = nil
    byRequest[query.identity] = nil
    freeNumbers.append(query.id)
  }

  // MARK: Objects

  /// An object that is subscribed to.
  private struct ObservedObject {
    /// What its subscribers know.
    var object: any Atom
    /// The commit version at which the object was read that the first subscriber had; 0 if that is not known.
    let readVersion: UInt64
    /// The commit version that began with the change that was told last.
    var version: UInt64
    var subscribers: ContiguousArray<ObservationSubscriber> = []
  }

  /// Adds a subscriber to an object of this type.
  ///
  /// - Returns: whether it is known what the row holds now: if that is not `object`, the subscriber is told.
  package func add(
    _ subscriber: ObservationSubscriber, to object: any Atom, inRow rowid: Int64, readAt version: UInt64,
    _ deliveries: inout Deliveries
  ) -> Bool {
    if let index = objects.index(forKey: rowid) {
      objects.values[index].subscribers.append(subscriber)
      let known = objects.values[index].object
      if !access.isSame(known, object) { subscriber.post(.object(known), &deliveries) }
      return true
    }
    objects[rowid] = ObservedObject(
      object: object, readVersion: version, version: version, subscribers: [subscriber])
    return false
  }

  package func remove(_ subscriber: ObservationSubscriber, fromRow rowid: Int64) {
    objects[rowid]?.subscribers.removeAll { $0 === subscriber }
    if objects[rowid]?.subscribers.isEmpty == true { objects[rowid] = nil }
  }

  /// The rows of the objects that are subscribed to.
  package var observedRows: [Int64] { Array(objects.keys) }

  /// Tells the subscribers of a row what was read from it.
  ///
  /// - Parameters:
  ///   - object: nil if there is no such row.
  ///   - version: the commit version at which the row was read, at the earliest.
  package func update(
    _ rowid: Int64, to object: (any Atom)?, readAt version: UInt64, _ deliveries: inout Deliveries
  ) {
    // What a later commit has made of the row was told already.
    guard let known = objects[rowid], known.version <= version else { return }
    guard let object else { return tell(.deleted, toObserversOf: rowid, version, &deliveries) }
    if !access.isSame(known.object, object) { tell(.object(object), toObserversOf: rowid, version, &deliveries) }
  }

  private func tell(of change: RowChange, _ version: UInt64, _ deliveries: inout Deliveries) {
    guard let known = objects[change.rowid], version > known.readVersion else { return }
    if change.kind == .deleted { return tell(.deleted, toObserversOf: change.rowid, version, &deliveries) }
    // The object that was subscribed to may show the commit that is told only now.
    if version == known.readVersion + 1, access.isSame(known.object, change.object) { return }
    tell(.object(change.object), toObserversOf: change.rowid, version, &deliveries)
  }

  private func tell(
    _ update: ObservationSubscriber.Update, toObserversOf rowid: Int64, _ version: UInt64,
    _ deliveries: inout Deliveries
  ) {
    guard let index = objects.index(forKey: rowid) else { return }
    objects.values[index].version = version
    for subscriber in objects.values[index].subscribers { subscriber.post(update, &deliveries) }
    switch update {
    case .object(let object): objects.values[index].object = object
    case .deleted: objects.remove(at: index)
    case .result: break
    }
  }

  // MARK: Fetched queries

  /// The list of a query was fetched: it is brought up to date from what was committed meanwhile, and is current.
  ///
  /// If it is not, because that needs objects from the database, it has to be fetched again.
  ///
  /// - Parameter number: the number of the fetch.
  package func finishFetch(
    _ number: Int, of query: StandingQuery, _ rows: StandingQuery.Rows, _ deliveries: inout Deliveries
  ) {
    guard let backlog = query.endFetch(number) else { return }
    query.replace(with: rows, &membership)
    var version = rows.version
    for (commit, transaction) in backlog where commit > rows.version {
      version = commit
      if case .needsFetch = query.apply(rowEdits(of: transaction, for: query), &membership) { return }
    }
    setCurrent(query)
    query.post(nil, version: version, &deliveries)
  }

  /// Takes rows for the list of a query that nobody has subscribed to yet: a fetch would find the same.
  package func adopt(_ rows: StandingQuery.Rows, for query: StandingQuery) {
    query.replace(with: rows, &membership)
    setCurrent(query)
  }

  private func setCurrent(_ query: StandingQuery) {
    query.freshness = .current
    outdated[query.id] = nil
    index.insert(query.request.predicate, as: query.id)
  }

  /// Has a query fetched that is not current, in turn with the completion handlers, unless that was requested already.
  private func request(_ query: StandingQuery, _ deliveries: inout Deliveries) {
    if query.requestFetch() { deliveries.outdated.append((self, query)) }
  }

  /// What a transaction makes of rows, for one query alone.
  private func rowEdits(
    of transaction: CommittedTransaction, for query: StandingQuery
  ) -> ContiguousArray<StandingQuery.RowEdit> {
    var edits: ContiguousArray<StandingQuery.RowEdit> = []
    transaction.withMemory { memory in
      forEachRow(of: transaction) { change in
        guard let row = change.row(in: memory), query.matches(row) else {
          edits.append(StandingQuery.RowEdit(rowid: change.rowid, object: nil, key: nil))
          return
        }
        edits.append(
          StandingQuery.RowEdit(rowid: change.rowid, object: change.object, key: query.order.key(of: row)))
      }
    }
    return edits
  }

  /// Takes every query for outdated: another process has committed, and it is not known what.
  package func expireAll(_ deliveries: inout Deliveries) {
    for case let query? in queries {
      if query.isCurrent { expire(query, &deliveries) } else { request(query, &deliveries) }
    }
  }

  private func expire(_ query: StandingQuery, _ deliveries: inout Deliveries) {
    query.freshness = .outdated
    outdated[query.id] = query
    index.remove(query.id)
    request(query, &deliveries)
  }

  // MARK: Commits

  /// Calls `body` with the last change of each row of the type.
  private func forEachRow(of transaction: CommittedTransaction, _ body: (RowChange) -> Void) {
    let changes = transaction.changes
    var last: Int64 = .min
    var isAscending = true
    for change in changes where change.record === record {
      if change.rowid <= last { isAscending = false }
      last = change.rowid
    }
    if isAscending {
      for change in changes where change.record === record { body(change) }
      return
    }
    var latest: [Int64: Int] = [:]
    for (number, change) in changes.enumerated() where change.record === record { latest[change.rowid] = number }
    for (number, change) in changes.enumerated()
    where change.record === record && latest[change.rowid] == number { body(change) }
  }

  /// Applies a transaction of this workspace to all queries and objects.
  ///
  /// - Parameter version: the commit version that begins with its commit.
  package func apply(_ transaction: CommittedTransaction, version: UInt64, _ deliveries: inout Deliveries) {
    let hasCurrentQueries = byRequest.count > outdated.count
    transaction.withMemory { memory in
      forEachRow(of: transaction) { change in
        if !objects.isEmpty {
          tell(of: change, version, &deliveries)
        }
        if hasCurrentQueries { collectEdits(of: change, memory) }
      }
    }
    for id in edited {
      if let query = queries[id] { finishEdits(of: query, version: version, &deliveries) }
      edits[id].removeAll(keepingCapacity: true)
    }
    edited.removeAll(keepingCapacity: true)
    for query in outdated.values where query.keep(transaction, version) { request(query, &deliveries) }
  }

  /// Finds the queries whose result the change of a row concerns: those that have the row, and those that it matches.
  private func collectEdits(of change: RowChange, _ memory: UnsafeRawBufferPointer) {
    matches.removeAll(keepingCapacity: true)
    let row = change.row(in: memory)
    if let row { index.appendMatches(of: row, to: &matches) }
    markCount += 1
    // Queries with the same order share the keys of a row.
    var key: (order: [FetchKey], key: SortKey?)?
    for match in matches {
      let id = Int(match)
      guard let query = queries[id], let row else { continue }
      marks[id] = markCount
      if query.order.isByRow {
        addEdit(StandingQuery.RowEdit(rowid: change.rowid, object: change.object, key: nil), to: id)
      } else {
        if key?.order != query.request.orderBy { key = (query.request.orderBy, query.order.key(of: row)) }
        addEdit(StandingQuery.RowEdit(rowid: change.rowid, object: change.object, key: key?.key), to: id)
      }
    }
    for member in membership.queries(of: change.rowid) where marks[Int(member)] != markCount {
      addEdit(StandingQuery.RowEdit(rowid: change.rowid, object: nil, key: nil), to: Int(member))
    }
  }

  private func addEdit(_ edit: StandingQuery.RowEdit, to id: Int) {
    if edits[id].isEmpty { edited.append(id) }
    edits[id].append(edit)
  }

  private func finishEdits(of query: StandingQuery, version: UInt64, _ deliveries: inout Deliveries) {
    guard query.isCurrent, version > query.fetchedVersion else { return }
    switch query.apply(edits[query.id], &membership) {
    case .same: break
    case .changed(let difference): query.post(difference, version: version, &deliveries)
    case .needsFetch: expire(query, &deliveries)
    }
  }
}
