import Dflat
import Dispatch
import Foundation

/// The shutdown of a workspace, which happens once however often it is asked for.
final class Closing: @unchecked Sendable {
  // Unchecked because the variables are guarded by `lock`.
  private let engine: Engine
  private let scheduler: TransactionScheduler
  private let lock = NSLock()
  /// Held while connections are closed, so that all who ask wait for it.
  private let closing = NSLock()
  private var flags: WorkspaceShutdownFlag = []
  private var isClosed = false

  init(_ engine: Engine, _ scheduler: TransactionScheduler) {
    self.engine = engine
    self.scheduler = scheduler
  }

  /// Accepts no more transactions from now on.
  func begin(_ flags: WorkspaceShutdownFlag) {
    lock.lock()
    self.flags.formUnion(flags)
    lock.unlock()
    scheduler.stop()
    engine.store.beginClosing()
  }

  /// Waits until what has begun is done, and closes all connections.
  func finish() {
    scheduler.waitUntilIdle()
    engine.catchUp.stop()
    closing.lock()
    defer { closing.unlock() }
    guard !isClosed else { return }
    isClosed = true
    lock.lock()
    let flags = flags
    lock.unlock()
    engine.writeLock.acquire(.transaction)
    defer { engine.writeLock.release() }
    do {
      try engine.store.close(finish: flags.isEmpty ? nil : { try $0.finish(flags) })
    } catch {
      engine.report(error)
    }
  }

  /// Does the same in the background, and then calls `completion`.
  func finish(then completion: sending @escaping () -> Void) {
    // On a thread of its own: it only waits, and must not take one from the transactions that it waits for.
    let completion = Handover(completion)
    Thread.detachNewThread {
      self.finish()
      completion.closure()
    }
  }
}

extension SQLiteConnection {
  /// What a shutdown does with the last connection.
  func finish(_ flags: WorkspaceShutdownFlag) throws {
    if flags.contains(.vacuum) { try run("VACUUM", for: "Vacuuming the database") }
    guard flags.contains(.truncate) else { return }
    try run("PRAGMA wal_checkpoint(TRUNCATE)", for: "Truncating the log")
    // Leaving WAL mode removes the files beside the database's own.
    try run("PRAGMA journal_mode = DELETE", for: "Leaving the log")
  }
}
