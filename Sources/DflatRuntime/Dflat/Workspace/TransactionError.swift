/// The reason why a change request, or a whole transaction, was not carried out.
///
/// ```swift
/// do {
///   try await workspace.performChanges([Post.self]) { transaction in
///     try transaction.submit(PostChangeRequest.creationRequest(post))
///   }
/// } catch TransactionError.objectAlreadyExists(let key) {
///   print(key)  // Another Post has the primary key title "Swift".
/// } catch let error as TransactionError where error.mayBeTriedAgain {
///   print("another process was first")
/// } catch {
///   print(error)  // With its cause, such as an error of SQLite.
/// }
/// ```
///
/// Errors are equal if they have the same case, whatever their causes: `error == .objectAlreadyExists`, and `catch`
/// or `case` without the value in parentheses, match the case alone.
///
/// See also: ``TransactionContext``, ``TakenKey``, Documentation/using-the-store.md (Errors).
public enum TransactionError: Error, Sendable {
  /// The transaction has been aborted.
  case aborted
  /// Another object has the same primary key, or the same value of a unique field. The rest of the transaction stands.
  case objectAlreadyExists(TakenKey)
  /// There is no room left to write to. The whole transaction has failed. The associated value is the cause.
  case diskFull(any Error)
  /// The change could not be written. The whole transaction has failed. The associated value is the cause: a
  /// `SQLiteError`, a `PostgresError`, or another error whose description says what to do.
  case others(any Error)

  /// The error `objectAlreadyExists` of an unknown key.
  public static var objectAlreadyExists: TransactionError { .objectAlreadyExists(TakenKey()) }
  /// The error `diskFull` without a cause.
  public static var diskFull: TransactionError { .diskFull(UnknownCause()) }
  /// The error `others` without a cause.
  public static var others: TransactionError { .others(UnknownCause()) }

  /// The error of the database that made the transaction fail. It is nil for `aborted` and `objectAlreadyExists`, and
  /// if no cause is known.
  public var cause: (any Error)? {
    switch self {
    case .aborted, .objectAlreadyExists: nil
    case .diskFull(let cause), .others(let cause): cause is UnknownCause ? nil : cause
    }
  }

  /// Whether the transaction may succeed if it is run again unchanged.
  ///
  /// It is true if another process or workspace has changed the same objects first, or if a key of the dictionary
  /// that the transaction had read was set meanwhile. It is also true for some failures that may pass, such as a
  /// file that another process has locked for too long, or a connection to a server that broke.
  public var mayBeTriedAgain: Bool { (cause as? any TransientError)?.isTransient ?? false }
}

/// An error that can say whether a second run of the transaction may succeed.
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

  /// Returns whether both errors have the same case.
  public static func == (lhs: TransactionError, rhs: TransactionError) -> Bool { lhs.number == rhs.number }

  /// Hashes the case, without the associated value.
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

/// A primary key, or a value of a unique field, that another object already has.
///
/// ```swift
/// do {
///   try transaction.submit(PostChangeRequest.creationRequest(post))
/// } catch TransactionError.objectAlreadyExists(let key) where key.isPrimaryKey {
///   print(key.fields.map { "\($0.name) is \($0.value)" })  // ["title is Hello"]
/// }
/// ```
///
/// See also: ``TransactionError``, Documentation/using-the-store.md (Errors).
public struct TakenKey: Hashable, Sendable {
  /// A field of the key, and its value as text.
  public struct Field: Hashable, Sendable {
    /// The field's name in Swift. A field in a nested table has the path that leads to it, such as `content.text`.
    public let name: String
    /// The field's value as text.
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
  /// The message with which `try(submit:)` stops a program that has submitted a taken key.
  @usableFromInline package var adviceForTry: String {
    "\(description) It was submitted by try(submit:), for which that is an error of the program: "
      + "write try submit(_:), which throws TransactionError.objectAlreadyExists, or submit an upsert request."
  }
}
