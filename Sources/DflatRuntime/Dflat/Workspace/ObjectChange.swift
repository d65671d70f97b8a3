import FlatBuffersCore

/// What a submitted change request did, with its object.
///
/// ```swift
/// if case .inserted(let post) = transaction.try(submit: PostChangeRequest.creationRequest(post)) { print(post.title) }
/// ```
public enum ObjectChange<Element: Atom>: Sendable {
  /// The object was stored.
  case inserted(Element)
  /// The object took the place of its former state.
  case updated(Element)
  /// The request changed nothing, and nothing was written.
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
    stopProgram("A transaction context has returned a \(type(of: object)) for a request of a \(Element.self).")
  }
}

extension TransactionContext {
  /// Carries out `request`, whose type must be one of those that the transaction named.
  ///
  /// If the object has been changed since the request was made, a request that changes it, too, fails the transaction, so
  /// that neither change undoes the other.
  ///
  /// - Returns: what was done.
  /// - Throws: a `TransactionError`: `.objectAlreadyExists`, after which the transaction goes on as if nothing had been submitted;
  ///   `.aborted` after `abort()`; `.diskFull` and `.others` when the whole transaction has failed.
  @inlinable
  @discardableResult
  public func submit<Request: ChangeRequest>(_ request: Request) throws -> ObjectChange<Request.Element> {
    let change: UpdatedObject = try submit(request)
    return ObjectChange(change)
  }

  /// Carries out `request`. A conflict is a programming error here; any other error fails the transaction.
  ///
  /// - Returns: what was done; nil if the transaction has failed.
  @inlinable
  @discardableResult
  public func `try`<Request: ChangeRequest>(submit request: Request) -> ObjectChange<Request.Element>? {
    let change: UpdatedObject? = self.try(submit: request)
    return change.map { ObjectChange($0) }
  }
}
