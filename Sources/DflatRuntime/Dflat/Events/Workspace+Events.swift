extension Workspace {
  /// For a workspace that tells of no queries: `handler` is never called.
  public func onQuery(_ handler: @escaping @Sendable (_ event: QueryEvent) -> Void) -> any WorkspaceSubscription {
    EndedSubscription()
  }

  /// For a workspace that tells of no transactions: `handler` is never called.
  public func onTransaction(
    _ handler: @escaping @Sendable (_ event: TransactionEvent) -> Void
  ) -> any WorkspaceSubscription {
    EndedSubscription()
  }
}

private final class EndedSubscription: WorkspaceSubscription {
  func cancel() {}
}

/// Whether the running code was called by a handler of events, directly or by a task that the handler has made. What that does is not
/// told to handlers, or one that fetches would be told of its own fetch, and so on without end.
package enum EventHandling {
  @TaskLocal package static var isActive = false
}
