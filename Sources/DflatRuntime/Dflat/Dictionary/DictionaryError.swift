/// A problem with a key of the dictionary. The workspace's error handler gets it, because the dictionary's methods do
/// not throw.
///
/// ```swift
/// let workspace = SQLiteWorkspace.temporary { error in
///   guard let error = error as? DictionaryError, case .unreadable = error.reason else { return print(error) }
///   print("the key \(error.key ?? "") holds a value of another type")
/// }
/// ```
///
/// See also: Documentation/dictionary.md (What can go wrong?).
public struct DictionaryError: Error, Sendable {
  /// The kind of a problem.
  public enum Reason: Sendable {
    /// The stored value is not of the type that was requested. It reads as absent, and stays stored.
    case unreadable(UnreadableDictionaryValue, requested: String)
    /// A value could not be encoded, and was not stored.
    case notEncoded(any Error)
    /// A value could not be read. It reads as absent until a read succeeds.
    case notRead(any Error)
    /// A value could not be written, and never will be: the key has its stored value again.
    case refused(any Error)
    /// A value could not be written yet. It stays in memory, and is written later.
    case notWritten(any Error)
    /// The workspace has been shut down: the value was not stored.
    case shutDown
    /// `synchronize()` was called in a transaction that has taken the writer: nothing else can be written before it
    /// ends.
    case synchronizedInTransaction
  }

  /// The key; nil if the error is not about one key.
  public let key: String?
  /// The namespace of the key.
  public let namespace: String
  /// The kind of the problem.
  public let reason: Reason

  /// Creates an error.
  public init(key: String?, namespace: String, _ reason: Reason) {
    self.key = key
    self.namespace = namespace
    self.reason = reason
  }
}

extension DictionaryError: CustomStringConvertible {
  /// The error as an English text of one or two sentences.
  public var description: String {
    let name =
      (key.map { "The key \"\($0)\"" } ?? "A key") + (namespace.isEmpty ? "" : " of namespace \"\(namespace)\"")
    switch reason {
    case .unreadable(.otherType(let stored), let requested):
      return "\(name) holds \(stored), and was read as \(requested): it reads as absent."
    case .unreadable(.otherVersion(let version), let requested):
      let stored = version.map { "version \($0)" } ?? "no version"
      return "\(name) holds a FlatBuffer of \(stored) of its type, other than that of \(requested): it reads as absent."
    case .unreadable(.damaged(let problem), let requested):
      return "\(name) cannot be read as \(requested), so it reads as absent: \(problem)."
    case .notEncoded(let error): return "\(name) keeps its value, since the new one could not be encoded: \(error)"
    case .notRead(let error): return "\(name) could not be read: \(error)"
    case .refused(let error):
      return "\(name) keeps the value that is on disk, since the new one cannot be written: \(error)"
    case .notWritten(let error):
      return "\(name) could not be written yet; it stays in memory, and is tried again: \(error)"
    case .shutDown: return "\(name) was set after the workspace had been shut down: the value was not stored."
    case .synchronizedInTransaction:
      return """
        The dictionary was synchronized in a transaction that has begun to write: nothing else can be written before it ends. \
        Synchronize after the transaction, or before its first change.
        """
    }
  }
}
