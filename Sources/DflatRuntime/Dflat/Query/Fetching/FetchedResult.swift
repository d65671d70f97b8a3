import FlatBuffersCore

/// An immutable collection of the objects that a query found, in the order of the query.
///
/// ```swift
/// let posts = workspace.fetch(for: Post.self).where(Post.priority >= 10, orderBy: Post.title.descending)
/// print(posts.map(\.title))
/// ```
///
/// It does not follow the store: to get later results, subscribe to it, or use a ``LiveResult``. It is `Sendable`,
/// and copies share their memory. The objects are complete: to read their fields needs no store.
///
/// Access to the object at a position takes O(1); in a large result that a subscriber was given, O(log *n*).
///
/// See also: ``QueryBuilder``, ``Workspace``, ``ResultDifference``, Documentation/using-the-store.md (Queries),
/// Documentation/observing.md.
public struct FetchedResult<Element: Atom>: RandomAccessCollection, @unchecked Sendable {
  // Unchecked because `AnyObject` is not Sendable: all objects in the array are `Element`s, which are.

  /// The objects, all of which are `Element`s. The store's generic code would look up the metadata of an array of
  /// `Element` at each object that it fetches: a tenth of the time of a fetch.
  ///
  /// Empty if only `update` holds them.
  @usableFromInline package let objects: ContiguousArray<AnyObject>

  /// The list and difference of a result that a subscriber was given; nil if the result was fetched.
  @usableFromInline package let update: ResultUpdate?

  /// The store and the request of the fetch; nil if the result was not fetched.
  package let origin: FetchOrigin?

  /// The difference of this result from the one that the same subscriber got before, or subscribed to; nil if it was
  /// fetched.
  ///
  /// ```swift
  /// subscription = workspace.subscribe(fetchedResult: posts) { posts in
  ///   print(posts.difference?.insertions.map { posts[$0].title } ?? [])
  /// }
  /// ```
  ///
  /// See also: ``ResultDifference``.
  public var difference: ResultDifference? { update?.difference }

  /// Creates a result of the given objects.
  public init(_ elements: ContiguousArray<Element> = []) {
    self.init(unchecked: ContiguousArray(elements.lazy.map { $0 as AnyObject }), origin: nil)
  }

  /// Creates a result of the given objects: for previews and tests.
  ///
  /// ```swift
  /// let samples = FetchedResult([Post(title: "Hello"), Post(title: "World")])
  /// ```
  ///
  /// It has no query. So to subscribe to it stops the program.
  public init(_ elements: [Element]) {
    self.init(ContiguousArray(elements))
  }

  /// Creates a result of the given objects. The caller guarantees that every one is an `Element`.
  package init(unchecked objects: ContiguousArray<AnyObject>, origin: FetchOrigin?) {
    self.objects = objects
    self.origin = origin
    update = nil
  }

  /// Creates a result for a subscriber. The caller guarantees that every object is an `Element`.
  package init(unchecked update: ResultUpdate, origin: FetchOrigin) {
    objects = update.list.contiguousObjects ?? []
    self.origin = origin
    self.update = update
  }

  /// Always 0.
  @inlinable
  public var startIndex: Int { 0 }
  /// The number of objects.
  @inlinable
  public var endIndex: Int { update?.count ?? objects.count }
  /// The object at `position`. A position that is not in the result stops the program.
  @inlinable
  public subscript(position: Int) -> Element {
    // As unsigned numbers, so that one comparison also finds negative positions. The array then needs none of its own.
    let object =
      UInt(bitPattern: position) < UInt(bitPattern: objects.count)
      ? objects[position] : ResultUpdate.object(at: position, of: update, count: endIndex)
    // Unchecked because a checked cast costs more than the rest of this method; all objects are `Element`s.
    return unsafeDowncast(object, to: Element.self)
  }

  /// The first object; nil if there is none.
  @inlinable
  public var first: Element? { endIndex == 0 ? nil : self[0] }

  /// The first object of a fetched result; nil if it is empty. Unlike `first`, it does not look up the metadata of the
  /// collection's type.
  var fetchedObject: Element? {
    if objects.isEmpty { return nil }
    // Every object is an `Element`.
    return unsafeDowncast(objects[0], to: Element.self)
  }

  /// The objects in `bounds`, as a slice of `underlyingArray`. Bounds that are not in the result stop the program.
  public subscript(bounds: Range<Int>) -> ArraySlice<Element> {
    let count = endIndex
    if bounds.lowerBound < 0 || bounds.upperBound > count {
      stopProgram(
        """
        The positions \(bounds) are not all in the result, whose positions are \(0..<count). Write \
        result[bounds.clamped(to: result.indices)] for those that are.
        """)
    }
    return underlyingArray[bounds]
  }

  /// The objects as an array, which shares their memory. For a large result that a subscriber was given, the array is
  /// made at each call, in O(*n*).
  public var underlyingArray: [Element] {
    // Every object is an `Element`, a class, and references to objects of all classes have one layout. So the storage of an
    // array of `AnyObject` is that of an array of `Element`, which is only read as such: a copy is made before it is changed.
    Array(unsafeBitCast(update?.list.objects ?? objects, to: ContiguousArray<Element>.self))
  }

  /// Calls `body` with the contiguous storage of the objects; returns nil if they are in several arrays, which is
  /// possible in a result that a subscriber was given.
  public func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<Element>) throws -> R
  ) rethrows -> R? {
    if objects.isEmpty, !isEmpty { return nil }
    return try objects.withUnsafeBufferPointer { objects in
      // `AnyObject` and a class type have the same layout: a reference.
      try objects.withMemoryRebound(to: Element.self, body)
    }
  }
}

/// The list and difference that a subscriber to a result is given.
@usableFromInline package final class ResultUpdate: Sendable {
  package let list: ObjectList
  /// The difference of the list from the one that the subscriber got before; nil if it got none.
  package let difference: ResultDifference?
  @usableFromInline let count: Int

  package init(_ list: ObjectList, _ difference: ResultDifference?) {
    self.list = list
    self.difference = difference
    count = list.count
  }

  /// Returns the object at a position that the array of a result does not have. If the result has no array, it is the
  /// object of the update's list.
  ///
  /// It stops the program if there is no such object. It is not generic, or each call would look up metadata.
  ///
  /// - Parameter count: the number of objects in the result.
  @usableFromInline
  static func object(at position: Int, of update: ResultUpdate?, count: Int) -> AnyObject {
    guard let update, position >= 0, position < update.count else {
      stopProgram(
        count == 0
          ? "There is no object at position \(position): the result is empty. Its `first` is nil."
          : """
          There is no object at position \(position) of the result, whose positions are \(0..<count). Before you use a \
          position, check result.indices.contains(position).
          """)
    }
    return update.list.object(at: position)
  }
}

/// The store, request and commit version of a fetch. A result with an origin can be observed.
package final class FetchOrigin: Sendable {
  /// The store that was asked. The identifier is only compared.
  package let source: ObjectIdentifier
  package let request: FetchRequest
  /// The commit version at which the result was read, at the earliest; 0 if that is not known.
  package let version: UInt64
  /// Whether the result shows no later commit.
  package let isExact: Bool

  package init(source: ObjectIdentifier, request: FetchRequest, version: UInt64, isExact: Bool) {
    self.source = source
    self.request = request
    self.version = version
    self.isExact = isExact
  }
}

extension FetchedResult: Equatable where Element: Equatable {
  /// Returns whether the results hold equal objects in the same order.
  public static func == (lhs: FetchedResult, rhs: FetchedResult) -> Bool {
    // Objects are immutable, so an object equals itself: comparing identities first is only faster.
    lhs.elementsEqual(rhs) { $0 === $1 || $0 == $1 }
  }
}

extension FetchedResult: CustomStringConvertible {
  /// The objects' descriptions.
  public var description: String { Array(self).description }
}
