/// What the transactions of a session are unless their BEGIN says otherwise: serializable, and with a certain access.
///
/// To set again what is set takes the server a part of each short transaction. So connections are kept apart by what they are used
/// for, and BEGIN names what differs.
struct SessionDefaults {
  /// What a transaction may do.
  enum Access: String {
    /// The server need not look for conflicts while nobody writes.
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

  /// nil if nothing is known of the session: a connection pooler may hand out another one for each transaction.
  private(set) var access: Access?
  /// How many transactions in a row have written in a session of reading.
  private var writingCount = 0

  /// So many in a row make it likely that others follow: one that sets the session back has them pay for that together.
  private static let writingLimit = 8

  init(_ access: Access?, _ isolation: Isolation = .serializable) {
    self.access = access
    self.isolation = isolation
  }

  /// Notes what the session is used for next.
  ///
  /// - Returns: the access that it has to be given before; nil if it stays as it is.
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

  /// The statement that begins a transaction.
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

/// What a transaction does.
enum TransactionKind {
  /// Serializable, as all transactions of users are.
  case writing
  /// Serializable, too, and changes nothing.
  case reading
  /// Makes tables; each of its statements sees what was committed before it.
  case preparing
}
