/// The keys and values of a dictionary: that of a workspace, or of a transaction.
///
/// A value is a Boolean value, an `Int`, a `UInt`, a `Float`, a `Double`, a `String`, or of any type that is
/// `Equatable` and either `Codable` or `FlatBuffersCodable`. It is read as the type that it was written as: as any
/// other, it is absent, and the error handler is told once. Keys are compared by their bytes.
public protocol DictionaryAccess {
  /// The keys that have a value, of whatever type, in no order. It reads all keys from the disk.
  var keys: [String] { get }

  /// Removes all keys of the namespace.
  func removeAll()

  /// The same for the keys of another namespace. Keys of different namespaces have nothing to do with each other; that
  /// of `workspace.dictionary` is the empty string.
  func namespace(_ name: String) -> Self

  /// The value of a key in its stored form; nil if there is none.
  func _storedValue(forKey key: String) -> StoredDictionaryValue?

  /// The value that a new one is compared with; nil if there is none, or it is not worth while to find out.
  func _comparedValue(forKey key: String) -> StoredDictionaryValue?

  /// Sets the value of a key, which nil removes.
  func _setStoredValue(_ value: StoredDictionaryValue?, forKey key: String)

  /// Tells the error handler what went wrong with a key. That a value cannot be read is told once, until the key is set
  /// again.
  func _report(_ reason: DictionaryError.Reason, forKey key: String)
}

/// The dictionary of a workspace: a persisted store of values by key, cached in memory.
///
/// ```swift
/// workspace.dictionary["launches"] = 1
/// let launches = workspace.dictionary["launches", default: 0]
/// ```
///
/// It may be used on any thread. A value that was set is seen by all threads at once, and written in the background. If
/// several threads set a key, the last call wins, in memory and on disk. To change keys together with objects, or a key
/// depending on its value, use `TransactionContext.dictionary`.
public protocol WorkspaceDictionary: DictionaryAccess, Sendable {
  /// Waits until everything is on disk that was set before this call, on this thread and those that it has heard from.
  ///
  /// - Returns: whether it is. If not, the error handler was told why. In a transaction that has begun to write it
  ///   returns false.
  @discardableResult
  func synchronize() -> Bool

  /// Reads all values of the namespace at once, so that the first use of each key need not read the disk.
  func load()

  /// Calls `changeHandler` with the stored form of the value that a key has, at once, and then of each later one: one
  /// call after another, in the order of the changes.
  ///
  /// - Parameters:
  ///   - changeHandler: returns what has to be reported, see `_report(_:forKey:)`.
  ///   - endHandler: called when no more will come because the workspace was shut down.
  func _subscribe(
    _ key: String,
    changeHandler: @escaping @Sendable (_ value: StoredDictionaryValue?) -> DictionaryError.Reason?,
    endHandler: @escaping @Sendable () -> Void
  ) -> any WorkspaceSubscription
}
