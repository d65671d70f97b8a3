/// A list whose elements are taken in the order in which they were appended. Each operation takes constant time on average, but
/// for `prepend(contentsOf:)`.
package struct FIFO<Element> {
  private var elements: ContiguousArray<Element> = []
  /// Where the first element that was not taken stands.
  private var start = 0

  package init() {}

  package var isEmpty: Bool { start == elements.count }
  package var count: Int { elements.count - start }
  package var first: Element? { isEmpty ? nil : elements[start] }

  package mutating func append(_ element: Element) { elements.append(element) }

  package mutating func append(contentsOf elements: some Collection<Element>) {
    self.elements.append(contentsOf: elements)
  }

  /// Has elements taken before all others.
  package mutating func prepend(contentsOf elements: some Collection<Element>) {
    self.elements.insert(contentsOf: elements, at: start)
  }

  /// Removes the first element, if there is one, and returns it.
  package mutating func popFirst() -> Element? {
    guard start < elements.count else { return nil }
    let element = elements[start]
    start += 1
    if start == elements.count {
      // One by one, since mostly it is one: to remove all at once takes longer.
      while elements.popLast() != nil {}
      start = 0
    } else if start >= 64, start * 2 >= elements.count {
      elements.removeFirst(start)
      start = 0
    }
    return element
  }
}
