import FlatBuffersCore

/// What a submitted change request did, whatever the type of its object.
///
/// A call of `submit(_:)` gives an ``ObjectChange``, unless an `UpdatedObject` is asked for:
/// `let change: UpdatedObject = try transaction.submit(request)`.
public enum UpdatedObject: Sendable {
  /// The object was stored.
  case inserted(any Atom)
  /// The object took the place of its former state.
  case updated(any Atom)
  /// The request changed nothing, and nothing was written.
  case identity(any Atom)
  /// The object in this row was deleted.
  case deleted(Int64)
}

/// What a transaction can do. It belongs to the closure that it is handed to, and to that closure's thread.
public protocol TransactionContext {
  /// Carries out `request`, whose type must be one of those that the transaction named.
  ///
  /// If the object has been changed since the request was made, a request that changes it, too, fails the transaction, so
  /// that neither change undoes the other.
  ///
  /// - Throws: a `TransactionError`: `.objectAlreadyExists`, after which the transaction goes on as if nothing had been submitted;
  ///   `.aborted` after `abort()`; `.diskFull` and `.others` when the whole transaction has failed. Changes are collected, and
  ///   written together: that the disk is full may be found out later, at the latest when the transaction is committed.
  @_disfavoredOverload
  @discardableResult
  func submit(_ request: some ChangeRequest) throws -> UpdatedObject

  /// Carries out `request`. A conflict is a programming error here; any other error fails the transaction, and nil is
  /// returned.
  @_disfavoredOverload
  @discardableResult
  func `try`(submit request: some ChangeRequest) -> UpdatedObject?

  /// Drops everything that the transaction has submitted and will submit.
  ///
  /// - Returns: false when the transaction had already been aborted or had failed.
  @discardableResult
  func abort() -> Bool

  /// The dictionary as the transaction sees and changes it. What is set here is stored together with the transaction's objects,
  /// or not at all, and nobody else sees it before.
  ///
  /// The types that the transaction has named do not matter to it. To read a key, or all of them, the transaction takes the right to
  /// write, so that nobody can change a key between its reading and its end, but for those who set `workspace.dictionary`: if they
  /// do, the transaction fails, and the error handler is told why. A value that cannot be encoded fails it, too.
  var dictionary: any DictionaryAccess { get }
}

// For types of apps that conform with the requirements of Dflat 0.6.
extension TransactionContext {
  /// Carries out `request` with `submit(_:)`. A conflict is a programming error here; any other error aborts the
  /// transaction, and nil is returned.
  @_disfavoredOverload
  @discardableResult
  public func `try`(submit request: some ChangeRequest) -> UpdatedObject? {
    do {
      return try submit(request)
    } catch TransactionError.objectAlreadyExists(let key) {
      stopProgram(key.adviceForTry)
    } catch {
      abort()
      return nil
    }
  }

  /// A programming error: to use a dictionary, the type that conforms to `TransactionContext` has to have one.
  public var dictionary: any DictionaryAccess {
    stopProgram("\(Self.self) has no dictionary. Declare `dictionary` in it to use that of a transaction.")
  }
}

/// What a change request asks for. The object it starts from is its latest state in the running transaction.
public enum RecordChange<Element: Atom> {
  /// Store a new object.
  case create
  /// Replace this object by the one with the request's fields.
  case update(Element)
  /// Store an object, in place of the one with its primary key if there is one.
  case upsert
  /// Delete this object.
  case delete(Element)
  /// The request has been carried out and can do no more.
  case spent
}

/// A change to the stored objects of one type: the generated class whose fields are set before it is submitted.
public protocol ChangeRequest: AnyObject, NonisolatedByDefault {
  /// The class of the objects that the request changes.
  associatedtype Element: Atom & FlatBuffersEncodable

  /// What the request asks for.
  var _change: RecordChange<Element> { get set }

  /// The object with the fields as they are now.
  func _object(_rowid: Int64) -> Element

  /// Whether a comparison of some fields shows that the objects are encoded as different bytes; false is inconclusive.
  static func _differs(_ lhs: Element, _ rhs: Element) -> Bool

  /// Whether a comparison shows that the primary key and all unique values of the objects are the same, to the last bit; false
  /// is inconclusive.
  static func _hasSameKeys(_ lhs: Element, _ rhs: Element) -> Bool
}

extension ChangeRequest {
  /// False: it takes the bytes to tell.
  public static func _differs(_ lhs: Element, _ rhs: Element) -> Bool { false }

  /// False: it takes the bytes to tell.
  public static func _hasSameKeys(_ lhs: Element, _ rhs: Element) -> Bool { false }
}

/// A request that `dflatc` generates: it starts with the values of an object.
public protocol GeneratedChangeRequest: ChangeRequest {
  /// A request that starts with the values of `_object`.
  init(_change: RecordChange<Element>, _object: Element)
}

extension GeneratedChangeRequest {
  /// Takes the elements out of a variable, so that they are changed in place.
  @inlinable
  public func _taken<Value>(_ values: inout [Value]) -> [Value] {
    let taken = values
    values = []
    return taken
  }

  /// Takes the value out of a variable, so that it is changed in place.
  @inlinable
  public func _taken<Value>(_ value: inout Value?) -> Value? {
    let taken = value
    value = nil
    return taken
  }

  /// Stores a new object with the values of `object`.
  @inlinable
  public static func creationRequest(_ object: Element) -> Self { Self(_change: .create, _object: object) }

  /// Changes a stored object, starting from its latest values; nil when it is no longer stored.
  ///
  /// It can only be made in the closure of `performChanges`.
  @inlinable
  public static func changeRequest(_ object: Element) -> Self? {
    CurrentTransaction.latest(object).map { Self(_change: .update($0), _object: $0) }
  }

  /// Stores an object with the values of `object`, in place of the one with its primary key if there is one.
  @inlinable
  public static func upsertRequest(_ object: Element) -> Self { Self(_change: .upsert, _object: object) }

  /// Deletes a stored object; nil when it is no longer stored.
  ///
  /// It can only be made in the closure of `performChanges`.
  @inlinable
  public static func deletionRequest(_ object: Element) -> Self? {
    CurrentTransaction.latest(object).map { Self(_change: .delete($0), _object: $0) }
  }
}

extension ChangeRequest {
  /// Whether two strings are the same bytes. Swift's `==` also finds strings equal that are other bytes, such as an é of one
  /// Unicode scalar and one of two.
  public static func _isIdentical(_ lhs: String, _ rhs: String) -> Bool {
    lhs.hasSameBytes(as: rhs)
  }

  /// Whether two strings are the same bytes, or both are absent.
  public static func _isIdentical(_ lhs: String?, _ rhs: String?) -> Bool {
    switch (lhs, rhs) {
    case (nil, nil): true
    case (let lhs?, let rhs?): _isIdentical(lhs, rhs)
    default: false
    }
  }
}
