/// The objects that a query found, in its order. It never changes.
public struct FetchedResult<Element: Atom>: RandomAccessCollection, Sendable {
  private let elements: ContiguousArray<Element>

  /// A result of the given objects.
  public init(_ elements: ContiguousArray<Element> = []) {
    self.elements = elements
  }

  /// 0.
  public var startIndex: Int { elements.startIndex }
  /// The number of objects.
  public var endIndex: Int { elements.endIndex }
  /// The object at `position`.
  public subscript(position: Int) -> Element { elements[position] }

  /// Calls `body` with the objects where they are.
  public func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<Element>) throws -> R
  ) rethrows -> R? {
    try elements.withContiguousStorageIfAvailable(body)
  }
}

extension FetchedResult: Equatable where Element: Equatable {}

extension FetchedResult: CustomStringConvertible {
  /// The objects, for people.
  public var description: String { Array(elements).description }
}
