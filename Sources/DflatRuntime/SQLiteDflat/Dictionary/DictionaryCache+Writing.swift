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

  /// How often keys were set until now.
  var setCount: UInt64 { state.withLock { $0.setCount } }

  /// Takes values that are pending, in order to write them, the first that were set. For the thread that has the
  /// writer; it has to call `endWriting(_:notWritten:)`.
  func takePending(_ limit: Int) -> [PendingChange] {
    state.withLock { state in
      var changes: [PendingChange] = []
      changes.reserveCapacity(min(limit, state.pending.count))
      while changes.count < limit, let next = state.pending.popFirst() {
        guard let entry = next.namespace.entries[next.key], entry.isPending else { continue }
        let path = DictionaryPath(namespace: next.namespace.name, key: next.key)
        changes.append(
          PendingChange(
            namespace: next.namespace, change: DictionaryChange(path: path, value: entry.value),
            setNumber: entry.setNumber))
      }
      state.writingCount += changes.count
      return changes
    }
  }

  /// Notes which values are on disk now, and which still have to be written.
  func endWriting(_ written: ArraySlice<PendingChange>, notWritten: ArraySlice<PendingChange>) {
    state.withLock { state in
      state.writingCount = 0
      state.publications += 1
      for pending in written {
        let (namespace, key) = (pending.namespace, pending.change.path.key)
        guard let index = namespace.entries.index(forKey: key), namespace.entries.values[index].isPending else {
          continue
        }
        if namespace.entries.values[index].setNumber == pending.setNumber {
          namespace.entries.values[index].isPending = false
          namespace.entries.values[index].foreignCommits = state.foreignCommits
        } else {
          // It was set again meanwhile.
          state.pending.append(key, of: namespace)
        }
      }
      for pending in notWritten { state.pending.append(pending.change.path.key, of: pending.namespace) }
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

  /// Whether any value is pending that was set before the setting of this number.
  func hasPending(before setNumber: UInt64) -> Bool {
    state.withLock { state in
      state.pending.contains { next in
        guard let entry = next.namespace.entries[next.key] else { return false }
        return entry.isPending && entry.setNumber <= setNumber
      }
    }
  }

  /// Whether the writing that was scheduled has to go on, since something is pending. If not, it is over.
  func mustGoOnWriting() -> Bool {
    state.withLock { state in
      if !state.pending.isEmpty { return true }
      state.isWriteScheduled = false
      return false
    }
  }
}
