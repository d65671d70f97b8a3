#if PUBLISHERS
  #if canImport(Combine)
    import Combine
  #else
    import Dflat
    import OpenCombine
  #endif

  /// Publishes each later state of an object, and finishes after it has published that the object was deleted.
  ///
  /// It may be subscribed to many times. Each subscriber subscribes to the workspace when it first demands a value, and is
  /// brought up to date then if the object is out of date. Values are published in the order of the commits, before the
  /// completion handlers of these, on a background queue. While a subscriber demands none, only the latest state waits for it.
  ///
  /// A publisher refers to its workspace, a subscription does not. It does not finish when the workspace is shut down.
  public struct AtomPublisher<Element: Atom & Equatable>: Publisher, Sendable {
    /// The latest state of the object, or that it was deleted.
    public typealias Output = SubscribedObject<Element>
    /// A publisher does not fail.
    public typealias Failure = Never

    private let workspace: any Workspace
    private let object: Element

    init(_ workspace: any Workspace, _ object: Element) {
      self.workspace = workspace
      self.object = object
    }

    /// Subscribes `subscriber` to the object; called by `subscribe(_:)`.
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

    /// An object's state is the same, whatever came before it.
    func following(_ former: SubscribedObject) -> SubscribedObject? { self }
  }
#endif
