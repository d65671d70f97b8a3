import Dflat
import DflatEngine
import Dispatch

/// The part of the feed that subscribers and transactions use.
extension ReplicationFeed {
  /// Registers how rows of a table become objects, and observes the table.
  ///
  /// - Returns: whether the table was not observed before.
  func observe(_ table: String, _ rows: ObservedRows) -> Bool {
    let isNew = state.withLock { state in
      guard state.types.updateValue(rows, forKey: table) == nil else { return false }
      // The first snapshot has to show them.
      for (xid, _, received) in state.unobserved.commits(to: table) {
        state.recent.append(Commit(version: state.version, xid: xid, received: received))
      }
      return true
    }
    if isNew { tables.observe(rows.record, named: table) }
    return isNew
  }

  /// Observes the changes of the dictionary from now on.
  func observe(_ keys: ObservedKeys, _ record: RecordDescription) {
    let earlier = state.withLock { state in
      defer { state.keys = keys }
      return state.keys == nil ? state.unobserved.commits(to: keys.table) : []
    }
    for commit in earlier { keys.tell(nil, commit.xid) }
    tables.observe(record, named: keys.table)
  }

  /// Records that the publication now has these tables, or that it no longer has them.
  func setStreamed(_ tables: Set<String>, _ areStreamed: Bool) {
    state.withLock { state in
      guard areStreamed else {
        state.streamed.subtract(tables)
        return state.followed.subtract(tables)
      }
      // Fetches wait for the stream from now on. One that has begun before is repeated.
      state.streamed.formUnion(tables)
      state.version += 1
      state.forgottenVersion = state.version
    }
    beginAnew(of: tables)
    if areStreamed { state.withLock { $0.followed.formUnion(tables.intersection($0.streamed)) } }
  }

  /// Waits for the first stream, `subscriptionTimeout` at most, so that a subscriber is told of each commit from the
  /// next one on.
  func waitUntilOpen() {
    let isSettled: Void? = state.wait(atMost: ReplicationFeed.subscriptionTimeout) { state in
      state.isOpen || !state.isAwaited || state.users == 0 ? () : nil
    }
    if isSettled == nil { state.withLock { $0.isAwaited = false } }
  }

  /// Returns whether the stream reports the row changes of a table.
  func tells(of table: String) -> Bool { state.withLock { $0.tells(of: table) } }

  /// Waits until everything up to a position of the server's log has been received, for at most `maximumLag` seconds.
  ///
  /// If the time runs out, the stream counts as lagging until it has reached the position. Meanwhile no call waits.
  ///
  /// - Returns: false if no stream is open, nobody observes, the stream lags, or the time has run out.
  func wait(for position: UInt64) -> Bool {
    let isReceived: Bool? = state.wait(atMost: ReplicationFeed.maximumLag) { state -> Bool? in
      guard state.isOpen, state.lagEnd == nil, state.users > 0 else { return false }
      if state.position >= position { return true }
      state.isPositionWanted = true
      return nil
    }
    if let isReceived { return isReceived }
    state.withLock { state in
      if state.isOpen, state.position < position { state.lagEnd = max(state.lagEnd ?? 0, position) }
    }
    return false
  }

  /// Whether somebody observes, and the position up to which the server's log has been received; nil if there is no
  /// stream.
  var receivedPosition: (isObserving: Bool, position: UInt64?) {
    state.withLock { ($0.users > 0, $0.isOpen ? $0.position : nil) }
  }

  /// Whether the feed has a listener.
  var isObserved: Bool { state.withLock { $0.listener != nil } }

  /// The way in which the listener learns of a commit of this workspace.
  enum Telling {
    /// No subscriber is concerned.
    case needless
    /// The stream reports the commit.
    case byStream
    /// The workspace reports the commit, since the stream does not report all of its tables.
    case byWorkspace
  }

  /// Returns the way in which the listener learns of a commit of this workspace.
  ///
  /// - Parameter records: the types that the commit has changed.
  func telling(of records: Set<ObjectIdentifier>) -> Telling {
    state.withLock { state in
      guard state.listener != nil else { return .needless }
      let observed = state.types.filter { records.contains(ObjectIdentifier($0.value.record)) }
      if observed.isEmpty { return .needless }
      return observed.allSatisfy { state.tells(of: $0.key) } ? .byStream : .byWorkspace
    }
  }

  /// Tells the listener of a commit of this workspace that the stream does not report in time.
  func noteUnstreamedCommit() {
    let (listener, version) = state.withLock { state in
      state.version += 1
      return (state.listener, state.version)
    }
    listener?.othersHaveCommitted(version: version)
  }

  /// Returns the version up to which a snapshot shows all commits. The server sends commits a moment before they become
  /// visible. Returns nil if the snapshot lacks a commit but shows a later one, or if commits that it may show have been
  /// forgotten: then another snapshot is needed.
  ///
  /// - Parameters:
  ///   - first: the version before the snapshot was taken. The snapshot must show all commits up to it.
  ///   - now: the current time. A test gives a later one.
  func version(of snapshot: ServerSnapshot, since first: UInt64, at now: DispatchTime = .now()) -> UInt64? {
    state.withLock { state in
      guard first >= state.forgottenVersion else { return nil }
      var version = first
      var lacksCommit = false
      for commit in state.recent {
        if !snapshot.shows(commit.xid), now < commit.received + ServerSnapshot.longestDelay {
          if commit.version <= first { return nil }
          lacksCommit = true
        } else if commit.version > first {
          if lacksCommit { return nil }
          version = commit.version
        }
      }
      return version
    }
  }
}
