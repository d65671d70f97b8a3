#if PUBLISHERS
  #if canImport(Combine)
    import Combine
  #else
    import Dflat
    import OpenCombine
  #endif

  /// A publisher of the later states of a result, each with its difference from the one that the same subscriber
  /// received before.
  ///
  /// ```swift
  /// workspace.publisher(for: posts)
  ///   .compactMap(\.difference)
  ///   .sink { print("\($0.insertions.count) are new") }
  ///   .store(in: &cancellables)
  /// ```
  ///
  /// Each subscriber subscribes to the workspace when it first demands a value. If the result is out of date then,
  /// the present one is published first. Values are published in the order of the commits, before the completion
  /// handlers of their transactions, on a background queue. While a subscriber demands no value, only the latest
  /// result waits for it.
  ///
  /// In a class of the main actor, write `receive(on: DispatchQueue.main)` right after the publisher, before any `map`
  /// or `sink`. Otherwise Swift stops the program when the first value comes on another thread.
  ///
  /// A publisher keeps a reference to its workspace, a subscription does not. It never finishes.
  ///
  /// See also: Documentation/observing.md (Publishers).
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

    /// Subscribes `subscriber` to the result. Combine calls this method from `subscribe(_:)`.
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
        // Unchecked: all objects of both results are `Element`s.
        unsafeDowncast(lhs, to: Element.self).isStored(like: unsafeDowncast(rhs, to: Element.self))
      }
      return difference.isEmpty ? nil : FetchedResult(unchecked: ResultUpdate(list, difference), origin: origin)
    }

    /// The objects as a list without order keys.
    private var list: ObjectList { update?.list ?? ObjectList(objects, ContiguousArray(lazy.map(\._rowid)), []) }
  }
#endif
