/// Why a change request, or a transaction, was not carried out.
///
/// ```swift
/// do {
///   try transaction.submit(request)
/// } catch TransactionError.objectAlreadyExists(let key) {
///   print(key)  // Another Post has the primary key title "Swift".
/// } catch {
///   print(error)  // With its cause, such as an error of SQLite.
/// }
/// ```
///
/// Errors are equal if they are of one case, whatever their cause: `error == .objectAlreadyExists`, and `catch` or `case` without the
/// value in parentheses, tell the case alone.
public enum TransactionError: Error, Sendable {
  /// The transaction has been aborted.
  case aborted
  /// Another object has the same primary key, or the same value of a unique field. The rest of the transaction stands.
  case objectAlreadyExists(TakenKey)
  /// There is no room left to write to. The whole transaction has failed. With its cause.
  case diskFull(any Error)
  /// The change could not be written. The whole transaction has failed. With its cause: a `SQLiteError` or a `PostgresError`, or another
  /// error that says in its description what to do.
  case others(any Error)

  /// `objectAlreadyExists` of a key that is not known.
  public static var objectAlreadyExists: TransactionError { .objectAlreadyExists(TakenKey()) }
  /// `diskFull` without a cause.
  public static var diskFull: TransactionError { .diskFull(UnknownCause()) }
  /// `others` without a cause.
  public static var others: TransactionError { .others(UnknownCause()) }

  /// Why the store has refused or failed; nil if the transaction was aborted, a key is taken, or it is not known.
  public var cause: (any Error)? {
    switch self {
    case .aborted, .objectAlreadyExists: nil
    case .diskFull(let cause), .others(let cause): cause is UnknownCause ? nil : cause
    }
  }

  /// Whether the transaction may succeed if it is run again without a change. This is so if another process or workspace has changed the
  /// same objects first, or somebody has set a key of the dictionary that the transaction had read.
  public var mayBeTriedAgain: Bool { (cause as? any TransientError)?.isTransient ?? false }
}

/// An error that may not occur again when a transaction is run again.
package protocol TransientError: Error {
  var isTransient: Bool { get }
}

private struct UnknownCause: Error {}

extension TransactionError: Hashable {
  private var number: Int {
    switch self {
    case .aborted: 0
    case .objectAlreadyExists: 1
    case .diskFull: 2
    case .others: 3
    }
  }

  /// Whether both errors are of one case.
  public static func == (lhs: TransactionError, rhs: TransactionError) -> Bool { lhs.number == rhs.number }

  /// Hashes the case.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension TransactionError: CustomStringConvertible {
  /// The error as an English text.
  public var description: String {
    switch self {
    case .aborted: "The transaction was aborted."
    case .objectAlreadyExists(let key): key.description
    case .diskFull: "There is no room left to write to\(cause.map { ": \($0)" } ?? ".")"
    case .others: cause.map { "\($0)" } ?? "The transaction could not be carried out; the error handler was told why."
    }
  }
}

/// A primary key, or a value of a unique field, that another object has.
public struct TakenKey: Hashable, Sendable {
  /// A field of the key, and its value as text.
  public struct Field: Hashable, Sendable {
    /// The name of the field in Swift; of a field in another table, with the names that lead to it.
    public let name: String
    /// The value.
    public let value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }

  /// The name of the object's type; empty if it is not known.
  public let type: String
  /// The fields of the primary key, or the unique field; empty if they are not known.
  public let fields: [Field]
  /// Whether the fields are the primary key.
  public let isPrimaryKey: Bool

  package init(type: String = "", fields: [Field] = [], isPrimaryKey: Bool = false) {
    self.type = type
    self.fields = fields
    self.isPrimaryKey = isPrimaryKey
  }
}

extension TakenKey: CustomStringConvertible {
  /// The key as an English text.
  public var description: String {
    guard !fields.isEmpty else {
      return "Another \(type.isEmpty ? "object" : type) has the primary key, or a unique value, of the submitted one."
    }
    let fields = fields.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    return "Another \(type) has the \(isPrimaryKey ? "primary key" : "unique value") \(fields)."
  }
}

extension TakenKey {
  /// The message with which `try(submit:)` stops a program that has submitted the key.
  @usableFromInline package var adviceForTry: String {
    "\(description) It was submitted by try(submit:), for which that is an error of the program: "
      + "write try submit(_:), which throws TransactionError.objectAlreadyExists, or submit an upsert request."
  }
}
