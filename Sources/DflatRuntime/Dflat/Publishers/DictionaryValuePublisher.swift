#if PUBLISHERS
  #if canImport(Combine)
    import Combine
  #else
    import Dflat
    import OpenCombine
  #endif

  /// A publisher of the value of a key of the dictionary: the present value, and then each later one.
  ///
  /// ```swift
  /// workspace.dictionary.publisher("launches", of: Int.self)
  ///   .sink { change in print(change.value ?? 0) }
  ///   .store(in: &cancellables)
  /// ```
  ///
  /// Each subscriber subscribes to the key when it first demands a value. The thread that sets the key calls it, as
  /// it calls a callback: see `WorkspaceDictionary.subscribe(_:of:changeHandler:)`. While a subscriber demands no
  /// value, only the latest one waits for it.
  ///
  /// See also: Documentation/dictionary.md (Subscriptions).
  public struct DictionaryValuePublisher<Element: Equatable & Sendable>: Publisher, Sendable {
    /// The value of the key, or its removal.
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

    /// Subscribes `subscriber` to the key. Combine calls this method from `subscribe(_:)`.
    public func receive<Downstream: Subscriber>(
      subscriber: Downstream
    ) where Downstream.Input == Output, Downstream.Failure == Never {
      subscriber.receive(subscription: PublisherSubscription(subscriber, start: start))
    }
  }

  extension SubscribedDictionaryValue: PublishedUpdate {
    var isLast: Bool { false }

    /// Returns this update, never nil: a value does not depend on earlier ones.
    func following(_ former: SubscribedDictionaryValue) -> SubscribedDictionaryValue? { self }
  }

  extension WorkspaceDictionary {
    /// Returns a publisher of the value of a key: the present value, and then each later one.
    public func publisher<Value: DictionaryPrimitive>(_ key: String, of type: Value.Type) -> DictionaryValuePublisher<
      Value
    > {
      DictionaryValuePublisher(self, key, PrimitiveCoding<Value>.self)
    }

    /// Returns a publisher of the value of a key: the present value, and then each later one.
    @_disfavoredOverload
    public func publisher<Value: Codable & Equatable & Sendable>(
      _ key: String, of type: Value.Type
    ) -> DictionaryValuePublisher<Value> {
      DictionaryValuePublisher(self, key, PropertyListCoding<Value>.self)
    }

    /// Returns a publisher of the value of a key: the present value, and then each later one.
    public func publisher<Value: FlatBuffersCodable & Equatable & Sendable>(
      _ key: String, of type: Value.Type
    ) -> DictionaryValuePublisher<Value> {
      DictionaryValuePublisher(self, key, FlatBufferCoding<Value>.self)
    }
  }
#endif
