import Dispatch

extension DispatchQueue {
  /// Runs `body` on a new queue. Closures may wait for each other. A shared concurrent queue has about as many threads
  /// as there are processors, so the closure that others wait for might get none.
  ///
  /// - Parameter target: the target queue of the workspace; nil if it has none.
  static func runInBackground(target: DispatchQueue?, _ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "dflat.transaction", target: target).async(execute: body)
  }
}
