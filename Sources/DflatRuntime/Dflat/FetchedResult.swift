/// The objects that a query found, in its order. It never changes.
public struct FetchedResult<Element: Atom>: RandomAccessCollection, Sendable {
  private let elements: ContiguousArray<Element>

  /// A result of the given objects.
  public init(_ elements: ContiguousArray<Element> = []) {
    self.elements = elements
  }

  public var startIndex: Int { elements.startIndex }
  public var endIndex: Int { elements.endIndex }
  public subscript(position: Int) -> Element { elements[position] }

  public func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<Element>) throws -> R
  ) rethrows -> R? {
    try elements.withContiguousStorageIfAvailable(body)
  }
}

extension FetchedResult: Equatable where Element: Equatable {}

extension FetchedResult: CustomStringConvertible {
  public var description: String { Array(elements).description }
}
