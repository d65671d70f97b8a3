/// The keys and values of a dictionary, either of a workspace or of a transaction.
///
/// ```swift
/// dictionary["launches", default: 0] += 1
/// dictionary["theme"] = Theme.dark
/// let theme = dictionary["theme", Theme.self]
/// dictionary["name"] = nil  // Removes the key.
/// ```
///
/// A value is a `Bool`, an `Int`, a `UInt`, a `Float`, a `Double`, a `String`, or of any type that is `Equatable` and
/// either `Codable` or `FlatBuffersCodable`. A value that is read as another type than it was written as reads as
/// absent, and is reported to the error handler once. Keys are compared by their bytes.
///
/// Setting a value that equals the stored one mostly writes nothing. A `Codable` value is encoded as a whole each time
/// that it is set: store lists that grow as objects instead.
///
/// See also: ``WorkspaceDictionary``, ``TransactionContext/dictionary``, Documentation/dictionary.md.
public protocol DictionaryAccess {
  /// The keys that have a value of any type, in no particular order. The getter reads all keys of the namespace from
  /// the store.
  ///
  /// ```swift
  /// for key in dictionary.keys where key.hasPrefix("draft ") { dictionary.removeValue(forKey: key) }
  /// ```
  var keys: [String] { get }

  /// Removes all keys of the namespace. Keys of other namespaces stay.
  ///
  /// ```swift
  /// workspace.dictionary.namespace("cache").removeAll()
  /// ```
  ///
  /// Any thread may call it on a workspace's dictionary. If that fails, the error handler is told.
  ///
  /// See also: Documentation/dictionary.md (Namespaces).
  func removeAll()

  /// Returns the dictionary of another namespace, whose keys are independent of the ones here. The namespace of
  /// `workspace.dictionary` is the empty string.
  ///
  /// ```swift
  /// let settings = workspace.dictionary.namespace("Ada")
  /// settings["theme"] = Theme.dark
  /// ```
  ///
  /// The call reads nothing. Namespaces are not nested: a name means the same in each of them.
  ///
  /// See also: Documentation/dictionary.md (Namespaces).
  func namespace(_ name: String) -> Self

  /// Returns the value of a key in its stored form; nil if it has none.
  func _storedValue(forKey key: String) -> StoredDictionaryValue?

  /// Returns the stored value to compare a new one with; nil if there is none, or if finding it costs too much.
  func _comparedValue(forKey key: String) -> StoredDictionaryValue?

  /// Sets the value of a key. Nil removes the key.
  func _setStoredValue(_ value: StoredDictionaryValue?, forKey key: String)

  /// Reports a problem with a key to the error handler. An unreadable value is reported once until the key is set
  /// again.
  func _report(_ reason: DictionaryError.Reason, forKey key: String)
}

/// The dictionary of a workspace: a persisted store of values by key, for settings, counters, tokens and the like.
///
/// ```swift
/// workspace.dictionary["launches"] = 1
/// let launches = workspace.dictionary["launches", default: 0]
/// ```
///
/// Any thread may use it. All threads see a value as soon as it is set. It is written in the background, mostly
/// within some milliseconds: call `synchronize()` to wait for that. If several threads set a key, the last call wins,
/// in memory and on disk. No call throws: the workspace's error handler gets a ``DictionaryError``.
///
/// A `SQLiteWorkspace` caches the values: the first use of a key reads it from the file, later ones read memory. A
/// `PostgresWorkspace` asks the server at each read of a key that has no value to be written.
///
/// To change keys together with objects, or a key depending on its value, use the `dictionary` of a
/// ``TransactionContext``.
///
/// See also: ``DictionaryAccess``, ``SubscribedDictionaryValue``, ``LiveDictionaryValue``, Documentation/dictionary.md.
public protocol WorkspaceDictionary: DictionaryAccess, Sendable {
  /// Waits until all values that were set before this call are on disk.
  ///
  /// ```swift
  /// workspace.dictionary["token"] = "secret"
  /// guard workspace.dictionary.synchronize() else { return print("not on disk yet") }
  /// ```
  ///
  /// The call blocks its thread. After a crash, a value that is on disk has all earlier ones beside it, also without
  /// this call. `shutdown()` writes what is left.
  ///
  /// It waits for the values that this thread has set, and for the values of other threads whose calls had returned
  /// before. In a transaction that has taken the writer, it returns false at once.
  ///
  /// See also: Documentation/dictionary.md (When is a value on disk?).
  ///
  /// - Returns: false if a value could not be written; the error handler has been told why.
  @discardableResult
  func synchronize() -> Bool

  /// Reads all values of the namespace into memory at once. Without it, the first use of each key reads that key from
  /// the store. On PostgreSQL, which caches no values, it does nothing.
  ///
  /// ```swift
  /// workspace.dictionary.load()
  /// ```
  func load()

  /// Calls `changeHandler` with the stored form of a key's present value at once, and then with each later one. Calls
  /// come one after another, in the order of the changes.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - changeHandler: returns a problem to be reported by `_report(_:forKey:)`, or nil.
  ///   - endHandler: called when the workspace is shut down; no calls follow.
  func _subscribe(
    _ key: String,
    changeHandler: @escaping @Sendable (_ value: StoredDictionaryValue?) -> DictionaryError.Reason?,
    endHandler: @escaping @Sendable () -> Void
  ) -> any WorkspaceSubscription
}
