import Dflat
import Dispatch
import FlatBuffersCore

/// The subscriptions of a workspace. It hears of each commit from the change feed, updates the results of standing
/// queries, and has their subscribers told.
///
/// The thread that commits updates the results, under one lock. Callbacks are called later, by the thread that calls
/// completion handlers, and before the handlers of the commit. They may use the workspace freely.
package final class Observation: ChangeFeedListener {
  private let state = Guarded(State(), rank: .observation)
  private let feed: any ChangeFeed
  private let completions: Completions
  private let report: @Sendable (any Error) -> Void
  private let watcher: any ForeignCommitSource

  private struct State {
    var types: [ObjectIdentifier: ObservedType] = [:]
    var isListening = false
    var isClosed = false
    /// The streams that end when the workspace is closed.
    var streams: [ObjectIdentifier: ObservationSubscriber] = [:]
    /// The version of the last commit that subscribers were told of.
    var toldVersion: UInt64 = 0
    /// Whether a call that reads all subscribed objects waits to be made.
    var isReadRequested = false
    /// Subscribers that are told nothing until the commit that is being published has been told.
    var held: [ObservationSubscriber] = []

    /// Records that the commit with which `version` began was told, and lets subscribers that were held have their
    /// updates.
    mutating func didTell(_ version: UInt64, _ deliveries: inout Deliveries) {
      toldVersion = max(toldVersion, version)
      guard !held.isEmpty else { return }
      for subscriber in held { subscriber.endHold(&deliveries) }
      held = []
    }

    /// Holds a subscriber's updates until the commit that is being published has been told, if there is one.
    ///
    /// - Parameter object: the object that is subscribed to; nil for a result.
    mutating func hold(_ subscriber: ObservationSubscriber, having object: AnyObject?, _ feed: any ChangeFeed) {
      guard feed.versionBeingPublished > toldVersion else { return }
      subscriber.beginHold(having: object)
      held.append(subscriber)
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

  package func othersHaveCommitted(version: UInt64) {
    var deliveries = Deliveries()
    state.withLock { state in
      for type in state.types.values { type.expireAll(&deliveries) }
      state.didTell(version, &deliveries)
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
  private func dispatch(_ deliveries: consuming Deliveries) {
    for (continuation, update) in deliveries.resumptions { continuation.resume(returning: update) }
    var calls: [() -> Void] = []
    if deliveries.hasUnknownObjects, requestRead() { calls.append { self.readObjects() } }
    for (type, query) in deliveries.outdated { calls.append { self.fetch(query, of: type, inTurn: true) } }
    for subscriber in deliveries.callbacks { calls.append { self.callBack(subscriber) } }
    completions.appendCallbacks(calls)
  }

  private func callBack(_ subscriber: ObservationSubscriber) {
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

  /// Fetches a query whose list is not current, and tells its subscribers how the result has changed. If the fetch
  /// fails, it is tried again later.
  ///
  /// - Parameter inTurn: whether the call is made as a callback in the order of the commits. Then the fetch is repeated
  ///   until the list is current, and the subscribers are told before the completion handlers of the commit are called.
  private func fetch(_ query: StandingQuery, of type: ObservedType, inTurn: Bool) {
    let callback = inTurn ? completions.runningCallback : nil
    while let number = state.withLock({ _ in query.beginFetch(in: callback) }) {
      var deliveries = Deliveries()
      do {
        let rows = try type.access.fetch(query)
        state.withLock { _ in type.finishFetch(number, of: query, rows, &deliveries) }
        dispatch(deliveries)
      } catch {
        let isToRepeat = state.withLock { _ in query.failFetch(number) }
        noteFailure(of: type, error)
        if !isToRepeat { break }
      }
      if !inTurn { break }
    }
    guard inTurn else { return }
    let (subscribers, fetching) = state.withLock { _ in (query.subscribers, query.fetchingCallback) }
    // The callback of a later commit may fetch what this one was appended for.
    if let fetching { completions.wait(forCallback: fetching) }
    completions.appendCallbacks(subscribers.map { subscriber in { self.callBack(subscriber) } })
  }

  /// Records that all subscribed objects are to be read.
  ///
  /// - Returns: false if a call that will read them waits already.
  private func requestRead() -> Bool {
    state.withLock { state in
      defer { state.isReadRequested = true }
      return !state.isReadRequested
    }
  }

  private func readObjects() {
    let types = state.withLock { state in
      // Before the first read: a later commit needs another call.
      state.isReadRequested = false
      return state.types.values.map { ($0, $0.observedRows, $0.unplacedObjects) }
    }
    for (type, rows, unplaced) in types {
      for rowid in rows { read(rowid, of: type) }
      for object in unplaced { place(object, of: type) }
    }
  }

  /// Looks up the row of a subscribed object again, after the look-up has failed.
  private func place(_ unplaced: UnplacedObject, of type: ObservedType) {
    let rowid: Int64?
    do {
      rowid = try type.access.row(unplaced.object)
    } catch {
      return noteFailure(of: type, error)
    }
    var deliveries = Deliveries()
    let isToRead = state.withLock { state in
      guard type.take(unplaced) else { return false }
      unplaced.rowid = rowid
      return !add(unplaced.subscriber, to: unplaced.object, rowid, of: type, &state, &deliveries)
    }
    dispatch(deliveries)
    if isToRead, let rowid { read(rowid, of: type) }
  }

  /// Reads a subscribed object, and tells its subscribers if it has changed since they were told its last state.
  private func read(_ rowid: Int64, of type: ObservedType) {
    var deliveries = Deliveries()
    do {
      let found = try type.access.object(rowid)
      state.withLock { _ in
        guard let (object, version) = found else { return type.noteRead(rowid) }
        type.update(rowid, to: object, readAt: version, &deliveries)
      }
    } catch {
      noteFailure(of: type, reading: rowid, error)
    }
    dispatch(deliveries)
  }

  // MARK: Failures

  /// Reports that a read for subscribers has failed, unless the same was reported, and tries again after a pause. The
  /// next commit that changes objects of the type causes another attempt, too.
  ///
  /// - Parameter rowid: the row of a subscribed object; nil if something else was read.
  private func noteFailure(of type: ObservedType, reading rowid: Int64? = nil, _ error: any Error) {
    let (isNew, pause) = state.withLock { _ in type.noteFailure(ofReading: rowid, "\(error)") }
    if isNew { report(error) }
    guard let pause else { return }
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + pause) { [weak self] in self?.retry(type) }
  }

  private func retry(_ type: ObservedType) {
    var deliveries = Deliveries()
    let (rows, objects): (Set<Int64>, [UnplacedObject]) = state.withLock { state in
      // All subscriptions may have been cancelled.
      guard state.types[ObjectIdentifier(type.record)] === type else { return ([], []) }
      return type.beginRetry(&deliveries)
    }
    dispatch(deliveries)
    if !rows.isEmpty || !objects.isEmpty {
      completions.appendCallbacks([
        {
          for rowid in rows { self.read(rowid, of: type) }
          for object in objects { self.place(object, of: type) }
        }
      ])
    }
    completions.makeCallsInBackground()
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

  /// Subscribes to an object. If its row cannot be looked up, the subscriber waits until a later attempt succeeds.
  package func subscribe(
    _ subscriber: ObservationSubscriber, to object: any Atom, _ record: RecordDescription,
    _ access: ObservedType.Access, source: ObjectIdentifier
  ) -> ObservationSubscription {
    let row = Result { try access.row(object) }
    let unplaced = UnplacedObject(subscriber, object)
    var deliveries = Deliveries()
    let target: (type: ObservedType, isKnown: Bool)? = state.withLock { state in
      if state.isClosed { return nil }
      if case .stream = subscriber.sink { state.streams[ObjectIdentifier(subscriber)] = subscriber }
      let type = type(of: record, access, in: &state, source: source)
      guard case .success(let rowid) = row else {
        type.keep(unplaced)
        return (type, true)
      }
      unplaced.rowid = rowid
      return (type, add(subscriber, to: object, rowid, of: type, &state, &deliveries))
    }
    guard let target else { return closed(subscriber) }
    dispatch(deliveries)
    switch row {
    case .success(let rowid):
      if !target.isKnown, let rowid,
        !feed.isUnchanged(ObjectIdentifier(record), rowid, since: object._commitVersion)
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
  private func add(
    _ subscriber: ObservationSubscriber, to object: any Atom, _ rowid: Int64?, of type: ObservedType,
    _ state: inout State, _ deliveries: inout Deliveries
  ) -> Bool {
    guard let rowid else {
      subscriber.post(.deleted, &deliveries)
      return true
    }
    state.hold(subscriber, having: object, feed)
    let version = feed.isOwn(object._commitVersion) ? object._commitVersion : 0
    return type.add(subscriber, to: object, inRow: rowid, readAt: version, &deliveries)
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

/// The subscription of a subscriber to a result or an object. Releasing its last reference cancels it.
package final class ObservationSubscription: WorkspaceSubscription, @unchecked Sendable {
  // Unchecked: the closure is called only under the lock of the observation.

  private let observation: Observation
  package let subscriber: ObservationSubscriber
  private let remove: () -> Void

  package init(_ observation: Observation, _ subscriber: ObservationSubscriber, removing remove: @escaping () -> Void) {
    self.observation = observation
    self.subscriber = subscriber
    self.remove = remove
  }

  deinit { cancel() }

  package func cancel() { observation.cancel(subscriber, remove) }

  /// Waits for the next update of a stream; nil if none will come.
  package func next() async -> ObservationSubscriber.Update? { await observation.next(for: subscriber) }
}
