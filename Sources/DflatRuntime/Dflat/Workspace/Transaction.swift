import FlatBuffersCore

/// The effect of a submitted change request, without the type of its object: for code that handles objects of several
/// types, and for code written for Dflat 0.6.
///
/// ```swift
/// let change: UpdatedObject = try transaction.submit(PostChangeRequest.upsertRequest(post))
/// if case .identity = change { print("nothing has changed") }
/// ```
///
/// A call of `submit(_:)` returns an ``ObjectChange``, unless the type of the result says `UpdatedObject`, as here.
public enum UpdatedObject: Sendable {
  /// The object was stored.
  case inserted(any Atom)
  /// The object replaced its former state.
  case updated(any Atom)
  /// The request changed no value, so nothing was written.
  case identity(any Atom)
  /// The object in this row was deleted.
  case deleted(Int64)
}

/// The operations of a running transaction: submit change requests, abort, and use the dictionary.
///
/// ```swift
/// await workspace.performChanges([Post.self]) { transaction in
///   guard let post = workspace.fetch(for: Post.self).where(Post.title == "Hello").first,
///     let request = PostChangeRequest.changeRequest(post)
///   else { return }
///   request.tag = "greeting"
///   transaction.try(submit: request)
/// }
/// ```
///
/// A context is valid in the closure that gets it and on that closure's thread only. To use it after the closure has
/// returned stops the program.
///
/// See also: ``Workspace``, ``GeneratedChangeRequest``, ``TransactionError``, Documentation/using-the-store.md
/// (Writing), Documentation/concurrency.md.
public protocol TransactionContext {
  /// Carries out `request`, and returns its effect without the type of the object.
  ///
  /// The type of the object must be one of those that the transaction named, or the program stops. A request is used
  /// up by its submission: to submit it again fails the transaction.
  ///
  /// If an object has been changed or deleted since its change request was made, the submission fails the transaction.
  /// So neither change undoes the other.
  ///
  /// - Throws: a ``TransactionError``. After `.objectAlreadyExists`, the transaction goes on as if nothing had been
  ///   submitted. `.aborted` follows a call of `abort()`. After `.diskFull` and `.others`, the whole transaction has
  ///   failed. Changes may be written later, at the latest by the commit, so a full disk may be noticed only then.
  @_disfavoredOverload
  @discardableResult
  func submit(_ request: some ChangeRequest) throws -> UpdatedObject

  /// Carries out `request`, and stops the program if its primary key or a unique value is taken, or if its type is none
  /// of those that the transaction named.
  ///
  /// - Returns: the effect of the request, without the type of the object; nil if the transaction was aborted or has
  ///   failed.
  @_disfavoredOverload
  @discardableResult
  func `try`(submit request: some ChangeRequest) -> UpdatedObject?

  /// Aborts the transaction: drops everything that it has submitted. Later submissions throw
  /// `TransactionError.aborted`.
  ///
  /// ```swift
  /// guard !workspace.fetch(for: Post.self).exists(where: Post.title == "Frozen") else {
  ///   transaction.abort()
  ///   return
  /// }
  /// ```
  ///
  /// The closure goes on running: return from it. `performChanges` then completes with `false`, or throws
  /// `TransactionError.aborted`. The error handler is not told. Throwing an error in the closure of the form that
  /// throws aborts, too.
  ///
  /// - Returns: false if the transaction had already been aborted or had failed.
  @discardableResult
  func abort() -> Bool

  /// The dictionary as the transaction sees and changes it.
  ///
  /// ```swift
  /// transaction.dictionary["imports", default: 0] += 1
  /// ```
  ///
  /// Values set here are stored together with the transaction's objects, or not at all. Nobody else sees them before
  /// the commit. Keys do not belong to types: a transaction may use any key, whatever types it has named.
  ///
  /// To read a key, or to list the keys, the transaction takes the writer: nobody else commits until its closure
  /// returns. Only a call on `workspace.dictionary` can change such a key meanwhile. The transaction then fails, and
  /// the error handler is told why. A value that cannot be encoded fails the transaction, too.
  ///
  /// See also: Documentation/dictionary.md.
  var dictionary: any DictionaryAccess { get }
}

// For an app's own conforming types, written for the requirements of Dflat 0.6.
extension TransactionContext {
  /// Carries out `request` by `submit(_:)`, and stops the program if its primary key or a unique value is taken.
  ///
  /// - Returns: the effect of the request; nil after any other error, which aborts the transaction.
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

  /// Stops the program: a conforming type that has a dictionary declares this property itself.
  public var dictionary: any DictionaryAccess {
    stopProgram("\(Self.self) has no dictionary. Declare `dictionary` in it to use that of a transaction.")
  }
}

/// The kind of change that a request asks for, with the object that it starts from: its latest state in the
/// transaction.
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

/// A change to one stored object: the base of the request classes that `dflatc` generates.
///
/// ```swift
/// guard let request = PostChangeRequest.changeRequest(post) else { return }
/// request.priority += 1
/// try transaction.submit(request)
/// ```
///
/// Its properties are the fields of the object: set those that are to change, then submit the request. It can be
/// submitted once, and is not `Sendable`: make it in the closure that submits it.
///
/// See also: ``GeneratedChangeRequest`` for how a request is made, Documentation/using-the-store.md (Writing).
public protocol ChangeRequest: AnyObject, NonisolatedByDefault {
  /// The class of the objects that the request changes.
  associatedtype Element: Atom & FlatBuffersEncodable

  /// The kind of change that the request asks for.
  var _change: RecordChange<Element> { get set }

  /// Makes the object with the request's present fields, for the row `_rowid`.
  func _object(_rowid: Int64) -> Element

  /// Returns true if a comparison of some fields shows that the objects are encoded as different bytes; false is
  /// inconclusive.
  static func _differs(_ lhs: Element, _ rhs: Element) -> Bool

  /// Returns true if a comparison shows that the primary key and all unique values of the objects are the same, bit
  /// by bit; false is inconclusive.
  static func _hasSameKeys(_ lhs: Element, _ rhs: Element) -> Bool
}

extension ChangeRequest {
  /// Returns false, which is inconclusive: the caller compares the encoded bytes.
  public static func _differs(_ lhs: Element, _ rhs: Element) -> Bool { false }

  /// Returns false, which is inconclusive: the caller compares the encoded bytes.
  public static func _hasSameKeys(_ lhs: Element, _ rhs: Element) -> Bool { false }
}

/// A request class that `dflatc` generates, such as `PostChangeRequest`.
///
/// ```swift
/// let post = Post(title: "Hello", priority: 1)
/// transaction.try(submit: PostChangeRequest.creationRequest(post))
/// ```
///
/// There is no request for all objects that satisfy a query: fetch them in the closure, and submit one request for
/// each.
///
/// | request | does |
/// |---|---|
/// | `creationRequest(object)` | stores a new object; fails if its key is taken |
/// | `upsertRequest(object)` | stores an object, or replaces the one with its primary key |
/// | `changeRequest(object)` | changes a stored object, starting from its latest values |
/// | `deletionRequest(object)` | deletes a stored object |
///
/// See also: ``TransactionContext``, Documentation/using-the-store.md (Writing), Documentation/concurrency.md (Compute
/// a new value from the request).
public protocol GeneratedChangeRequest: ChangeRequest {
  /// Makes a request that starts with the values of `_object`.
  init(_change: RecordChange<Element>, _object: Element)
}

extension GeneratedChangeRequest {
  /// Moves the elements out of a variable, so that the caller changes them without a copy.
  @inlinable
  public func _taken<Value>(_ values: inout [Value]) -> [Value] {
    let taken = values
    values = []
    return taken
  }

  /// Moves the value out of a variable, which is nil afterwards, so that the caller changes the value without a copy.
  /// Returns nil if the variable is nil.
  @inlinable
  public func _taken<Value>(_ value: inout Value?) -> Value? {
    let taken = value
    value = nil
    return taken
  }

  /// Returns a request that stores a new object with the values of `object`.
  ///
  /// ```swift
  /// let request = PostChangeRequest.creationRequest(Post(title: "Hello"))
  /// request.priority = 3
  /// try transaction.submit(request)
  /// ```
  ///
  /// If the primary key or a unique value is taken, the submission throws `TransactionError.objectAlreadyExists`. To
  /// replace the object that has the key, use `upsertRequest(_:)`.
  @inlinable
  public static func creationRequest(_ object: Element) -> Self { Self(_change: .create, _object: object) }

  /// Returns a request that changes a stored object, starting from its latest values in the running transaction.
  ///
  /// ```swift
  /// if let request = PostChangeRequest.changeRequest(post) {
  ///   request.priority += 1
  ///   try transaction.submit(request)
  /// }
  /// ```
  ///
  /// However long ago `object` was fetched, `request.priority += 1` adds to the latest value. An object that was never
  /// stored is looked up by its primary key. A call outside of the closure of `performChanges` stops the program.
  ///
  /// Nothing is read if the store knows that the row has not changed since the object was fetched, as it mostly does
  /// for an object that the closure has just fetched. Otherwise, the row is read.
  ///
  /// - Returns: nil if the object is no longer stored, or could not be read. The error handler is told of an error. Unless
  ///   the row is damaged, the error also fails the transaction.
  @inlinable
  public static func changeRequest(_ object: Element) -> Self? {
    CurrentTransaction.latest(object).map { Self(_change: .update($0), _object: $0) }
  }

  /// Returns a request that stores an object with the values of `object`, or replaces the stored object with its
  /// primary key.
  ///
  /// ```swift
  /// let change = try transaction.submit(PostChangeRequest.upsertRequest(Post(title: "Hello", priority: 3)))
  /// ```
  ///
  /// It replaces all fields, also by their defaults: to change some of them, use `changeRequest(_:)`. If an object with
  /// another primary key has a unique value, the submission throws `TransactionError.objectAlreadyExists`.
  @inlinable
  public static func upsertRequest(_ object: Element) -> Self { Self(_change: .upsert, _object: object) }

  /// Returns a request that deletes a stored object.
  ///
  /// ```swift
  /// for post in workspace.fetch(for: Post.self).where(Post.priority < 0) {
  ///   guard let request = PostChangeRequest.deletionRequest(post) else { continue }
  ///   try transaction.submit(request)
  /// }
  /// ```
  ///
  /// A call outside of the closure of `performChanges` stops the program. The call reads what `changeRequest(_:)`
  /// reads. To submit a second deletion of an object has no effect, and is no error.
  ///
  /// - Returns: nil if the object is no longer stored, or could not be read. The error handler is told of an error. Unless
  ///   the row is damaged, the error also fails the transaction.
  @inlinable
  public static func deletionRequest(_ object: Element) -> Self? {
    CurrentTransaction.latest(object).map { Self(_change: .delete($0), _object: $0) }
  }
}

extension ChangeRequest {
  /// Returns whether two strings have the same UTF-8 bytes. Swift's `==` also finds strings equal that have other
  /// bytes, such as an é of one Unicode scalar and one of two.
  public static func _isIdentical(_ lhs: String, _ rhs: String) -> Bool {
    lhs.hasSameBytes(as: rhs)
  }

  /// Returns whether two strings have the same UTF-8 bytes, or are both nil.
  public static func _isIdentical(_ lhs: String?, _ rhs: String?) -> Bool {
    switch (lhs, rhs) {
    case (nil, nil): true
    case (let lhs?, let rhs?): _isIdentical(lhs, rhs)
    default: false
    }
  }
}
