import FlatBuffersCore

/// The effect of a submitted change request, with its object.
///
/// ```swift
/// if case .inserted(let post) = transaction.try(submit: PostChangeRequest.creationRequest(post)) { print(post.title) }
/// ```
///
/// It says what the request does if the transaction commits. Until then, no fetch outside of the transaction returns
/// the new state.
///
/// See also: ``TransactionContext``, and ``UpdatedObject``, which does not have the type.
public enum ObjectChange<Element: Atom>: Sendable {
  /// The object was stored.
  case inserted(Element)
  /// The object replaced its former state.
  case updated(Element)
  /// The request changed no value, so nothing was written.
  case identity(Element)
  /// The object in this row was deleted.
  case deleted(Int64)

  /// The object as it is stored now; nil if it was deleted.
  @inlinable
  public var object: Element? {
    switch self {
    case .inserted(let object), .updated(let object), .identity(let object): object
    case .deleted: nil
    }
  }

  @inlinable
  init(_ change: UpdatedObject) {
    switch change {
    case .inserted(let object): self = .inserted(ObjectChange.typed(object))
    case .updated(let object): self = .updated(ObjectChange.typed(object))
    case .identity(let object): self = .identity(ObjectChange.typed(object))
    case .deleted(let rowid): self = .deleted(rowid)
    }
  }

  @inlinable
  static func typed(_ object: any Atom) -> Element {
    guard let typed = object as? Element else { stopForWrongType(object) }
    return typed
  }

  @usableFromInline
  static func stopForWrongType(_ object: any Atom) -> Never {
    stopProgram(
      "A transaction context has returned a \(type(of: object)) for a request of a \(Element.self). "
        + "A context of your own returns the object that it was asked to store.")
  }
}

extension TransactionContext {
  /// Carries out `request`.
  ///
  /// ```swift
  /// do {
  ///   try transaction.submit(PostChangeRequest.creationRequest(post))
  /// } catch TransactionError.objectAlreadyExists(let key) {
  ///   print(key)  // Another Post has the primary key title "Swift".
  /// }
  /// ```
  ///
  /// The type of the object must be one of those that the transaction named, or the program stops. A request is used
  /// up by its submission: to submit it again fails the transaction.
  ///
  /// If an object has been changed or deleted since its change request was made, the submission fails the transaction.
  /// So neither change undoes the other.
  ///
  /// The object is encoded at once, on the thread of the closure. On SQLite, the change is mostly kept in memory until
  /// the closure has returned.
  ///
  /// See also: ``TransactionError``, Documentation/using-the-store.md (Errors).
  ///
  /// - Returns: the effect of the request, with the object as it is stored now.
  /// - Throws: a ``TransactionError``. After `.objectAlreadyExists`, the transaction goes on as if nothing had been
  ///   submitted. `.aborted` follows a call of `abort()`. After `.diskFull` and `.others`, the whole transaction has
  ///   failed. Changes may be written later, at the latest by the commit, so a full disk may be noticed only then.
  @inlinable
  @discardableResult
  public func submit<Request: ChangeRequest>(_ request: Request) throws -> ObjectChange<Request.Element> {
    let change: UpdatedObject = try submit(request)
    return ObjectChange(change)
  }

  /// Carries out `request`, and stops the program if its primary key or a unique value is taken.
  ///
  /// ```swift
  /// let post = transaction.try(submit: PostChangeRequest.upsertRequest(Post(title: "Hello")))?.object
  /// ```
  ///
  /// Any other error fails the transaction, and the error handler is told why. Use `submit(_:)` where a key may be
  /// taken. The type of the object must be one of those that the transaction named, or the program stops.
  ///
  /// - Returns: the effect of the request; nil if the transaction was aborted or has failed.
  @inlinable
  @discardableResult
  public func `try`<Request: ChangeRequest>(submit request: Request) -> ObjectChange<Request.Element>? {
    let change: UpdatedObject? = self.try(submit: request)
    return change.map { ObjectChange($0) }
  }
}
