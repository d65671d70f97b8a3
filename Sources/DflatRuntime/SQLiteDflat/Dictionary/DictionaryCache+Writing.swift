import Dflat
import DflatEngine

// How pending values get to the disk.

extension DictionaryCache {
  /// A pending value that is being written.
  struct PendingChange {
    fileprivate let namespace: DictionaryNamespace
    /// The index of the key in `namespace.entries`.
    fileprivate let number: Int
    let change: DictionaryChange
    /// The number of the setting that is written: a later one stays pending.
    fileprivate let setNumber: UInt64
    /// The row that may hold the key; 0 if none is known.
    let row: Int64
    /// The `HandlerDepth` of the code that has set the value.
    let handlerDepth: Int
  }

  /// Whether a value is pending or being written.
  var hasPending: Bool { state.withLock { !$0.pending.isEmpty || $0.writingCount > 0 } }

  /// How often any key was set so far.
  var setCount: UInt64 { state.withLock { $0.setCount } }

  /// Returns whether a value is pending or being written that was set at the latest when `setCount` was `last`.
  func hasPending(setUpTo last: UInt64) -> Bool {
    state.withLock { state in
      state.namespaces.values.contains { $0.entries.contains { $0.isPending && $0.setNumber <= last } }
    }
  }

  /// Takes all pending values to write them. The caller has the writer, and has to call `endWriting(_:rows:)`.
  func takePending() -> [PendingChange] {
    state.withLock { state in
      var changes: [PendingChange] = []
      changes.reserveCapacity(state.pending.count)
      for next in state.pending {
        let entry = next.namespace.entries[next.number]
        guard entry.isPending else { continue }
        let path = DictionaryPath(namespace: next.namespace.name, key: entry.key)
        changes.append(
          PendingChange(
            namespace: next.namespace, number: next.number, change: DictionaryChange(path: path, value: entry.value),
            setNumber: entry.setNumber, row: entry.row, handlerDepth: Int(entry.handlerDepth)))
      }
      state.pending.removeAll(keepingCapacity: true)
      state.writingCount = changes.count
      state.foreignCommitsBeforeWriting = state.foreignCommits
      state.setCountBeforeWriting = state.setCount
      return changes
    }
  }

  /// Records that the thread that writes the values has SQLite's write lock: the next commit is its own.
  func beginWriting() { state.withLock { $0.markBeforeWriting = $0.mark } }

  /// Records that the values are on disk, or still have to be written.
  ///
  /// - Parameter rows: the numbers of their rows, 0 for a removed key; nil if the values are not on disk.
  func endWriting(_ changes: [PendingChange], rows: [Int64]?) {
    state.withLock { state in
      state.writingCount = 0
      state.markBeforeWriting = nil
      if rows != nil { state.publications += 1 }
      for (index, pending) in changes.enumerated() {
        let (namespace, number) = (pending.namespace, pending.number)
        guard !state.isClosed, namespace.entries[number].isPending else { continue }
        if let rows, namespace.entries[number].setNumber == pending.setNumber {
          // Without the commits that were noticed since: they may have come after this write.
          namespace.entries[number].noteWritten(rows[index], foreignCommits: state.foreignCommitsBeforeWriting)
        } else {
          // The key was set again meanwhile, or could not be written.
          state.pending.append(PendingKey(namespace: namespace, number: number))
        }
      }
    }
  }

  /// Drops values that cannot be written. Their keys have the values on disk again.
  func takeBack(_ refused: some Sequence<PendingChange>) {
    state.withLock { state in
      for pending in refused where !state.isClosed {
        let (namespace, number) = (pending.namespace, pending.number)
        if namespace.entries[number].setNumber == pending.setNumber { namespace.entries[number].forget() }
      }
    }
  }

  /// Returns true if the caller has to start a write of the pending values; false if none is pending, or a write is
  /// already scheduled. It counts as scheduled from now on.
  func scheduleWrite() -> Bool { state.withLock { $0.scheduleWrite() } }

  /// Returns whether the scheduled write has to go on, since values are pending. If not, it is no longer scheduled.
  func mustGoOnWriting() -> Bool {
    state.withLock { state in
      if !state.pending.isEmpty { return true }
      state.isWriteScheduled = false
      return false
    }
  }
}
