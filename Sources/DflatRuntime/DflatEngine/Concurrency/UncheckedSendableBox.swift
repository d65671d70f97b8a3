/// A box that carries a closure, which was sent to the workspace, to the thread that calls it.
package struct UncheckedSendableBox<Closure>: @unchecked Sendable {
  // Unchecked: the closure was `sending`, so no other code can use what it captures, and only one thread calls it.
  package let closure: Closure

  package init(_ closure: Closure) {
    self.closure = closure
  }
}
