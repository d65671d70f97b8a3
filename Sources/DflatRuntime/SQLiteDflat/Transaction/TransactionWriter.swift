import Dflat
import DflatEngine
import Dispatch
import FlatBuffersCore
import Foundation

/// The writer, as a transaction has it: a write set that is full is applied on another thread, while the closure fills the next
/// one. To encode objects takes about as long as SQLite does to write their rows, so a large transaction takes half the time.
///
/// The connection is reached through `settled()` only, which waits until all sets are applied that were handed over.
///
/// For the transaction's thread.
final class TransactionWriter: @unchecked Sendable {
  // Unchecked: the transaction's thread has everything, but for the connection and `failure` while sets are being
  // applied. To wait for the queue makes what it has done visible. Exclusivity is unchecked: no call from here leads back here.
  private let connection: WriterConnection
  private let committer: Committer
  private let sequence: CommitSequence
  /// Which primary keys no row holds, as far as that is known without the connection.
  @exclusivity(unchecked) private var freeKeys: FreeKeys
  /// Who is told what has been applied; nil if nobody listens.
  private let collectors: ChangeCollectors?
  /// Why a set could not be applied. No other is applied after it.
  @exclusivity(unchecked) private var failure: (any Error)?

  /// Where sets are applied; nil until one is handed over.
  @exclusivity(unchecked) private var queue: DispatchQueue?
  /// Whether sets may be being applied.
  @exclusivity(unchecked) private var isApplying = false
  /// Takes what is handed over next.
  @exclusivity(unchecked) private var emptySet = WriteSet()
  /// The sets that were handed over last, the oldest first.
  @exclusivity(unchecked) private var handedOver: [WriteSet] = []
  /// Has room for so many sets that are not applied yet. One would do if both threads were equally fast all the time.
  private let room = DispatchSemaphore(value: TransactionWriter.waitingSets)
  private static let waitingSets = 4
  /// How many sets were handed over, and how often the transaction has had to wait for them in order to read.
  @exclusivity(unchecked) private var handOverCount = 0
  @exclusivity(unchecked) private var interruptionCount = 0
  private let mayHandOver: Bool

  private static let hasProcessors = ProcessInfo.processInfo.activeProcessorCount > 1

  /// - Parameter connection: in the transaction's SQLite transaction.
  init(_ connection: WriterConnection, _ core: WorkspaceCore) {
    self.connection = connection
    committer = core.committer
    sequence = core.sequence
    freeKeys = FreeKeys(core.database)
    // A queue of the user's may have one thread, on which everything is to run.
    mayHandOver = TransactionWriter.hasProcessors && !core.hasTargetQueue
    collectors = sequence.makeCollectors()
  }

  // MARK: The connection

  /// The connection, once all sets are applied that were handed over.
  ///
  /// - Throws: why one of them could not be applied.
  func settled() throws -> WriterConnection {
    wait()
    if let failure { throw failure }
    // After some errors, even of a fetch, SQLite rolls everything back; what is written then would be committed alone.
    guard connection.connection.isInTransaction else { throw SubmissionError.undone }
    return connection
  }

  private func wait() {
    guard isApplying else { return }
    queue?.sync {}
    isApplying = false
    interruptionCount += 1
  }

  /// Whether no set has failed to be applied, and SQLite has not rolled the transaction back.
  var canGoOn: Bool {
    wait()
    return failure == nil && connection.connection.isInTransaction
  }

  /// Throws if it is known that the transaction cannot be committed, without waiting for that.
  func check() throws {
    if !isApplying { _ = try settled() }
  }

  /// Ends the use of the connection, before its transaction is committed or rolled back.
  ///
  /// - Returns: the connection, and what has been changed.
  func end() -> (connection: WriterConnection, changes: CommitSequence.Changes) {
    wait()
    freeKeys.end()
    return (connection, collectors.map { .collected($0) } ?? .unknown)
  }

  // MARK: Applying

  /// Whether a full set should be handed over. A closure that reads again and again while it submits would only hand its work from
  /// thread to thread.
  var shouldHandOver: Bool { mayHandOver && interruptionCount <= 2 + handOverCount / 4 }

  /// Has what a set holds applied on another thread, and leaves the set empty.
  func handOver(_ collected: WriteSet, verifying: Bool) {
    // Unsafe to the compiler, since two threads use it: the one that applies it, until it signals `room`; and this one before that,
    // and again when `nextEmptySet()` takes it from `handedOver` as the oldest of more sets than there is room for. In between, this
    // thread keeps references to it, and does not look at what it holds.
    nonisolated(unsafe) let set = emptySet
    set.exchangeContents(with: collected)
    freeKeys.note(set)
    // Before it is applied: an object that is changed again is read anew, once that is done.
    sequence.noteChanges(of: set)
    isApplying = true
    handOverCount += 1
    handedOver.append(set)
    let queue = queue ?? DispatchQueue(label: "dflat.apply")
    self.queue = queue
    queue.async { [self] in
      if failure == nil {
        do {
          try write(set, verifying: verifying)
        } catch {
          failure = error
        }
      }
      room.signal()
    }
    room.wait()
    emptySet = nextEmptySet()
  }

  /// A set for what is handed over next.
  private func nextEmptySet() -> WriteSet {
    guard handedOver.count > TransactionWriter.waitingSets else { return WriteSet() }
    // At least one has been applied, and that is the oldest. Its objects are released here, where they were made.
    let next = handedOver.removeFirst()
    next.removeAll()
    return next
  }

  /// Applies a set on this thread, after those that were handed over.
  func apply(_ set: WriteSet, verifying: Bool) throws {
    _ = try settled()
    freeKeys.note(set)
    try write(set, verifying: verifying)
    sequence.noteChanges(of: set)
  }

  private func write(_ set: WriteSet, verifying: Bool) throws {
    guard connection.connection.isInTransaction else { throw SubmissionError.undone }
    try connection.apply(alone: set, verifying: verifying, committer)
    collectors?.collect(set)
  }

  // MARK: Keys

  /// Whether no row holds the primary key of an encoded object, as far as sets have been applied or handed over.
  func isFree(primaryKeyOf object: FlatBufferTable, _ record: RecordDescription) throws -> Bool {
    if isApplying, freeKeys.contains(primaryKeyOf: object, record) { return true }
    return try settled().connection.reader(for: record).row(holding: nil, of: object) == nil
  }
}
