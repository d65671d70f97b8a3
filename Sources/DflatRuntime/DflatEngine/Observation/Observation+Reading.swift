import Dflat
import Dispatch

/// The way in which subscribers get what the changes of a commit do not tell: results and objects are read again.
extension Observation {
  /// Fetches a query whose list is not current, and tells its subscribers how the result has changed. If the fetch
  /// fails, it is tried again later.
  ///
  /// While other processes commit during each fetch, the subscribers are told what the third fetch has found, and each
  /// one after it.
  ///
  /// - Parameter inTurn: whether the call is made as a callback in the order of the commits. Then the fetch is repeated
  ///   until the list is current, and the subscribers are told before the completion handlers of the commit are called.
  func fetch(_ query: StandingQuery, of type: ObservedType, inTurn: Bool) {
    let callback = inTurn ? completions.runningCallback : nil
    while let number = state.withLock({ _ in query.beginFetch(in: callback) }) {
      var deliveries = Deliveries()
      do {
        let rows = try type.access.fetch(query)
        let isOutdated = state.withLock { _ in type.finishFetch(number, of: query, rows, &deliveries) }
        if inTurn, isOutdated {
          // The next fetch is a call of its own, after those that tell the subscribers: a serial target queue has no
          // other thread for them. What a callback appends last comes first.
          completions.appendContinuation { self.fetch(query, of: type, inTurn: true) }
          return dispatch(deliveries)
        }
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
  func requestRead() -> Bool {
    state.withLock { state in
      defer { state.isReadRequested = true }
      return !state.isReadRequested
    }
  }

  func readObjects() {
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
  func read(_ rowid: Int64, of type: ObservedType) {
    var deliveries = Deliveries()
    // Before the read: the object of a later subscriber may be newer than what the read shows.
    let awaiting = state.withLock { _ in type.subscribersAwaitingRead(ofRow: rowid) }
    do {
      let found = try type.access.object(rowid)
      state.withLock { _ in
        if let (object, version) = found {
          type.update(rowid, to: object, readAt: version, &deliveries)
        } else {
          type.noteRead(rowid)
        }
        type.endAwaiting(awaiting, ofRow: rowid, &deliveries)
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
  func noteFailure(of type: ObservedType, reading rowid: Int64? = nil, _ error: any Error) {
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
}
