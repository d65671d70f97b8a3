import Foundation

/// The end of a process, to wait for.
///
/// On Linux, `Process.waitUntilExit` looks only every 50 ms whether the process has ended, which is longer than most
/// commands of git and short queries of psql take.
struct ProcessEnd {
  private let process: Process
  private let semaphore = DispatchSemaphore(value: 0)

  /// Prepares to wait for a process, which must not have been started.
  init(of process: Process) {
    self.process = process
    process.terminationHandler = { [semaphore] _ in semaphore.signal() }
  }

  /// Waits until the process has ended. Returns at once if it has not been started, or has ended before. May be called
  /// several times.
  func wait() {
    guard process.isRunning else { return }
    semaphore.wait()
    // The handler may be called a moment before the process counts as ended.
    semaphore.signal()
  }
}
