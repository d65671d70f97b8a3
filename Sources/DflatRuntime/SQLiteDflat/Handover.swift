/// Takes a closure to where it is called.
struct Handover<Closure>: @unchecked Sendable {
  // Unchecked: the closure was sent to the workspace, so nobody else has a hold on what it uses, and it is called by one
  // thread.
  let closure: Closure

  init(_ closure: Closure) {
    self.closure = closure
  }
}
