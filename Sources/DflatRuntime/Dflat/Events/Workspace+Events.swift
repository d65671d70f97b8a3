extension Workspace {
  /// Returns a subscription that never calls `handler`: the default for workspaces that have no query events.
  public func onQuery(_ handler: @escaping @Sendable (_ event: QueryEvent) -> Void) -> any WorkspaceSubscription {
    EndedSubscription()
  }

  /// Returns a subscription that never calls `handler`: the default for workspaces that have no transaction events.
  public func onTransaction(
    _ handler: @escaping @Sendable (_ event: TransactionEvent) -> Void
  ) -> any WorkspaceSubscription {
    EndedSubscription()
  }
}

private final class EndedSubscription: WorkspaceSubscription {
  func cancel() {}
}

/// A flag that is set while a handler of events runs, and in tasks that the handler makes.
///
/// Queries and transactions of such code cause no events. Otherwise a handler that fetches would be told of its own
/// fetch, and so on without end.
package enum EventHandling {
  @TaskLocal package static var isActive = false
}
