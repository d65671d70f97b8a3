import FlatBuffersCore

// The methods by which an app subscribes to keys, for each family of types: with a callback, and as an asynchronous
// sequence.

extension WorkspaceDictionary {
  /// Calls `changeHandler` with the value of a key at once, on the calling thread, and then with each later one.
  ///
  /// ```swift
  /// subscription = workspace.dictionary.subscribe("launches", of: Int.self) { change in
  ///   switch change {
  ///   case .initial(let count): print("begins with \(count ?? 0)")
  ///   case .updated(let count): print("now \(count)")
  ///   case .deleted: print("removed")
  ///   }
  /// }
  /// ```
  ///
  /// Keep the subscription: it is cancelled when nothing refers to it any more.
  ///
  /// Calls come one after another, in the order of the changes. The thread that sets the key makes the call before
  /// the setter returns. If another thread is in the handler then, that thread makes the call. After a commit of a
  /// transaction or of another process, a background queue makes the call; for a transaction, before its completion
  /// handler.
  ///
  /// See also: Documentation/dictionary.md (Subscriptions).
  ///
  /// - Returns: the subscription.
  public func subscribe<Value: DictionaryPrimitive>(
    _ key: String, of type: Value.Type,
    changeHandler: sending @escaping (_ value: SubscribedDictionaryValue<Value>) -> Void
  ) -> any WorkspaceSubscription {
    _subscribe(key, PrimitiveCoding<Value>.self, changeHandler)
  }

  /// Calls `changeHandler` with the `Codable` value of a key at once, and then after each change. A value of another type
  /// counts as none: the change to it is told as `.deleted`.
  ///
  /// The calls come as those for a `DictionaryPrimitive`. Other threads decode the later values, so the conformances
  /// of `Value` must not belong to an actor.
  @_disfavoredOverload
  public func subscribe<Value: Codable & Equatable & NonisolatedByDefault>(
    _ key: String, of type: Value.Type,
    changeHandler: sending @escaping (_ value: SubscribedDictionaryValue<Value>) -> Void
  ) -> any WorkspaceSubscription {
    _subscribe(key, PropertyListCoding<Value>.self, changeHandler)
  }

  /// Calls `changeHandler` with the value of a key at once, and then after each change. A value that is no FlatBuffer of
  /// `type` counts as none: the change to it is told as `.deleted`.
  ///
  /// The calls come as those for a `DictionaryPrimitive`.
  public func subscribe<Value: FlatBuffersCodable & Equatable>(
    _ key: String, of type: Value.Type,
    changeHandler: sending @escaping (_ value: SubscribedDictionaryValue<Value>) -> Void
  ) -> any WorkspaceSubscription {
    _subscribe(key, FlatBufferCoding<Value>.self, changeHandler)
  }
}

extension WorkspaceDictionary {
  /// Returns the values of a key as an asynchronous sequence: the present one, and then each later one. It ends when
  /// the workspace is shut down.
  ///
  /// ```swift
  /// for await change in workspace.dictionary.subscribe("launches", of: Int.self) {
  ///   print(change.value ?? 0)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - type: the type of its values.
  ///   - bufferingPolicy: which values are kept for a task that is slower than the changes; by default the latest
  ///     one.
  public func subscribe<Value: DictionaryPrimitive>(
    _ key: String, of type: Value.Type,
    bufferingPolicy: AsyncStream<SubscribedDictionaryValue<Value>>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<SubscribedDictionaryValue<Value>> {
    _stream(key, PrimitiveCoding<Value>.self, bufferingPolicy)
  }

  /// Returns the values of a key as an asynchronous sequence: the present one, and then each later one.
  @_disfavoredOverload
  public func subscribe<Value: Codable & Equatable & Sendable>(
    _ key: String, of type: Value.Type,
    bufferingPolicy: AsyncStream<SubscribedDictionaryValue<Value>>.Continuation.BufferingPolicy = .bufferingNewest(1)
  ) -> AsyncStream<SubscribedDictionaryValue<Value>> {
    _stream(key, PropertyListCoding<Value>.self, bufferingPolicy)
  }

  /// Returns the values of a key as an asynchronous sequence: the present one, and then each later one.
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

/// The handler that decodes the stored forms of a key and calls a subscriber with the changes.
final class DictionaryChangeHandler<Coding: DictionaryCoding>: @unchecked Sendable {
  // Unchecked: the closure was sent here, and the workspace makes one call at a time.

  private let changeHandler: (SubscribedDictionaryValue<Coding.Value>) -> Void
  private var isInitial = true
  private var former: Coding.Value?

  init(_ coding: Coding.Type, _ changeHandler: sending @escaping (SubscribedDictionaryValue<Coding.Value>) -> Void) {
    self.changeHandler = changeHandler
  }

  /// Calls the subscriber with the change to the given stored form; nil means that the key has no value.
  ///
  /// - Returns: why the value could not be read; nil if it was read, or there is none.
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
