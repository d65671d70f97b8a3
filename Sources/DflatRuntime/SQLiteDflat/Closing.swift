import Dflat
import Dispatch
import Foundation

/// The shutdown of a workspace, which happens once however often it is asked for. Only what is asked for besides, and has
/// not been done, is done later.
final class Closing: @unchecked Sendable {
  // Unchecked because the variables are guarded: by `lock` or by `closing`, as they say.
  private let engine: Engine
  private let scheduler: TransactionScheduler
  private let lock = NSLock()
  /// Held while connections are closed, so that all who ask wait for it.
  private let closing = NSLock()
  /// What has been asked for, and not been tried. Guarded by `lock`.
  private var flags: WorkspaceShutdownFlag = []
  // Guarded by `closing`.
  private var isClosed = false
  private var done: WorkspaceShutdownFlag = []

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
    // The handler is told when nothing is held: it may wait for somebody who asks for a shutdown, too.
    if case .failure(let error) = closing.withLock({ Result(catching: close) }) { engine.report(error) }
  }

  /// With `closing` held.
  private func close() throws {
    let flags = lock.withLock {
      defer { self.flags = [] }
      return self.flags.subtracting(done)
    }
    guard !isClosed || !flags.isEmpty else { return }
    isClosed = true
    engine.writeLock.acquire(.transaction)
    defer { engine.writeLock.release() }
    try engine.store.close(finish: flags.isEmpty ? nil : { try $0.finish(flags) })
    done.formUnion(flags)
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
