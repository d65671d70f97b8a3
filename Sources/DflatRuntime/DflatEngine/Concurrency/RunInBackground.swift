import Dispatch

extension DispatchQueue {
  /// Runs `body` on a queue of its own. Closures may wait for each other; on a shared concurrent queue, whose threads are about as
  /// many as the processors, the one that is waited for might not get a thread.
  ///
  /// - Parameter target: the queue that a workspace was given; nil if it was given none.
  static func runInBackground(target: DispatchQueue?, _ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "dflat.transaction", target: target).async(execute: body)
  }
}
