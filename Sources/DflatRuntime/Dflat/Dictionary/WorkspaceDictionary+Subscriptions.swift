import FlatBuffersCore

// The forms in which an app subscribes to keys, for each family of types: with a callback, and as an asynchronous
// sequence.

extension WorkspaceDictionary {
  /// Calls `changeHandler` with the value of a key, at once on the calling thread, and then with each later one: one
  /// call after another, in the order of the changes.
  ///
  /// The later calls are made by the thread that sets the key, before the setter returns; unless another thread is in
  /// the handler, which then makes the call. For changes by a transaction, or another process, they are made on a
  /// background queue; for those of a transaction, before its completion handler is called.
  ///
  /// - Returns: the subscription, which is cancelled when it is released.
  public func subscribe<Value: DictionaryPrimitive>(
    _ key: String, of type: Value.Type,
    changeHandler: sending @escaping (_ value: SubscribedDictionaryValue<Value>) -> Void
  ) -> any WorkspaceSubscription {
    _subscribe(key, PrimitiveCoding<Value>.self, changeHandler)
  }

  /// Calls `changeHandler` with the value of a key, at once, and then with each later one, as for a number.
  ///
  /// Later values are read on other threads, so that the conformances of `Value` may not belong to an actor.
  @_disfavoredOverload
  public func subscribe<Value: Codable & Equatable & NonisolatedByDefault>(
    _ key: String, of type: Value.Type,
    changeHandler: sending @escaping (_ value: SubscribedDictionaryValue<Value>) -> Void
  ) -> any WorkspaceSubscription {
    _subscribe(key, PropertyListCoding<Value>.self, changeHandler)
  }

  /// Calls `changeHandler` with the value of a key, at once, and then with each later one, as for a number.
  public func subscribe<Value: FlatBuffersCodable & Equatable>(
    _ key: String, of type: Value.Type,
    changeHandler: sending @escaping (_ value: SubscribedDictionaryValue<Value>) -> Void
  ) -> any WorkspaceSubscription {
    _subscribe(key, FlatBufferCoding<Value>.self, changeHandler)
  }
}

extension WorkspaceDictionary {
  /// The values of a key, as an asynchronous sequence: that which it has, and then each later one. It ends when the
  /// workspace is shut down.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - type: the type of its values.
  ///   - bufferingPolicy: which values are kept for a task that does not take them; the latest one, unless told.
  public func subscribe<Value: DictionaryPrimitive>(
    _ key: String, of type: Value.Type,
    bufferingPolicy: AsyncStream<SubscribedDictionaryValue<Value>>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<SubscribedDictionaryValue<Value>> {
    _stream(key, PrimitiveCoding<Value>.self, bufferingPolicy)
  }

  /// The values of a key, as an asynchronous sequence, as for a number.
  @_disfavoredOverload
  public func subscribe<Value: Codable & Equatable & Sendable>(
    _ key: String, of type: Value.Type,
    bufferingPolicy: AsyncStream<SubscribedDictionaryValue<Value>>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<SubscribedDictionaryValue<Value>> {
    _stream(key, PropertyListCoding<Value>.self, bufferingPolicy)
  }

  /// The values of a key, as an asynchronous sequence, as for a number.
  public func subscribe<Value: FlatBuffersCodable & Equatable & Sendable>(
    _ key: String, of type: Value.Type,
    bufferingPolicy: AsyncStream<SubscribedDictionaryValue<Value>>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<SubscribedDictionaryValue<Value>> {
    _stream(key, FlatBufferCoding<Value>.self, bufferingPolicy)
  }
}

extension WorkspaceDictionary {
  package func _subscribe<Coding: DictionaryCoding>(
    _ key: String, _ coding: Coding.Type,
    _ changeHandler: sending @escaping (_ value: SubscribedDictionaryValue<Coding.Value>) -> Void
  ) -> any WorkspaceSubscription {
    let handler = DictionaryChangeHandler(coding, changeHandler)
    return _subscribe(key, changeHandler: { handler.receive($0) }, endHandler: {})
  }

  private func _stream<Coding: DictionaryCoding>(
    _ key: String, _ coding: Coding.Type,
    _ policy: AsyncStream<SubscribedDictionaryValue<Coding.Value>>.Continuation.BufferingPolicy
  ) -> AsyncStream<SubscribedDictionaryValue<Coding.Value>> where Coding.Value: Sendable {
    let (stream, continuation) = AsyncStream.makeStream(
      of: SubscribedDictionaryValue<Coding.Value>.self, bufferingPolicy: policy)
    let handler = DictionaryChangeHandler(coding) { continuation.yield($0) }
    let subscription = _subscribe(key, changeHandler: { handler.receive($0) }, endHandler: { continuation.finish() })
    continuation.onTermination = { _ in subscription.cancel() }
    return stream
  }
}

/// Makes of the stored forms of a key what a subscriber is told.
final class DictionaryChangeHandler<Coding: DictionaryCoding>: @unchecked Sendable {
  // Unchecked: the closure was sent here, and the workspace makes one call at a time.

  private let changeHandler: (SubscribedDictionaryValue<Coding.Value>) -> Void
  private var isInitial = true
  private var former: Coding.Value?

  init(_ coding: Coding.Type, _ changeHandler: sending @escaping (SubscribedDictionaryValue<Coding.Value>) -> Void) {
    self.changeHandler = changeHandler
  }

  /// - Returns: why the value could not be read; nil if it was, or there is none.
  func receive(_ stored: StoredDictionaryValue?) -> DictionaryError.Reason? {
    var problem: DictionaryError.Reason?
    var value: Coding.Value?
    do {
      value = try stored.map { try Coding.value($0) }
    } catch {
      problem = .unreadable(UnreadableDictionaryValue(error), requested: "\(Coding.Value.self)")
    }
    defer { former = value }
    if isInitial {
      isInitial = false
      changeHandler(.initial(value))
    } else if let value {
      if !Coding.isSame(value, former) { changeHandler(.updated(value)) }
    } else if former != nil {
      changeHandler(.deleted)
    }
    return problem
  }
}
