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
  /// - Parameter version: the commit version at which `object` was read; 0 if it is not known.
  /// - Returns: true if another subscription knows the row's present state. If that differs from `object`, it is
  ///   posted. False if the caller has to read the row.
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
    registrationCount += 1
    objects[rowid] = ObservedObject(
      object: object, readVersion: version, registration: registrationCount, version: version,
      subscribers: [subscriber])
    return false
  }

  package func remove(_ subscriber: ObservationSubscriber, fromRow rowid: Int64) {
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
    case .deleted: objects.remove(at: index)
    case .result: break
    }
  }
}
