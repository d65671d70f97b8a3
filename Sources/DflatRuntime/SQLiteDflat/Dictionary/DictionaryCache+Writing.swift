import Dflat

// How pending values become those on disk.

extension DictionaryCache {
  /// A value that is written, with the number of its setting.
  struct PendingChange {
    let namespace: Namespace
    let change: DictionaryChange
    let setNumber: UInt64
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
        guard let entry = next.namespace.entries[next.key], entry.isPending else { continue }
        let path = DictionaryPath(namespace: next.namespace.name, key: next.key)
        changes.append(
          PendingChange(
            namespace: next.namespace, change: DictionaryChange(path: path, value: entry.value),
            setNumber: entry.setNumber))
      }
      state.pending.removeAll(keepingCapacity: true)
      state.writingCount = changes.count
      state.foreignCommitsBeforeWriting = state.foreignCommits
      return changes
    }
  }

  /// Notes that values are on disk now, or still have to be written.
  func endWriting(_ changes: [PendingChange], areWritten: Bool) {
    state.withLock { state in
      state.writingCount = 0
      if areWritten { state.publications += 1 }
      for pending in changes {
        let (namespace, key) = (pending.namespace, pending.change.path.key)
        guard let index = namespace.entries.index(forKey: key), namespace.entries.values[index].isPending else {
          continue
        }
        if areWritten, namespace.entries.values[index].setNumber == pending.setNumber {
          namespace.entries.values[index].isPending = false
          // Not those that were noticed since: they may have come after this write.
          namespace.entries.values[index].foreignCommits = state.foreignCommitsBeforeWriting
        } else {
          // It was set again meanwhile, or could not be written.
          state.pending.append(PendingKey(namespace: namespace, key: key))
        }
      }
    }
  }

  /// Takes values back that cannot be written: their keys have those again that are on disk.
  func takeBack(_ refused: some Sequence<PendingChange>) {
    state.withLock { _ in
      for pending in refused {
        let (namespace, key) = (pending.namespace, pending.change.path.key)
        if namespace.entries[key]?.setNumber == pending.setNumber { namespace.entries[key] = nil }
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
