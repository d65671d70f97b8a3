/// What went wrong with a key of the dictionary. Its calls do not throw: the workspace's error handler gets it.
public struct DictionaryError: Error, Sendable {
  /// What went wrong.
  public enum Reason: Sendable {
    /// The value that is stored is not of the type that it was read as. It reads as absent, and stays stored.
    case unreadable(UnreadableDictionaryValue, requested: String)
    /// A value could not be encoded, and was not stored.
    case notEncoded(any Error)
    /// A value could not be read. It reads as absent until that succeeds.
    case notRead(any Error)
    /// A value could not be written, and is taken back: the key has again the value that is on disk.
    case refused(any Error)
    /// A value could not be written yet. It stays in memory, and is tried again.
    case notWritten(any Error)
    /// The workspace has been shut down: the value was not stored.
    case shutDown
    /// `synchronize()` was called in a transaction that has to end before anything else can be written.
    case synchronizedInTransaction
  }

  /// The key; nil if the error is not about one key.
  public let key: String?
  /// The namespace of the key.
  public let namespace: String
  /// What went wrong.
  public let reason: Reason

  /// Describes an error.
  public init(key: String?, namespace: String, _ reason: Reason) {
    self.key = key
    self.namespace = namespace
    self.reason = reason
  }
}

extension DictionaryError: CustomStringConvertible {
  /// The error in a sentence or two, for people.
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
