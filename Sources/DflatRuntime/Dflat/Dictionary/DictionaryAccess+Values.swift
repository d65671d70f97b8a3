// The subscripts by which an app reads and sets keys, one for each family of types. A type may belong to several
// families: an `Int` is `Codable`, too, and so may be a FlatBuffers value. Swift takes the disfavored subscript for
// `Codable` values only if no other fits.

extension DictionaryAccess {
  /// The value of a key; nil if it has no value of this type. Set it to nil to remove the key.
  ///
  /// ```swift
  /// dictionary["name"] = "Ada"
  /// let name: String? = dictionary["name"]
  /// ```
  ///
  /// The type of the value must be known at the call: from a variable as here, or by `dictionary["name", String.self]`.
  /// A value that was written as another type reads as nil, and the error handler gets a ``DictionaryError`` once.
  ///
  /// See also: Documentation/dictionary.md (Values).
  @inlinable
  public subscript<Value: DictionaryPrimitive>(key: String) -> Value? {
    // Inlined here and below, so that the type is known at the call: generic code would take as long as the look-up
    // itself. See the benchmark rows "read 40,000 Int, known" and "set 40,000 Int, the calls alone".
    @inline(__always)
    get {
      guard let stored = _storedValue(forKey: key) else { return nil }
      return Value(_stored: stored) ?? _value(forKey: key, PrimitiveCoding<Value>.self)
    }
    @inline(__always)
    nonmutating set { _setStoredValue(newValue?._stored, forKey: key) }
  }

  /// The value of a key; nil if it has no value of this type. Set it to nil to remove the key.
  ///
  /// ```swift
  /// dictionary["theme"] = Theme.dark
  /// let theme: Theme? = dictionary["theme"]
  /// ```
  ///
  /// The value is stored as a binary property list. The thread that sets it encodes it. A thread that reads it decodes
  /// it, unless the workspace has the decoded value in memory. If it cannot be encoded, the key keeps its value, and
  /// the error handler is told.
  @_disfavoredOverload
  public subscript<Value: Codable & Equatable>(key: String) -> Value? {
    get { _value(forKey: key, PropertyListCoding<Value>.self) }
    nonmutating set { _setValue(newValue, forKey: key, PropertyListCoding<Value>.self) }
  }

  /// The value of a key; nil if it has no value of this type. Set it to nil to remove the key.
  ///
  /// ```swift
  /// dictionary["draft"] = Post(title: "Hello")
  /// let draft: Post? = dictionary["draft"]
  /// ```
  ///
  /// The value is stored as a FlatBuffer, with the version of its type. A FlatBuffer of another version, or a damaged
  /// one, reads as nil. It is no object of the store: no query finds it.
  public subscript<Value: FlatBuffersCodable & Equatable>(key: String) -> Value? {
    get { _value(forKey: key, FlatBufferCoding<Value>.self) }
    nonmutating set { _setValue(newValue, forKey: key, FlatBufferCoding<Value>.self) }
  }

  /// Nil: this subscript makes `dictionary["key"] = nil` compile, which removes the key.
  public subscript(key: String) -> Never? {
    get { nil }
    nonmutating set { _setStoredValue(nil, forKey: key) }
  }
}

// With an explicit type, where the context does not tell it.
extension DictionaryAccess {
  /// The value of a key; nil if it has no value of type `type`. Set it to nil to remove the key.
  ///
  /// ```swift
  /// print(dictionary["launches", Int.self] ?? 0)
  /// ```
  @inlinable
  public subscript<Value: DictionaryPrimitive>(key: String, type: Value.Type) -> Value? {
    @inline(__always)
    get { self[key] }
    nonmutating set { self[key] = newValue }
  }

  /// The value of a key; nil if it has no value of type `type`. Set it to nil to remove the key.
  @_disfavoredOverload
  public subscript<Value: Codable & Equatable>(key: String, type: Value.Type) -> Value? {
    get { self[key] }
    nonmutating set { self[key] = newValue }
  }

  /// The value of a key; nil if it has no value of type `type`. Set it to nil to remove the key.
  public subscript<Value: FlatBuffersCodable & Equatable>(key: String, type: Value.Type) -> Value? {
    get { self[key] }
    nonmutating set { self[key] = newValue }
  }
}

// With a default, which is stored only if the value is changed in place: `dictionary["launches", default: 0] += 1`.
extension DictionaryAccess {
  /// The value of a key, or `defaultValue` if it has no value of this type.
  ///
  /// ```swift
  /// dictionary["launches", default: 0] += 1
  /// ```
  ///
  /// The default is stored only by a change in place, as here. That is a read and a write: two threads that count in
  /// one key of a workspace's dictionary may lose a step. In a transaction, the transaction's `dictionary` loses none.
  ///
  /// See also: ``TransactionContext/dictionary``.
  @inlinable
  public subscript<Value: DictionaryPrimitive>(
    key: String, default defaultValue: @autoclosure () -> Value
  ) -> Value {
    @inline(__always)
    get { self[key] ?? defaultValue() }
    nonmutating set { self[key] = newValue }
  }

  /// The value of a key, or `defaultValue` if it has no value of this type.
  @_disfavoredOverload
  public subscript<Value: Codable & Equatable>(key: String, default defaultValue: @autoclosure () -> Value) -> Value {
    get { self[key] ?? defaultValue() }
    nonmutating set { self[key] = newValue }
  }

  /// The value of a key, or `defaultValue` if it has no value of this type.
  public subscript<Value: FlatBuffersCodable & Equatable>(
    key: String, default defaultValue: @autoclosure () -> Value
  ) -> Value {
    get { self[key] ?? defaultValue() }
    nonmutating set { self[key] = newValue }
  }
}

extension DictionaryAccess {
  /// Removes a key, as setting it to nil does. A key without a value may be removed, too.
  ///
  /// ```swift
  /// dictionary.removeValue(forKey: "draft")
  /// ```
  public func removeValue(forKey key: String) { _setStoredValue(nil, forKey: key) }

  @usableFromInline
  func _value<Coding: DictionaryCoding>(forKey key: String, _ coding: Coding.Type) -> Coding.Value? {
    guard let stored = _storedValue(forKey: key) else { return nil }
    do {
      return try Coding.value(stored)
    } catch {
      _report(.unreadable(UnreadableDictionaryValue(error), requested: "\(Coding.Value.self)"), forKey: key)
      return nil
    }
  }

  /// Sets the value of a key, unless it equals the stored one. The calling thread encodes it, with no lock held.
  func _setValue<Coding: DictionaryCoding>(_ value: Coding.Value?, forKey key: String, _ coding: Coding.Type) {
    guard let value else { return _setStoredValue(nil, forKey: key) }
    // `try?`: a stored value that cannot be read as this type is a different one, and is replaced.
    if let stored = _comparedValue(forKey: key), let former = try? Coding.value(stored), Coding._isSame(former, value) {
      return
    }
    do {
      _setStoredValue(try Coding.stored(value), forKey: key)
    } catch {
      _report(.notEncoded(error), forKey: key)
    }
  }
}
