/// The objects that a query found, in its order. It never changes.
public struct FetchedResult<Element: Atom>: RandomAccessCollection, @unchecked Sendable {
  // Unchecked because what is in the array are `Element`s, which are Sendable.

  /// All of them are `Element`s. An array of that type would have to be looked up by its type whenever the store, which is
  /// compiled for any, does something with it: at each object that is fetched, a tenth of what fetching it takes.
  @usableFromInline package let objects: ContiguousArray<AnyObject>

  /// A result of the given objects.
  public init(_ elements: ContiguousArray<Element> = []) {
    objects = ContiguousArray(elements.lazy.map { $0 as AnyObject })
  }

  /// A result of the given objects, every one of which is an `Element`.
  package init(unchecked objects: ContiguousArray<AnyObject>) {
    self.objects = objects
  }

  /// 0.
  @inlinable
  public var startIndex: Int { objects.startIndex }
  /// The number of objects.
  @inlinable
  public var endIndex: Int { objects.endIndex }
  /// The object at `position`.
  @inlinable
  public subscript(position: Int) -> Element {
    // Unsafe because a checked cast of each would cost more than all else; nothing else is put into the array.
    unsafeDowncast(objects[position], to: Element.self)
  }

  /// Calls `body` with the objects where they are.
  public func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<Element>) throws -> R
  ) rethrows -> R? {
    try objects.withUnsafeBufferPointer { objects in
      // References to objects, whatever their types say of them.
      try objects.withMemoryRebound(to: Element.self, body)
    }
  }
}

extension FetchedResult: Equatable where Element: Equatable {
  /// Whether the results hold equal objects in the same order.
  public static func == (lhs: FetchedResult, rhs: FetchedResult) -> Bool {
    // Objects do not change, so one that is in both is compared with itself by its identity.
    lhs.elementsEqual(rhs) { $0 === $1 || $0 == $1 }
  }
}

extension FetchedResult: CustomStringConvertible {
  /// The objects, for people.
  public var description: String { Array(self).description }
}
