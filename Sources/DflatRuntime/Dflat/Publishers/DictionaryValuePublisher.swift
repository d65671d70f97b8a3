#if PUBLISHERS
  #if canImport(Combine)
    import Combine
  #else
    import Dflat
    import OpenCombine
  #endif

  /// Publishes the value of a key of the dictionary: that which it has, and then each later one.
  ///
  /// It may be subscribed to many times. Each subscriber subscribes to the key when it first demands a value. It is
  /// called by the thread that sets the key, as a callback is; see `WorkspaceDictionary.subscribe(_:of:changeHandler:)`.
  /// While it demands no value, only the latest one waits for it.
  public struct DictionaryValuePublisher<Element: Equatable & Sendable>: Publisher, Sendable {
    /// The value of the key, or that it has none.
    public typealias Output = SubscribedDictionaryValue<Element>
    /// A publisher does not fail.
    public typealias Failure = Never

    private let start: @Sendable (PublisherSubscription<Output>) -> (any WorkspaceSubscription)?

    init<Coding: DictionaryCoding>(_ dictionary: any WorkspaceDictionary, _ key: String, _ coding: Coding.Type)
    where Coding.Value == Element {
      start = { subscription in
        dictionary._subscribe(key, coding) { [weak subscription] in subscription?.post($0) }
      }
    }

    /// Subscribes `subscriber` to the key; called by `subscribe(_:)`.
    public func receive<Downstream: Subscriber>(
      subscriber: Downstream
    ) where Downstream.Input == Output, Downstream.Failure == Never {
      subscriber.receive(subscription: PublisherSubscription(subscriber, start: start))
    }
  }

  extension SubscribedDictionaryValue: PublishedUpdate {
    var isLast: Bool { false }

    /// A value is the same, whatever came before it.
    func following(_ former: SubscribedDictionaryValue) -> SubscribedDictionaryValue? { self }
  }

  extension WorkspaceDictionary {
    /// A publisher of the value of a key: that which it has, and then each later one.
    public func publisher<Value: DictionaryPrimitive>(_ key: String, of type: Value.Type) -> DictionaryValuePublisher<
      Value
    > {
      DictionaryValuePublisher(self, key, PrimitiveCoding<Value>.self)
    }

    /// A publisher of the value of a key: that which it has, and then each later one.
    @_disfavoredOverload
    public func publisher<Value: Codable & Equatable & Sendable>(
      _ key: String, of type: Value.Type
    ) -> DictionaryValuePublisher<Value> {
      DictionaryValuePublisher(self, key, PropertyListCoding<Value>.self)
    }

    /// A publisher of the value of a key: that which it has, and then each later one.
    public func publisher<Value: FlatBuffersCodable & Equatable & Sendable>(
      _ key: String, of type: Value.Type
    ) -> DictionaryValuePublisher<Value> {
      DictionaryValuePublisher(self, key, FlatBufferCoding<Value>.self)
    }
  }
#endif
