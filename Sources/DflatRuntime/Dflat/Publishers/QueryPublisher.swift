#if PUBLISHERS
  #if canImport(Combine)
    import Combine
  #else
    import Dflat
    import OpenCombine
  #endif

  /// Publishes the present result of a query, and then each later state, with its difference from the one that the same
  /// subscriber received before; the first one has none.
  ///
  /// It may be subscribed to many times. Each subscriber fetches when it first demands a value, and receives the result on the
  /// thread on which it does so: see `subscribe(on:)`. If the fetch fails, the error is reported to the workspace's error handler,
  /// and the result is empty. Later states are published as those of a `FetchedResultPublisher`.
  public struct QueryPublisher<Element: Atom & Equatable>: Publisher, Sendable {
    /// The present result, or a later one.
    public typealias Output = FetchedResult<Element>
    /// A publisher does not fail.
    public typealias Failure = Never

    private let workspace: any Workspace
    private let request: FetchRequest

    init(_ workspace: any Workspace, _ request: FetchRequest) {
      self.workspace = workspace
      self.request = request
    }

    /// Subscribes `subscriber` to the query; called by `subscribe(_:)`.
    public func receive<Downstream: Subscriber>(
      subscriber: Downstream
    ) where Downstream.Input == FetchedResult<Element>, Downstream.Failure == Never {
      let subscription = PublisherSubscription(subscriber) { [workspace, request] subscription in
        let result = workspace.fetch(for: Element.self).result(of: request)
        // Before it is subscribed to: what is committed meanwhile is told when it is.
        subscription.post(result)
        if subscription.isEnded { return nil }
        return workspace.subscribe(fetchedResult: result) { [weak subscription] in subscription?.post($0) }
      }
      subscriber.receive(subscription: subscription)
    }
  }

  /// Makes publishers of queries for objects of one type: `workspace.publisher(for: Post.self)`.
  public struct QueryPublisherBuilder<Element: Atom & Equatable>: Sendable {
    private let workspace: any Workspace

    init(_ workspace: any Workspace) {
      self.workspace = workspace
    }

    /// A publisher of the objects for which `query` is true.
    ///
    /// - Parameters:
    ///   - query: the predicate.
    ///   - limit: the maximum number of objects in a result.
    ///   - orderBy: the keys of the order, as those of a fetch.
    public func `where`(
      _ query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []
    ) -> QueryPublisher<Element> {
      QueryPublisher(workspace, FetchRequest(predicate: query._node, limit: limit, orderBy: orderBy))
    }

    /// A publisher of all objects of the type; limit and order as in `where(_:limit:orderBy:)`.
    public func all(limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []) -> QueryPublisher<Element> {
      QueryPublisher(workspace, FetchRequest(predicate: nil, limit: limit, orderBy: orderBy))
    }

    /// A publisher of the objects for which `query` is true, ordered by one key.
    public func `where`(
      _ query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: OrderBy<Element>
    ) -> QueryPublisher<Element> {
      self.where(query, limit: limit, orderBy: [orderBy])
    }

    /// A publisher of all objects of the type, ordered by one key.
    public func all(limit: Limit = .noLimit, orderBy: OrderBy<Element>) -> QueryPublisher<Element> {
      all(limit: limit, orderBy: [orderBy])
    }
  }
#endif
