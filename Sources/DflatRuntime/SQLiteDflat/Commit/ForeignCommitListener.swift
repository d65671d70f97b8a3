/// Hears that another process, or another workspace, has committed.
protocol ForeignCommitListener: AnyObject, Sendable {
  /// Any thread may call it, with no lock held. A listener takes what it needs and returns.
  func othersHaveCommitted()
}
