import Dflat
import DflatEngine

extension PostgresWorkspace {
  /// Calls `changeHandler` with each later state of a result; see `Workspace`.
  public func subscribe<Element: Atom & Equatable>(
    fetchedResult: FetchedResult<Element>,
    changeHandler: @escaping @Sendable (_ fetchedResult: FetchedResult<Element>) -> Void
  ) -> any WorkspaceSubscription {
    core.subscription(toResult: fetchedResult, changeHandler: changeHandler)
  }

  /// Calls `changeHandler` with each later state of an object, until it is deleted; see `Workspace`.
  public func subscribe<Element: Atom & Equatable>(
    object: Element, changeHandler: @escaping @Sendable (_ subscribedObject: SubscribedObject<Element>) -> Void
  ) -> any WorkspaceSubscription {
    core.subscription(toObject: object, changeHandler: changeHandler)
  }

  /// Returns the later states of a result, as an asynchronous sequence; see `Workspace`.
  public func subscribe<Element: Atom & Equatable>(
    fetchedResult: FetchedResult<Element>,
    bufferingPolicy: AsyncStream<FetchedResult<Element>>.Continuation.BufferingPolicy
  ) -> AsyncStream<FetchedResult<Element>> {
    core.stream(ofResult: fetchedResult, bufferingPolicy)
  }

  /// Returns the later states of an object, as an asynchronous sequence; see `Workspace`.
  public func subscribe<Element: Atom & Equatable>(
    object: Element, bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy
  ) -> AsyncStream<Element> {
    core.stream(ofObject: object, bufferingPolicy)
  }
}
