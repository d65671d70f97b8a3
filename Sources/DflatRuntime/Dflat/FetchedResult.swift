/// An immutable collection of the objects that a query found, in the order of the query.
public struct FetchedResult<Element: Atom>: RandomAccessCollection, @unchecked Sendable {
  // Unchecked because `AnyObject` is not Sendable: all objects in the array are `Element`s, which are.

  /// The objects, all of which are `Element`s. The store's generic code would look up the metadata of an array of
  /// `Element` at each object that it fetches: a tenth of the time of a fetch.
  @usableFromInline package let objects: ContiguousArray<AnyObject>

  /// Creates a result of the given objects.
  public init(_ elements: ContiguousArray<Element> = []) {
    objects = ContiguousArray(elements.lazy.map { $0 as AnyObject })
  }

  /// Creates a result of the given objects.
  public init(_ elements: [Element]) {
    self.init(ContiguousArray(elements))
  }

  /// Creates a result of the given objects. The caller guarantees that every one is an `Element`.
  package init(unchecked objects: ContiguousArray<AnyObject>) {
    self.objects = objects
  }

  /// Always 0.
  @inlinable
  public var startIndex: Int { objects.startIndex }
  /// The number of objects.
  @inlinable
  public var endIndex: Int { objects.endIndex }
  /// The object at `position`.
  @inlinable
  public subscript(position: Int) -> Element {
    // Unchecked because a checked cast costs more than the rest of this method; the array holds nothing but `Element`s.
    unsafeDowncast(objects[position], to: Element.self)
  }

  /// The objects in `bounds`.
  public subscript(bounds: Range<Int>) -> ArraySlice<Element> { underlyingArray[bounds] }

  /// The objects as an array, which shares their memory.
  public var underlyingArray: [Element] {
    // Every object is an `Element`, a class, and references to objects of all classes have one layout. So the storage of an
    // array of `AnyObject` is that of an array of `Element`, which is only read as such: a copy is made before it is changed.
    Array(unsafeBitCast(objects, to: ContiguousArray<Element>.self))
  }

  /// Calls `body` with the contiguous storage of the objects. Never returns nil.
  public func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<Element>) throws -> R
  ) rethrows -> R? {
    try objects.withUnsafeBufferPointer { objects in
      // `AnyObject` and a class type have the same layout: a reference.
      try objects.withMemoryRebound(to: Element.self, body)
    }
  }
}

extension FetchedResult: Equatable where Element: Equatable {
  /// Whether the results hold equal objects in the same order.
  public static func == (lhs: FetchedResult, rhs: FetchedResult) -> Bool {
    // Objects are immutable, so an object equals itself: comparing identities first is only faster.
    lhs.elementsEqual(rhs) { $0 === $1 || $0 == $1 }
  }
}

extension FetchedResult: CustomStringConvertible {
  /// The objects' descriptions.
  public var description: String { Array(self).description }
}
