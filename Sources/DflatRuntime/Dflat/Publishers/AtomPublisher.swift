#if PUBLISHERS
  #if canImport(Combine)
    import Combine
  #else
    import Dflat
    import OpenCombine
  #endif

  /// A publisher of the later states of an object, which finishes after it has published the object's deletion.
  ///
  /// ```swift
  /// workspace.publisher(for: post)
  ///   .sink { change in
  ///     guard case .updated(let post) = change else { return print("deleted") }
  ///     print("now \(post.priority)")
  ///   }
  ///   .store(in: &cancellables)
  /// ```
  ///
  /// Each subscriber subscribes to the workspace when it first demands a value. If the object is out of date then,
  /// its present state is published first. Values are published in the order of the commits, before the completion
  /// handlers of their transactions, on a background queue. While a subscriber demands no value, only the latest
  /// state waits for it.
  ///
  /// In a class of the main actor, write `receive(on: DispatchQueue.main)` right after the publisher, before any `map`
  /// or `sink`. Otherwise Swift stops the program when the first value comes on another thread.
  ///
  /// A publisher keeps a reference to its workspace, a subscription does not. It does not finish when the workspace
  /// is shut down.
  ///
  /// See also: Documentation/observing.md (Publishers).
  public struct AtomPublisher<Element: Atom & Equatable>: Publisher, Sendable {
    /// The latest state of the object, or its deletion.
    public typealias Output = SubscribedObject<Element>
    /// A publisher does not fail.
    public typealias Failure = Never

    private let workspace: any Workspace
    private let object: Element

    init(_ workspace: any Workspace, _ object: Element) {
      self.workspace = workspace
      self.object = object
    }

    /// Subscribes `subscriber` to the object. Combine calls this method from `subscribe(_:)`.
    public func receive<Downstream: Subscriber>(
      subscriber: Downstream
    ) where Downstream.Input == SubscribedObject<Element>, Downstream.Failure == Never {
      let subscription = PublisherSubscription(subscriber) { [workspace, object] subscription in
        workspace.subscribe(object: object) { [weak subscription] in subscription?.post($0) }
      }
      subscriber.receive(subscription: subscription)
    }
  }

  extension SubscribedObject: PublishedUpdate {
    var isLast: Bool {
      switch self {
      case .updated: false
      case .deleted: true
      }
    }

    /// Returns this update, never nil: an object's state does not depend on earlier ones.
    func following(_ former: SubscribedObject) -> SubscribedObject? { self }
  }
#endif
