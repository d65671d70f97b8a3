import DflatEngine

/// The turns of writing a workspace's dictionary: pending keys in the background, and keys of transactions together
/// with their objects.
///
/// The two exclude each other from before their statements until after the answer to COMMIT. Otherwise a value could be
/// written after a transaction that has replaced or removed it. The server cannot keep this order, since a pending
/// value may be sent at any time. Transactions do not exclude one another: the server orders them.
struct DictionaryTurns {
  /// Whether pending keys are being written.
  private var isWriting = false
  /// Whether pending keys wait to be written until no transaction writes keys. While they wait, no other transaction
  /// begins to write keys.
  private var isWriteWaiting = false
  /// How many transactions are writing dictionary keys. A background write of pending keys begins only while this is 0.
  private var transactionCount = 0

  /// How often pending keys have been written, or replaced by those of a transaction.
  private(set) var writeCount: UInt64 = 0
  /// The number of the last write of each of the most recently written keys.
  private var lastWrites: [DictionaryPath: UInt64] = [:]
  /// The last write whose keys have been forgotten.
  private var lastForgottenWrite: UInt64 = 0
  private static let mostLastWrites = 4096

  // MARK: Pending keys

  /// Makes later transactions wait for a background write.
  mutating func requestWrite() { isWriteWaiting = true }

  /// Withdraws the request of a background write, so that transactions may begin again.
  mutating func withdrawRequest() { isWriteWaiting = false }

  /// Begins a background write, if it is its turn.
  ///
  /// - Returns: false while transactions write keys.
  mutating func beginWrite() -> Bool {
    guard transactionCount == 0 else { return false }
    isWriteWaiting = false
    isWriting = true
    return true
  }

  /// Ends a background write of these keys, which may be none.
  mutating func endWrite(of paths: some Sequence<DictionaryPath>) {
    isWriting = false
    writeCount += 1
    noteWrite(of: paths)
  }

  /// Records that a transaction has replaced a pending value, so that the value is never written. A snapshot from before
  /// the commit shows neither.
  mutating func noteReplacement(of path: DictionaryPath) {
    writeCount += 1
    noteWrite(of: CollectionOfOne(path))
  }

  private mutating func noteWrite(of paths: some Sequence<DictionaryPath>) {
    for path in paths { lastWrites[path] = writeCount }
    if lastWrites.count > Self.mostLastWrites {
      lastWrites = [:]
      lastForgottenWrite = writeCount
    }
  }

  // MARK: Transactions

  /// Begins the turn of a transaction, if it may begin.
  ///
  /// - Returns: false while pending keys are written, or wait to be written.
  mutating func beginTransaction() -> Bool {
    guard !isWriting, !isWriteWaiting else { return false }
    transactionCount += 1
    return true
  }

  mutating func endTransaction() { transactionCount -= 1 }

  // MARK: Snapshots

  /// Returns whether a pending value of a key may have been written since `writeCount` was `count`. A transaction whose
  /// snapshot was taken then does not see that value, though it was set before.
  func mayHaveWritten(_ path: DictionaryPath, since count: UInt64) -> Bool {
    (lastWrites[path] ?? lastForgottenWrite) > count
  }

  /// Returns whether a pending value of any key of a namespace may have been written since `writeCount` was `count`.
  func mayHaveWritten(anyOf namespace: DictionaryKey, since count: UInt64) -> Bool {
    guard writeCount > count else { return false }
    return lastForgottenWrite > count || lastWrites.contains { $0.key.namespace == namespace && $0.value > count }
  }
}
