/// The isolation and the access of a session's transactions whose BEGIN names none.
///
/// Setting them in each BEGIN would take a noticeable part of a short transaction. So the pool prefers connections
/// whose session already fits, and BEGIN names only what differs.
struct SessionDefaults {
  /// Whether a transaction may write.
  enum Access: String {
    /// With read-only access, the server need not look for conflicts while no transaction writes.
    case readOnly = "READ ONLY"
    case readWrite = "READ WRITE"
  }

  /// How transactions of users are isolated from each other.
  enum Isolation: String {
    case serializable = "SERIALIZABLE"
    /// The highest level that a standby has.
    case repeatableRead = "REPEATABLE READ"
  }

  private let isolation: Isolation

  /// The access of transactions whose BEGIN names none; nil if it is unknown, since a pooler may assign another session
  /// to each transaction.
  private(set) var access: Access?
  /// How many transactions in a row have written in a session set for reading.
  private var writingCount = 0

  /// The number of writing transactions in a row after which the session is changed: more are then likely to follow,
  /// and share the cost of the change.
  private static let writingLimit = 8

  init(_ access: Access?, _ isolation: Isolation = .serializable) {
    self.access = access
    self.isolation = isolation
  }

  /// Records what the session is used for next.
  ///
  /// - Returns: the access that the caller has to set first; nil if the session stays as it is.
  mutating func change(for use: Access) -> Access? {
    guard let access, access != use else {
      writingCount = 0
      return nil
    }
    if use == .readWrite {
      writingCount += 1
      guard writingCount > Self.writingLimit else { return nil }
    }
    writingCount = 0
    self.access = use
    return use
  }

  /// Returns the statement that begins a transaction.
  func beginning(of kind: TransactionKind) -> String {
    switch (kind, access) {
    case (.writing, .readWrite), (.reading, .readOnly): "BEGIN"
    case (.writing, .readOnly): "BEGIN READ WRITE"
    case (.reading, .readWrite): "BEGIN READ ONLY"
    case (.writing, nil): "BEGIN ISOLATION LEVEL \(isolation.rawValue) READ WRITE"
    case (.reading, nil): "BEGIN ISOLATION LEVEL \(isolation.rawValue) READ ONLY NOT DEFERRABLE"
    case (.preparing, _): "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    }
  }
}

/// The kinds of transactions, by what they do.
enum TransactionKind {
  /// Serializable, as all transactions of users are.
  case writing
  /// Serializable, too, and changes nothing.
  case reading
  /// Makes tables; each of its statements sees what was committed before it.
  case preparing
}
