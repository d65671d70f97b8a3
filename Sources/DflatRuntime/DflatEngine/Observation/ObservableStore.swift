import Dflat
import FlatBuffersCore

/// A store that can be observed. An engine implements how committed rows are read; an extension does the rest, alike
/// for all engines.
package protocol ObservableStore: FetchSource {
  var observation: Observation { get }

  /// Calls the error handler.
  func report(_ error: any Error)

  /// Reads the committed rows that a standing query asks for.
  ///
  /// - Parameter damages: gets an error for each damaged row, which is left out of the result.
  func committedRows<Element: Atom>(
    of query: StandingQuery, as type: Element.Type, _ damages: inout [any Error]
  ) throws -> StandingQuery.Rows

  /// Reads the committed object in a row.
  ///
  /// - Returns: the object, or nil in its place if there is no such row, with the commit version at which it was read.
  ///   The whole result is nil if nothing is stored, or the workspace has been shut down.
  func object<Element: Atom>(in rowid: Int64, as type: Element.Type) throws -> (object: (any Atom)?, version: UInt64)?

  /// Returns the row that holds an object; nil if none does.
  ///
  /// An object that this workspace has read is looked up by its row: a later object with the same key is another one.
  /// Any other object is looked up by its primary key.
  func row<Element: Atom>(of object: Element) throws -> Int64?

  /// Waits until subscribers have been told of the commits to a type that earlier fetches may show. Gives up after a
  /// moment. A store whose results have versions need not implement it.
  func waitUntilTold<Element: Atom>(of type: Element.Type)
}

extension ObservableStore {
  /// Does nothing.
  package func waitUntilTold<Element: Atom>(of type: Element.Type) {}
}

extension ObservableStore {
  // MARK: Subscriptions and streams of `Workspace`

  package func subscription<Element: Atom & Equatable>(
    toResult result: FetchedResult<Element>,
    changeHandler: @escaping @Sendable (_ fetchedResult: FetchedResult<Element>) -> Void
  ) -> any WorkspaceSubscription {
    subscribe(
      to: result,
      .callback { update in
        if case .result(let result, let origin) = update {
          changeHandler(FetchedResult(unchecked: result, origin: origin))
        }
      }, buffering: .newest(ObservationSubscriber.callbackLimit))
  }

  package func subscription<Element: Atom & Equatable>(
    toObject object: Element, changeHandler: @escaping @Sendable (_ subscribedObject: SubscribedObject<Element>) -> Void
  ) -> any WorkspaceSubscription {
    subscribe(
      to: object,
      .callback { update in
        switch update {
        case .object(let object): if let object = object as? Element { changeHandler(.updated(object)) }
        case .deleted: changeHandler(.deleted)
        case .result: break
        }
      }, buffering: .newest(ObservationSubscriber.callbackLimit))
  }

  package func stream<Element: Atom & Equatable>(
    ofResult result: FetchedResult<Element>,
    _ bufferingPolicy: AsyncStream<FetchedResult<Element>>.Continuation.BufferingPolicy
  ) -> AsyncStream<FetchedResult<Element>> {
    let subscription = subscribe(
      to: result, .stream, buffering: ObservationSubscriber.Buffering(bufferingPolicy))
    return AsyncStream {
      guard case .result(let result, let origin)? = await subscription.next() else { return nil }
      return FetchedResult(unchecked: result, origin: origin)
    } onCancel: {
      subscription.cancel()
    }
  }

  package func stream<Element: Atom & Equatable>(
    ofObject object: Element, _ bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy
  ) -> AsyncStream<Element> {
    let subscription = subscribe(to: object, .stream, buffering: ObservationSubscriber.Buffering(bufferingPolicy))
    return AsyncStream {
      guard case .object(let object)? = await subscription.next() else { return nil }
      return object as? Element
    } onCancel: {
      subscription.cancel()
    }
  }

  // MARK: Subscribing

  private func subscribe<Element: Atom & Equatable>(
    to result: FetchedResult<Element>, _ sink: ObservationSubscriber.Sink, buffering: ObservationSubscriber.Buffering
  ) -> ObservationSubscription {
    guard let origin = result.origin, origin.source == ObjectIdentifier(self) else {
      stopProgram(
        "A result of \(Element.self) was subscribed to that was not fetched from this workspace: "
          + "its query is not known. Subscribe to it at the workspace that has fetched it.")
    }
    var rows = StandingQuery.Rows()
    rows.objects = result.update?.list.objects ?? result.objects
    rows.rowids = ContiguousArray(result.lazy.map(\._rowid))
    rows.version = origin.version
    let access = access(to: Element.self)
    let list = ObjectList(rows.objects, rows.rowids, [])
    let subscriber = ObservationSubscriber(
      sink, buffering: buffering, from: list, baseVersion: origin.version, isSame: access.isSame)
    return observation.subscribe(subscriber, to: rows, origin, Element._record, access)
  }

  private func subscribe<Element: Atom & Equatable>(
    to object: Element, _ sink: ObservationSubscriber.Sink, buffering: ObservationSubscriber.Buffering
  ) -> ObservationSubscription {
    let access = access(to: Element.self)
    let subscriber = ObservationSubscriber(sink, buffering: buffering, isSame: access.isSame)
    return observation.subscribe(subscriber, to: object, Element._record, access, source: ObjectIdentifier(self))
  }

  /// Reads the rows that a standing query asks for, and reports each damaged row the first time that the query finds
  /// it.
  private func rows<Element: Atom>(of query: StandingQuery, as type: Element.Type) throws -> StandingQuery.Rows {
    // A limit of 0 needs no fetch.
    guard query.request.limit.count > 0 else { return StandingQuery.Rows() }
    var damages: [any Error] = []
    let rows = try committedRows(of: query, as: type, &damages)
    for damage in damages where query.isNew(damage: "\(damage)") { report(damage) }
    return rows
  }

  /// Returns the functions by which standing queries of a type read the store.
  private func access<Element: Atom & Equatable>(to type: Element.Type) -> ObservedType.Access {
    ObservedType.Access(
      fetch: { [weak self] query in try self?.rows(of: query, as: type) ?? StandingQuery.Rows() },
      object: { [weak self] rowid in try self?.object(in: rowid, as: type) },
      row: { [weak self] object in
        guard let self, let object = object as? Element else { return nil }
        return try row(of: object)
      },
      isSame: comparison(of: type), waitUntilTold: { [weak self] in self?.waitUntilTold(of: type) })
  }
}

/// Returns a function that tells whether two objects of a type are stored as the same bytes.
///
/// It does not use `==`, which may hold for states that a store tells apart, such as two Unicode forms of a text, and
/// never holds for an object with a NaN.
private func comparison<Element: Atom>(of type: Element.Type) -> @Sendable (AnyObject, AnyObject) -> Bool {
  // Never: what a store holds can be encoded.
  guard let type = type as? any StoredAtom.Type else { return { $0 === $1 } }
  return comparison(ofStored: type)
}

private func comparison<Element: StoredAtom>(
  ofStored _: Element.Type
) -> @Sendable (AnyObject, AnyObject) -> Bool {
  return { lhs, rhs in
    if lhs === rhs { return true }
    guard let lhs = lhs as? Element, let rhs = rhs as? Element else { return false }
    let isSame = try? RowEncoder.with { first in
      try RowEncoder.with { second in try first.encode(lhs).isSame(as: second.encode(rhs)) }
    }
    // An object that cannot be encoded counts as changed, so that its subscribers are told.
    return isSame ?? false
  }
}

extension ObservationSubscriber.Buffering {
  fileprivate init<Element>(_ policy: AsyncStream<Element>.Continuation.BufferingPolicy) {
    switch policy {
    case .bufferingOldest(let count): self = .oldest(count)
    case .bufferingNewest(let count): self = .newest(count)
    case .unbounded: self = .unbounded
    @unknown default: self = .unbounded
    }
  }
}
