import CSQLite
import Dflat
import DflatEngine

// How the keys of a transaction become those of the workspace.
//
// SQLite shows a commit to readers when it changes the WAL index, before it returns from COMMIT. From `beginCommit` to
// `endCommit` a reader of such a key looks at the WAL index: as long as it has not changed, the key has its former
// value, and then the new one. So who has seen an object of the transaction sees its keys, too. Setting such a key
// waits until the commit has returned.

extension DictionaryCache {
  /// A transaction that is just being committed.
  struct TransactionCommit {
    let changes: [DictionaryPath: StoredDictionaryValue?]
    /// What the WAL index said before the commit.
    let mark: WALIndex.CommitMark?
    /// How many commits of others had been noticed by then. Those that are noticed later may have come after it.
    let foreignCommits: UInt32
  }

  /// A key, or all of a namespace, that a transaction has read.
  struct TransactionReads {
    /// How many settings there had been when each key was read.
    var keys: [DictionaryPath: UInt64] = [:]
    /// The same for the namespaces whose keys were listed.
    var namespaces: [DictionaryKey: UInt64] = [:]
  }

  /// For each change, the row that may hold its key; 0 if none is known.
  func rows(of changes: [DictionaryChange]) -> [Int64] {
    state.withLock { state in
      changes.map { change in
        guard let namespace = state.namespaces[change.path.namespace],
          let number = namespace.number(of: change.path.key)
        else { return 0 }
        return namespace.entries[number].row
      }
    }
  }

  /// Begins the commit of changes, in SQLite's write transaction.
  ///
  /// - Parameter reads: what was read in order to make them.
  /// - Throws: `SubmissionError.keyChanged` if any of that has been set since.
  func beginCommit(_ changes: [DictionaryChange], reads: TransactionReads) throws {
    try state.withLock { state in
      for (path, setCount) in reads.keys {
        guard let namespace = state.namespaces[path.namespace], let number = namespace.number(of: path.key) else {
          continue
        }
        if namespace.entries[number].setNumber > setCount { throw SubmissionError.keyChanged(path.key.text) }
      }
      for (name, setCount) in reads.namespaces {
        if let namespace = state.namespaces[name], namespace.lastSet > setCount {
          throw SubmissionError.keysChanged(namespace: name.text)
        }
      }
      if changes.isEmpty { return }
      var latest: [DictionaryPath: StoredDictionaryValue?] = [:]
      for change in changes { latest[change.path] = .some(change.value) }
      state.commit = TransactionCommit(
        changes: latest, mark: state.mark, foreignCommits: state.foreignCommits)
    }
  }

  /// Ends the commit.
  ///
  /// - Parameter hasCommitted: whether the changes are on disk.
  /// - Returns: the subscribers that are to be told.
  func endCommit(hasCommitted: Bool) -> [DictionarySubscriber] {
    var subscribers: [DictionarySubscriber] = []
    let hadCommit = state.withLock { state in
      guard let commit = state.commit else { return false }
      state.commit = nil
      guard hasCommitted else { return true }
      state.publications += 1
      for (path, value) in commit.changes {
        let namespace = state.namespace(path.namespace)
        // What was set before the commit, and is pending, has been replaced by it.
        let number = namespace.makeNumber(of: path.key)
        let stored = DictionaryEntry.Stored(value: value, row: namespace.entries[number].row)
        namespace.entries[number].noteStored(stored, foreignCommits: commit.foreignCommits)
        namespace.reported.remove(path.key)
        state.post(value, for: path.key, of: namespace, &subscribers)
      }
      return true
    }
    if hadCommit { state.notifyAll() }
    return subscribers
  }
}

// MARK: Snapshots

extension DictionaryCache {
  /// The values that were pending at one moment, which a snapshot shows instead of those on disk.
  struct Pending {
    let values: [DictionaryPath: StoredDictionaryValue?]
    /// What the WAL index said at the moment; nil if it says nothing.
    fileprivate let mark: WALIndex.CommitMark?
    /// To find out whether any of them has been written since, if the WAL index does not tell.
    fileprivate let publications: Int
  }

  /// The values that are pending, and not on disk.
  func capturePending() -> Pending {
    state.wait { state in
      let mark = state.mark
      // Whether the keys of a commit show already, the WAL index tells, or its end.
      if mark == nil, state.commit != nil { return nil }
      let isCommitShown = state.commit.map { !mark.isSame(as: $0.mark) } ?? false
      var values: [DictionaryPath: StoredDictionaryValue?] = [:]
      // Those that are just being written are in the queue no longer.
      if !state.pending.isEmpty || state.writingCount > 0 {
        let areWrittenShown = state.commitsSinceWriting > 0
        for namespace in state.namespaces.values {
          for entry in namespace.entries where entry.isPending && !(areWrittenShown && state.isWritten(entry)) {
            let path = DictionaryPath(namespace: namespace.name, key: entry.key)
            if isCommitShown, state.commit?.changes[path] != nil { continue }
            values[path] = .some(entry.value)
          }
        }
      }
      return Pending(values: values, mark: mark, publications: state.publications)
    }
  }

  /// Whether a read transaction shows what was on disk when values were captured: together they are the keys of one moment.
  ///
  /// - Parameter reader: has the read transaction.
  func isCurrent(_ pending: Pending, on reader: SQLiteConnection) -> Bool {
    if let mark = pending.mark, let header = reader.readHeader {
      return header.changeCounter == mark.changeCounter && reader.readHeader.hasSameCommits(as: reader.walIndexHeader)
    }
    return state.withLock { $0.commit == nil && $0.publications == pending.publications }
  }
}
