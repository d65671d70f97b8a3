import DflatEngine

/// Who writes keys of a workspace's dictionary: the pending ones in the background, or transactions together with their objects.
///
/// The two exclude each other from before their statements until after the answer to COMMIT. Else a value that was set, and then
/// replaced or removed by a transaction, might be written after that. The server does not know of this order, since a pending value
/// may be sent at any time. Transactions do not exclude one another: their order is the server's.
struct DictionaryTurns {
  /// Whether pending keys are being written.
  private var isWriting = false
  /// Whether they are to be, once no transaction writes keys. Then no other one begins to.
  private var isWriteWaiting = false
  /// How many transactions write keys.
  private var transactionCount = 0

  /// How often pending keys have been written.
  private(set) var writeCount: UInt64 = 0
  /// The last write of each key, of those that were written last.
  private var lastWrites: [DictionaryPath: UInt64] = [:]
  /// The last write whose keys are not known any more.
  private var lastForgottenWrite: UInt64 = 0
  private static let mostLastWrites = 4096

  // MARK: Pending keys

  /// Has transactions wait that come from now on.
  mutating func requestWrite() { isWriteWaiting = true }

  /// - Returns: false while transactions write keys.
  mutating func beginWrite() -> Bool {
    guard transactionCount == 0 else { return false }
    isWriteWaiting = false
    isWriting = true
    return true
  }

  /// Ends the turn, in which some keys were written, or none.
  mutating func endWrite(of paths: some Sequence<DictionaryPath>) {
    isWriting = false
    writeCount += 1
    for path in paths { lastWrites[path] = writeCount }
    if lastWrites.count > Self.mostLastWrites {
      lastWrites = [:]
      lastForgottenWrite = writeCount
    }
  }

  // MARK: Transactions

  /// - Returns: false while pending keys are written, or are to be.
  mutating func beginTransaction() -> Bool {
    guard !isWriting, !isWriteWaiting else { return false }
    transactionCount += 1
    return true
  }

  mutating func endTransaction() { transactionCount -= 1 }

  // MARK: Snapshots

  /// Whether a pending value of a key may have been written since `writeCount` was `count`. A transaction whose snapshot was taken
  /// then does not see that value, though it was set before.
  func mayHaveWritten(_ path: DictionaryPath, since count: UInt64) -> Bool {
    (lastWrites[path] ?? lastForgottenWrite) > count
  }

  /// The same of any key of a namespace.
  func mayHaveWritten(anyOf namespace: DictionaryKey, since count: UInt64) -> Bool {
    guard writeCount > count else { return false }
    return lastForgottenWrite > count || lastWrites.contains { $0.key.namespace == namespace && $0.value > count }
  }
}
