import Dflat

// How pending values become those on disk.

extension DictionaryCache {
  /// A value that is written, with the number of its setting.
  struct PendingChange {
    let change: DictionaryChange
    let setNumber: UInt64
  }

  /// Whether anything is pending.
  var hasPending: Bool { state.withLock { !$0.pending.isEmpty || $0.writingCount > 0 } }

  /// Takes the values that are pending, in order to write them. For the thread that has the writer; it has to call
  /// `endWriting(_:notWritten:)`.
  func takePending() -> [PendingChange] {
    state.withLock { state in
      var changes: [PendingChange] = []
      changes.reserveCapacity(state.pending.count)
      for path in state.pending {
        guard let entry = state.namespaces[path.namespace]?.entries[path.key], entry.isPending else { continue }
        changes.append(
          PendingChange(change: DictionaryChange(path: path, value: entry.value), setNumber: entry.setNumber))
      }
      state.pending.removeAll(keepingCapacity: true)
      state.writingCount = changes.count
      return changes
    }
  }

  /// Notes which values are on disk now, and which still have to be written.
  func endWriting(_ written: some Sequence<PendingChange>, notWritten: some Sequence<PendingChange>) {
    state.withLock { state in
      state.writingCount = 0
      state.publications += 1
      for pending in written {
        guard let namespace = state.namespaces[pending.change.path.namespace] else { continue }
        let key = pending.change.path.key
        guard let entry = namespace.entries[key], entry.isPending else { continue }
        if entry.setNumber == pending.setNumber {
          namespace.entries[key]?.isPending = false
          namespace.entries[key]?.foreignCommits = state.foreignCommits
        } else {
          // It was set again meanwhile.
          state.pending.append(pending.change.path)
        }
      }
      for pending in notWritten { state.pending.append(pending.change.path) }
    }
  }

  /// Takes values back that cannot be written: their keys have those again that are on disk.
  func takeBack(_ refused: some Sequence<PendingChange>) {
    state.withLock { state in
      for pending in refused {
        guard let namespace = state.namespaces[pending.change.path.namespace] else { continue }
        let key = pending.change.path.key
        if namespace.entries[key]?.setNumber == pending.setNumber { namespace.entries[key] = nil }
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
