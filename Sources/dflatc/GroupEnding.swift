import Foundation

/// Ends a group of processes when this process is told to end, and this process then.
struct GroupEnding {
  private let sources: [any DispatchSourceSignal]
  private let signals: [Int32]

  /// Watches for the signals by which a terminal or a builder ends a process, as long as `group` runs.
  init(of group: pid_t) {
    var taken: [Int32] = []
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      // Else Dispatch would not be the first to hear of it. Who ignores it, as `nohup` does, goes on doing so.
      let before = signal(number, SIG_IGN)
      // Functions are not compared: but a bit cast of the same type on both sides is their address.
      if unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) { taken.append(number) }
    }
    signals = taken
    sources = taken.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        kill(-group, SIGKILL)
        signal(number, SIG_DFL)
        kill(getpid(), number)
      }
      source.resume()
      return source
    }
  }

  /// The group has ended: from now on, the signals end this process as they did.
  func cancel() {
    for source in sources { source.cancel() }
    for number in signals { signal(number, SIG_DFL) }
  }
}
