#if PUBLISHERS
  #if canImport(Combine)
    import Combine
  #else
    import Dflat
    import OpenCombine
  #endif

  /// A publisher of the present result of a query, and then of each later one.
  ///
  /// ```swift
  /// workspace.publisher(for: Post.self).where(Post.priority > 2)
  ///   .map(\.count)
  ///   .removeDuplicates()
  ///   .sink { print("\($0) urgent posts") }
  ///   .store(in: &cancellables)
  /// ```
  ///
  /// Each subscriber fetches when it first demands a value, and receives the result on that thread: `subscribe(on:)`
  /// chooses another one. If the fetch fails, the workspace's error handler gets the error, and the result is empty.
  ///
  /// Later results come as from a `FetchedResultPublisher`, each with its difference from the one before. The first
  /// one has no difference.
  ///
  /// See also: Documentation/observing.md (Publishers).
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

    /// Subscribes `subscriber` to the query. Combine calls this method from `subscribe(_:)`.
    public func receive<Downstream: Subscriber>(
      subscriber: Downstream
    ) where Downstream.Input == FetchedResult<Element>, Downstream.Failure == Never {
      let subscription = PublisherSubscription(subscriber) { [workspace, request] subscription in
        let result = workspace.fetch(for: Element.self).result(of: request)
        // Posted before subscribing: the subscription then tells what was committed meanwhile.
        subscription.post(result)
        if subscription.isEnded { return nil }
        return workspace.subscribe(fetchedResult: result) { [weak subscription] in subscription?.post($0) }
      }
      subscriber.receive(subscription: subscription)
    }
  }

  /// A builder of publishers of queries for objects of one type: `workspace.publisher(for: Post.self)`.
  public struct QueryPublisherBuilder<Element: Atom & Equatable>: Sendable {
    private let workspace: any Workspace

    init(_ workspace: any Workspace) {
      self.workspace = workspace
    }

    /// Returns a publisher of the objects for which `query` is true.
    ///
    /// - Parameters:
    ///   - query: the condition.
    ///   - limit: the maximum number of objects in a result.
    ///   - orderBy: the keys of the order, as in a fetch.
    public func `where`(
      _ query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []
    ) -> QueryPublisher<Element> {
      QueryPublisher(workspace, FetchRequest(predicate: query._node, limit: limit, orderBy: orderBy))
    }

    /// Returns a publisher of all objects of the type.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of objects in a result.
    ///   - orderBy: the keys of the order, as in a fetch.
    public func all(limit: Limit = .noLimit, orderBy: [OrderBy<Element>] = []) -> QueryPublisher<Element> {
      QueryPublisher(workspace, FetchRequest(predicate: nil, limit: limit, orderBy: orderBy))
    }

    /// Returns a publisher of the objects for which `query` is true, ordered by one key.
    public func `where`(
      _ query: QueryExpression<Bool, Element>, limit: Limit = .noLimit, orderBy: OrderBy<Element>
    ) -> QueryPublisher<Element> {
      self.where(query, limit: limit, orderBy: [orderBy])
    }

    /// Returns a publisher of all objects of the type, ordered by one key.
    public func all(limit: Limit = .noLimit, orderBy: OrderBy<Element>) -> QueryPublisher<Element> {
      all(limit: limit, orderBy: [orderBy])
    }
  }
#endif
