import CSQLite
import Dflat
import DflatEngine

// How the keys of a transaction become those of the workspace.
//
// SQLite shows a commit to readers when it changes the WAL index, before COMMIT returns. From `beginCommit` to
// `endCommit`, a reader of a changed key therefore looks at the WAL index. The key has its former value until the index
// has changed, and then the new one. So a reader that sees an object of the transaction also sees its keys. To set such
// a key waits until the commit has ended.

extension DictionaryCache {
  /// A transaction that is being committed.
  struct TransactionCommit {
    let changes: [DictionaryPath: StoredDictionaryValue?]
    /// The mark of the WAL index before the commit.
    let mark: WALIndex.CommitMark?
    /// How many commits of others had been noticed before the commit. Those that are noticed later may have come after
    /// it.
    let foreignCommits: UInt32
  }

  /// The keys that a transaction has read, and the namespaces whose keys it has listed.
  struct TransactionReads {
    /// The value of `setCount` when each key was read.
    var keys: [DictionaryPath: UInt64] = [:]
    /// The value of `setCount` when the keys of each namespace were listed.
    var namespaces: [DictionaryKey: UInt64] = [:]
  }

  /// Returns the row that may hold the key of each change; 0 if none is known.
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
  /// - Parameter reads: what the transaction has read.
  /// - Throws: `SubmissionError` if a key that was read, or a key of a namespace that was listed, has been set since.
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

  /// Ends the commit that `beginCommit` has begun.
  ///
  /// - Parameter hasCommitted: whether the changes are on disk.
  /// - Returns: the subscribers to be told.
  func endCommit(hasCommitted: Bool) -> [DictionarySubscriber] {
    var subscribers: [DictionarySubscriber] = []
    let hadCommit = state.withLock { state in
      guard let commit = state.commit else { return false }
      state.commit = nil
      guard hasCommitted else { return true }
      state.publications += 1
      for (path, value) in commit.changes {
        let namespace = state.namespace(path.namespace)
        // The commit replaces a value that was set before it and is still pending.
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
  /// The values that were pending at one moment. A snapshot shows them instead of those on disk.
  struct Pending {
    let values: [DictionaryPath: StoredDictionaryValue?]
    /// The mark of the WAL index at that moment; nil if it cannot be read.
    fileprivate let mark: WALIndex.CommitMark?
    /// Shows whether any of the values has been written since, if the mark is nil.
    fileprivate let publications: Int
    /// Shows whether any key has been set since.
    fileprivate let setCount: UInt64
  }

  /// Returns the values that are pending and not on disk. Waits for a commit that is being made if the WAL index cannot
  /// be read.
  func capturePending() -> Pending {
    state.wait { state in
      let mark = state.mark
      // Only the WAL index, or the end of the commit, tells whether the commit's keys show already.
      if mark == nil, state.commit != nil { return nil }
      let isCommitShown = state.commit.map { !mark.isSame(as: $0.mark) } ?? false
      var values: [DictionaryPath: StoredDictionaryValue?] = [:]
      // Values that are being written are no longer in the queue.
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
      return Pending(values: values, mark: mark, publications: state.publications, setCount: state.setCount)
    }
  }

  /// Returns whether values that were captured before a read transaction, and the disk as that shows it, together are
  /// the keys of one moment.
  ///
  /// - Parameter reader: the connection with the read transaction.
  func isCurrent(_ pending: Pending, on reader: SQLiteConnection) -> Bool {
    let header = reader.readHeader
    if let mark = pending.mark, header?.changeCounter == mark.changeCounter,
      header.hasSameCommits(as: reader.walIndexHeader)
    {
      return true
    }
    // Something may have been committed in between.
    return state.withLock { state in
      guard state.setCount == pending.setCount else { return false }
      // Nothing was pending, and nothing has been set since: all keys are on the disk.
      if pending.values.isEmpty { return true }
      // A value may be on the disk, and replaced by others, before its write has ended. Without a WAL index that cannot
      // be known; with one, the values are captured again.
      return reader.walIndex == nil && state.commit == nil && state.publications == pending.publications
    }
  }
}
