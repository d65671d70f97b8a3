import Dflat

/// The subscriptions of a workspace. It hears of each commit from the change feed, updates the results of standing
/// queries, and has their subscribers told.
///
/// The thread that commits updates the results, under one lock. Callbacks are called later, by the thread that calls
/// completion handlers, and before the handlers of the commit. They may use the workspace freely.
package final class Observation: ChangeFeedListener {
  let state = Guarded(State(), rank: .observation)
  private let feed: any ChangeFeed
  let completions: Completions
  let report: @Sendable (any Error) -> Void
  private let watcher: any ForeignCommitSource

  struct State {
    var types: [ObjectIdentifier: ObservedType] = [:]
    var isListening = false
    var isClosed = false
    /// The streams that end when the workspace is closed.
    var streams: [ObjectIdentifier: ObservationSubscriber] = [:]
    /// The version of the last commit of this workspace that subscribers were told of.
    var toldVersion: UInt64 = 0
    /// Whether a call that reads all subscribed objects waits to be made.
    var isReadRequested = false
    /// Subscribers that are told nothing until the commit that is being published has been told. While that is being
    /// published, a commit of others does not end this, whatever its version is.
    var held: [ObservationSubscriber] = []

    /// Records that the commit of this workspace with which `version` began was told, and lets subscribers that were
    /// held have their updates.
    mutating func didTell(_ version: UInt64, _ deliveries: inout Deliveries) {
      toldVersion = max(toldVersion, version)
      endHolds(&deliveries)
    }

    /// Records that a commit of others was told. If nothing is being published any more, subscribers that were held have
    /// their updates: what they have waited for was a commit of others, which came just after a rollback.
    mutating func didTellOfOthers(_ feed: any ChangeFeed, _ deliveries: inout Deliveries) {
      if feed.versionBeingPublished <= toldVersion { endHolds(&deliveries) }
    }

    private mutating func endHolds(_ deliveries: inout Deliveries) {
      guard !held.isEmpty else { return }
      for subscriber in held { subscriber.endHold(&deliveries) }
      held = []
    }

    /// Holds a subscriber's updates until the commit that is being published has been told, if there is one.
    ///
    /// - Parameter object: the object that is subscribed to; nil for a result.
    /// - Returns: whether there is one.
    @discardableResult
    mutating func hold(_ subscriber: ObservationSubscriber, having object: AnyObject?, _ feed: any ChangeFeed) -> Bool {
      guard feed.versionBeingPublished > toldVersion else { return false }
      subscriber.beginHold(having: object)
      held.append(subscriber)
      return true
    }
  }

  /// Makes the observation of a workspace, without subscriptions.
  /// - Parameter watcher: looks for commits of other processes while it is started.
  package init(
    feed: any ChangeFeed, completions: Completions, watcher: any ForeignCommitSource,
    report: @escaping @Sendable (any Error) -> Void
  ) {
    self.feed = feed
    self.completions = completions
    self.watcher = watcher
    self.report = report
  }

  // MARK: The change feed

  package func transactionsHaveCommitted(_ transactions: [CommittedTransaction], version: UInt64) {
    var deliveries = Deliveries()
    state.withLock { state in
      for transaction in transactions {
        // Mostly all changes of a transaction are of one type.
        var applied: RecordDescription?
        var others: [ObjectIdentifier] = []
        // By the index: a copy of a change counts references.
        for position in transaction.changes.indices where transaction.changes[position].record !== applied {
          let record = transaction.changes[position].record
          let type = ObjectIdentifier(record)
          if applied != nil {
            if others.isEmpty, let applied { others.append(ObjectIdentifier(applied)) }
            if others.contains(type) { continue }
            others.append(type)
          }
          applied = record
          state.types[type]?.apply(transaction, version: version, &deliveries)
        }
      }
      state.didTell(version, &deliveries)
    }
    dispatch(deliveries)
  }

  package func unknownTransactionsHaveCommitted(version: UInt64) { expireAll(afterOwnCommit: version) }

  package func othersHaveCommitted(version: UInt64) { expireAll(afterOwnCommit: nil) }

  /// Has all results and objects read again, because it is not known what has changed.
  ///
  /// - Parameter version: the version that began with a commit of this workspace; nil after a commit of others.
  private func expireAll(afterOwnCommit version: UInt64?) {
    var deliveries = Deliveries()
    state.withLock { state in
      for type in state.types.values { type.expireAll(&deliveries) }
      if let version { state.didTell(version, &deliveries) } else { state.didTellOfOthers(feed, &deliveries) }
    }
    dispatch(deliveries)
    completions.makeCallsInBackground()
  }

  package func makeCollector() -> any ChangeCollector { ObservedTransaction(self) }

  /// Keeps the changes of an applied set that subscribers have to be told of.
  func collect(_ set: WriteSet, in transaction: ObservedTransaction) {
    state.withLock { transaction.collect(set, $0.types) }
  }

  /// Updates the results after the commit of a transaction whose changes were collected while it was writing.
  ///
  /// - Parameter version: the commit version that began with the commit.
  func transactionHasCommitted(_ transaction: ObservedTransaction, version: UInt64) {
    var deliveries = Deliveries()
    state.withLock { state in
      transaction.apply(to: state.types, version: version, &deliveries)
      state.didTell(version, &deliveries)
    }
    dispatch(deliveries)
  }

  // MARK: Calls

  /// Tells subscribers: resumes waiting streams, and appends the callbacks. The caller holds no lock.
  func dispatch(_ deliveries: consuming Deliveries) {
    for (continuation, update) in deliveries.resumptions { continuation.resume(returning: update) }
    var calls: [() -> Void] = []
    if deliveries.hasUnknownObjects, requestRead() { calls.append { self.readObjects() } }
    for (type, query) in deliveries.outdated { calls.append { self.fetch(query, of: type, inTurn: true) } }
    for subscriber in deliveries.callbacks { calls.append { self.callBack(subscriber) } }
    completions.appendCallbacks(calls)
  }

  func callBack(_ subscriber: ObservationSubscriber) {
    let caller = completions.runningCallback
    var isFirst = true
    while let (callback, update) = state.withLock({ _ in subscriber.takeForCallback(as: caller, isFirst: isFirst) }) {
      isFirst = false
      callback(update)
    }
    // Another call may deliver what this one was appended for. If it has ended since, it has delivered that.
    guard isFirst, let deliverer = state.withLock({ _ in subscriber.deliverer }) else { return }
    completions.wait(forCallback: deliverer)
  }

  // MARK: Subscribing

  private func type(
    of record: RecordDescription, _ access: ObservedType.Access, in state: inout State, source: ObjectIdentifier
  ) -> ObservedType {
    if !state.isListening {
      // The feed tells what is published from now on, so what is added below misses nothing.
      feed.setListener(self)
      watcher.start()
      state.isListening = true
    }
    let key = ObjectIdentifier(record)
    if let type = state.types[key] { return type }
    let type = ObservedType(record, access, of: source)
    state.types[key] = type
    return type
  }

  /// Subscribes to a result.
  ///
  /// - Parameters:
  ///   - rows: the result that the subscriber has; its version is 0 if it is unknown which commits came after it.
  ///   - origin: the request of the result, and its workspace.
  package func subscribe(
    _ subscriber: ObservationSubscriber, to rows: StandingQuery.Rows, _ origin: FetchOrigin,
    _ record: RecordDescription,
    _ access: ObservedType.Access
  ) -> ObservationSubscription {
    // Without a version, it is unknown whether the result shows commits that the list of the shared query lacks.
    if rows.version == 0, isShared(origin.request, record) { access.waitUntilTold() }
    var deliveries = Deliveries()
    let target: (type: ObservedType, query: StandingQuery)? = state.withLock { state in
      if state.isClosed { return nil }
      let type = type(of: record, access, in: &state, source: origin.source)
      if !origin.isExact { state.hold(subscriber, having: nil, feed) }
      let query = type.query(for: origin.request)
      var hasList = false
      if query.subscribers.isEmpty, query.order.isByRow, origin.isExact, rows.version == feed.version {
        // A fetch would find what the subscriber has.
        type.adopt(rows, for: query)
        hasList = true
      }
      query.add(subscriber, from: rows.version, hasList: hasList, &deliveries)
      if case .stream = subscriber.sink { state.streams[ObjectIdentifier(subscriber)] = subscriber }
      return (type, query)
    }
    guard let target else { return closed(subscriber) }
    dispatch(deliveries)
    fetch(target.query, of: target.type, inTurn: false)
    completions.makeCallsInBackground()
    return ObservationSubscription(self, subscriber) {
      target.query.remove(subscriber)
      target.type.removeIfUnused(target.query)
    }
  }

  /// Returns whether a subscriber to a request would share the query of earlier subscribers.
  private func isShared(_ request: FetchRequest, _ record: RecordDescription) -> Bool {
    state.withLock { $0.types[ObjectIdentifier(record)]?.sharedQuery(for: request) != nil }
  }

  /// Subscribes to an object. If its row cannot be looked up, the subscriber waits until a later attempt succeeds.
  package func subscribe(
    _ subscriber: ObservationSubscriber, to object: any Atom, _ record: RecordDescription,
    _ access: ObservedType.Access, source: ObjectIdentifier
  ) -> ObservationSubscription {
    let row = Result { try access.row(object) }
    let unplaced = UnplacedObject(subscriber, object)
    var deliveries = Deliveries()
    let target: (type: ObservedType, isKnown: Bool, awaitsRead: Bool)? = state.withLock { state in
      if state.isClosed { return nil }
      if case .stream = subscriber.sink { state.streams[ObjectIdentifier(subscriber)] = subscriber }
      let type = type(of: record, access, in: &state, source: source)
      guard case .success(let rowid) = row else {
        type.keep(unplaced)
        return (type, true, false)
      }
      unplaced.rowid = rowid
      let isKnown = add(subscriber, to: object, rowid, of: type, &state, &deliveries)
      return (type, isKnown, rowid.map { type.awaitsRead(subscriber, ofRow: $0) } ?? false)
    }
    guard let target else { return closed(subscriber) }
    dispatch(deliveries)
    switch row {
    case .success(let rowid):
      if !target.isKnown, let rowid,
        target.awaitsRead || !feed.isUnchanged(ObjectIdentifier(record), rowid, since: object._commitVersion)
      {
        read(rowid, of: target.type)
      }
    case .failure(let error): noteFailure(of: target.type, error)
    }
    completions.makeCallsInBackground()
    return ObservationSubscription(self, subscriber) { target.type.remove(unplaced) }
  }

  /// Adds a subscriber to an object.
  ///
  /// - Parameter rowid: the row that holds the object; nil if no row does. Then the subscriber is told that the object
  ///   is deleted.
  /// - Returns: false if the caller has to read the row.
  func add(
    _ subscriber: ObservationSubscriber, to object: any Atom, _ rowid: Int64?, of type: ObservedType,
    _ state: inout State, _ deliveries: inout Deliveries
  ) -> Bool {
    guard let rowid else {
      subscriber.post(.deleted, &deliveries)
      return true
    }
    let isHeld = state.hold(subscriber, having: object, feed)
    let version = feed.isOwn(object._commitVersion) ? object._commitVersion : 0
    return type.add(subscriber, to: object, inRow: rowid, readAt: version, isHeld: isHeld, &deliveries)
  }

  /// Returns a subscription that is told nothing, since the workspace has been shut down. The subscriber ends.
  private func closed(_ subscriber: ObservationSubscriber) -> ObservationSubscription {
    state.withLock { _ in subscriber.end() }.finish()
    return ObservationSubscription(self, subscriber) {}
  }

  // MARK: Taking and ending

  /// Waits for the next update of a stream; nil if none will come.
  package func next(for subscriber: ObservationSubscriber) async -> ObservationSubscriber.Update? {
    await withCheckedContinuation { continuation in
      let next = state.withLock { _ in subscriber.takeOrWait(continuation) }
      if let next { continuation.resume(returning: next) }
    }
  }

  /// Cancels a subscription. The feed's listener is removed with the last one.
  ///
  /// - Parameter remove: removes the subscriber from its query or object; it is called under the lock.
  package func cancel(_ subscriber: ObservationSubscriber, _ remove: () -> Void) {
    let remains = state.withLock { state in
      remove()
      state.streams[ObjectIdentifier(subscriber)] = nil
      state.types = state.types.filter { !$0.value.isEmpty }
      if state.isListening, state.types.isEmpty {
        feed.setListener(nil)
        watcher.stop()
        state.isListening = false
      }
      return subscriber.end()
    }
    remains.finish()
  }

  /// Ends all subscriptions, since the workspace is closed.
  package func close() {
    let subscribers = state.withLock { state in
      defer { state = State(isClosed: true) }
      if state.isListening {
        feed.setListener(nil)
        watcher.stop()
      }
      return state.types.values.flatMap(\.subscribers) + state.streams.values
    }
    for subscriber in subscribers { state.withLock { _ in subscriber.end() }.finish() }
  }
}
