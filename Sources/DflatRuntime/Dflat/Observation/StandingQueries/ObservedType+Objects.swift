/// The subscribed objects of a type, and what their subscribers are told.
extension ObservedType {
  /// A subscribed object, with its subscribers.
  struct ObservedObject {
    /// The state that its subscribers know.
    var object: any Atom
    /// The commit version at which the first subscriber's object was read; 0 if it is not known.
    let readVersion: UInt64
    /// The number of the object's registration: the value of `registrationCount` just after it.
    let registration: Int
    /// The commit version that began with the last change told to the subscribers.
    var version: UInt64
    var subscribers: ContiguousArray<ObservationSubscriber> = []
  }

  /// Adds a subscriber to an object.
  ///
  /// - Parameters:
  ///   - version: the commit version at which `object` was read; 0 if it is not known.
  ///   - isHeld: whether updates are held back already, because a commit is being published.
  /// - Returns: true if another subscription knows the row's state; `subscriber` is told it, unless that is `object`.
  ///   False if the caller has to read the row. Until then, `subscriber` may be told nothing: see
  ///   `awaitsRead(_:ofRow:)`.
  package func add(
    _ subscriber: ObservationSubscriber, to object: any Atom, inRow rowid: Int64, readAt version: UInt64,
    isHeld: Bool = false, _ deliveries: inout Deliveries
  ) -> Bool {
    if let index = objects.index(forKey: rowid) {
      objects.values[index].subscribers.append(subscriber)
      let known = objects.values[index].object
      let isSame = access.isSame(known, object)
      if isHeld || isSame && awaitingReads[rowid] == nil {
        if !isSame { subscriber.post(.object(known), &deliveries) }
        return true
      }
      // Either may be the newer one: a commit that `object` shows may not have been told yet. If they are the same, and
      // another subscriber awaits the read, that may hold for both.
      holdUntilRead(subscriber, having: object, inRow: rowid)
      subscriber.post(.object(known), &deliveries)
      return false
    }
    registrationCount += 1
    objects[rowid] = ObservedObject(
      object: object, readVersion: version, registration: registrationCount, version: version,
      subscribers: [subscriber])
    // Commits that `object` shows may still be told, and no version says which.
    if version == 0 { holdUntilRead(subscriber, having: object, inRow: rowid) }
    return false
  }

  private func holdUntilRead(_ subscriber: ObservationSubscriber, having object: any Atom, inRow rowid: Int64) {
    subscriber.beginHold(having: object)
    awaitingReads[rowid, default: []].append(subscriber)
  }

  /// Returns whether the updates of a subscriber are held back until its row has been read.
  package func awaitsRead(_ subscriber: ObservationSubscriber, ofRow rowid: Int64) -> Bool {
    awaitingReads[rowid]?.contains { $0 === subscriber } ?? false
  }

  /// Returns the subscribers whose updates are held back until a row has been read. A read that begins now shows at
  /// least what their objects show.
  package func subscribersAwaitingRead(ofRow rowid: Int64) -> ContiguousArray<ObservationSubscriber> {
    awaitingReads[rowid] ?? []
  }

  /// Tells subscribers what was held back, since their row has been read or deleted.
  ///
  /// - Parameter subscribers: those that awaited a read when it began. Others have been told meanwhile, or cancelled.
  package func endAwaiting(
    _ subscribers: ContiguousArray<ObservationSubscriber>, ofRow rowid: Int64, _ deliveries: inout Deliveries
  ) {
    for subscriber in subscribers where awaitsRead(subscriber, ofRow: rowid) {
      removeAwaiting(subscriber, ofRow: rowid)
      subscriber.endHold(&deliveries)
    }
  }

  private func removeAwaiting(_ subscriber: ObservationSubscriber, ofRow rowid: Int64) {
    awaitingReads[rowid]?.removeAll { $0 === subscriber }
    if awaitingReads[rowid]?.isEmpty == true { awaitingReads[rowid] = nil }
  }

  package func remove(_ subscriber: ObservationSubscriber, fromRow rowid: Int64) {
    removeAwaiting(subscriber, ofRow: rowid)
    objects[rowid]?.subscribers.removeAll { $0 === subscriber }
    guard objects[rowid]?.subscribers.isEmpty == true else { return }
    objects[rowid] = nil
    noteRead(rowid)
  }

  /// The rows of the subscribed objects.
  package var observedRows: [Int64] { Array(objects.keys) }

  func isObserved(_ rowid: Int64) -> Bool { objects[rowid] != nil }

  /// Reports the state of a row that was read to its subscribers, if they do not know it yet.
  ///
  /// - Parameters:
  ///   - object: nil if there is no such row.
  ///   - version: the commit version at which the row was read, at the earliest.
  package func update(
    _ rowid: Int64, to object: (any Atom)?, readAt version: UInt64, _ deliveries: inout Deliveries
  ) {
    noteRead(rowid)
    // A change of the row by a later commit was reported already.
    guard let known = objects[rowid], known.version <= version else { return }
    guard let object else { return tell(.deleted, toObserversOf: rowid, version, &deliveries) }
    if !access.isSame(known.object, object) { tell(.object(object), toObserversOf: rowid, version, &deliveries) }
  }

  func tell(of change: RowChange, _ version: UInt64, _ deliveries: inout Deliveries) {
    // A thread that has noticed a later commit of another process may have reported that commit already.
    guard let known = objects[change.rowid], version > known.readVersion, version >= known.version else { return }
    if change.kind == .deleted { return tell(.deleted, toObserversOf: change.rowid, version, &deliveries) }
    // The subscriber's object may have been read after this commit, which is reported only now.
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
    case .deleted:
      objects.remove(at: index)
      endAwaiting(subscribersAwaitingRead(ofRow: rowid), ofRow: rowid, &deliveries)
    case .result: break
    }
  }
}
