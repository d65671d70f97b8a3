#if PUBLISHERS
  #if canImport(Combine)
    import Combine
  #else
    import Dflat
    import OpenCombine
  #endif

  /// Publishes each later state of a result, with its difference from the one that the same subscriber received before.
  ///
  /// It may be subscribed to many times. Each subscriber subscribes to the workspace when it first demands a value, and is
  /// brought up to date then if the result is out of date. Values are published in the order of the commits, before the
  /// completion handlers of these, on a background queue. While a subscriber demands none, only the latest state waits for it.
  ///
  /// A publisher refers to its workspace, a subscription does not. It never finishes.
  public struct FetchedResultPublisher<Element: Atom & Equatable>: Publisher, Sendable {
    /// A later state of the result.
    public typealias Output = FetchedResult<Element>
    /// A publisher does not fail.
    public typealias Failure = Never

    private let workspace: any Workspace
    private let result: FetchedResult<Element>

    init(_ workspace: any Workspace, _ result: FetchedResult<Element>) {
      self.workspace = workspace
      self.result = result
    }

    /// Subscribes `subscriber` to the result; called by `subscribe(_:)`.
    public func receive<Downstream: Subscriber>(
      subscriber: Downstream
    ) where Downstream.Input == FetchedResult<Element>, Downstream.Failure == Never {
      let subscription = PublisherSubscription(subscriber, knowing: result) { [workspace, result] subscription in
        workspace.subscribe(fetchedResult: result) { [weak subscription] in subscription?.post($0) }
      }
      subscriber.receive(subscription: subscription)
    }
  }

  extension FetchedResult: PublishedUpdate where Element: Equatable {
    var isLast: Bool { false }

    func following(_ former: FetchedResult) -> FetchedResult? {
      guard let origin else { return self }
      let list = list
      let difference = ResultDifference(from: former.list, to: list) { lhs, rhs in
        // All objects of both results are `Element`s.
        unsafeDowncast(lhs, to: Element.self) == unsafeDowncast(rhs, to: Element.self)
      }
      return difference.isEmpty ? nil : FetchedResult(unchecked: ResultUpdate(list, difference), origin: origin)
    }

    /// The objects as a list without the keys of their order.
    private var list: ObjectList { update?.list ?? ObjectList(objects, ContiguousArray(lazy.map(\._rowid)), []) }
  }
#endif
