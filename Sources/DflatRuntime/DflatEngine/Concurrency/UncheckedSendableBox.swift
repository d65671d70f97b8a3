/// A box in which a closure that was sent to the workspace goes to the thread that calls it.
package struct UncheckedSendableBox<Closure>: @unchecked Sendable {
  // Unchecked: the closure was `sending`, so nobody else can use what it captures, and one thread calls it.
  package let closure: Closure

  package init(_ closure: Closure) {
    self.closure = closure
  }
}
