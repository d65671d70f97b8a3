import Dflat
import DflatEngine

// How pending values become those on disk.

extension DictionaryCache {
  /// A value that is written, with the number of its setting.
  struct PendingChange {
    fileprivate let namespace: DictionaryNamespace
    /// The place of its entry.
    fileprivate let number: Int
    let change: DictionaryChange
    fileprivate let setNumber: UInt64
    /// The row that may hold the key; 0 if none is known.
    let row: Int64
  }

  /// Whether anything is pending.
  var hasPending: Bool { state.withLock { !$0.pending.isEmpty || $0.writingCount > 0 } }

  /// Takes all values that are pending, in order to write them. For the thread that has the writer; it has to call
  /// `endWriting(_:areWritten:)`.
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
            setNumber: entry.setNumber, row: entry.row))
      }
      state.pending.removeAll(keepingCapacity: true)
      state.writingCount = changes.count
      state.foreignCommitsBeforeWriting = state.foreignCommits
      state.setCountBeforeWriting = state.setCount
      return changes
    }
  }

  /// Notes that the thread that writes what is pending has got SQLite's write lock: the next commit is its own.
  func beginWriting() { state.withLock { $0.markBeforeWriting = $0.mark } }

  /// Notes that values are on disk now, or still have to be written.
  ///
  /// - Parameter rows: the numbers of their rows, 0 for a key that was removed; nil if they are not on disk.
  func endWriting(_ changes: [PendingChange], rows: [Int64]?) {
    state.withLock { state in
      state.writingCount = 0
      state.markBeforeWriting = nil
      if rows != nil { state.publications += 1 }
      for (index, pending) in changes.enumerated() {
        let (namespace, number) = (pending.namespace, pending.number)
        guard !state.isClosed, namespace.entries[number].isPending else { continue }
        if let rows, namespace.entries[number].setNumber == pending.setNumber {
          // Not those commits that were noticed since: they may have come after this write.
          namespace.entries[number].noteWritten(rows[index], foreignCommits: state.foreignCommitsBeforeWriting)
        } else {
          // It was set again meanwhile, or could not be written.
          state.pending.append(PendingKey(namespace: namespace, number: number))
        }
      }
    }
  }

  /// Takes values back that cannot be written: their keys have those again that are on disk.
  func takeBack(_ refused: some Sequence<PendingChange>) {
    state.withLock { state in
      for pending in refused where !state.isClosed {
        let (namespace, number) = (pending.namespace, pending.number)
        if namespace.entries[number].setNumber == pending.setNumber { namespace.entries[number].forget() }
      }
    }
  }

  /// Whether the caller has to start a write of the pending values, since none is scheduled. Then it counts as scheduled.
  func scheduleWrite() -> Bool { state.withLock { $0.scheduleWrite() } }

  /// Whether the writing that was scheduled has to go on, since something is pending. If not, it is over.
  func mustGoOnWriting() -> Bool {
    state.withLock { state in
      if !state.pending.isEmpty { return true }
      state.isWriteScheduled = false
      return false
    }
  }
}
