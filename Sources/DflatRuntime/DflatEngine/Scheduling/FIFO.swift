/// A first-in, first-out list. Each operation takes constant time on average, except `prepend(contentsOf:)`.
package struct FIFO<Element> {
  private var elements: ContiguousArray<Element> = []
  /// The index of the first element that was not taken.
  private var start = 0

  package init() {}

  package var isEmpty: Bool { start == elements.count }
  package var count: Int { elements.count - start }
  package var first: Element? { isEmpty ? nil : elements[start] }

  package mutating func append(_ element: Element) { elements.append(element) }

  package mutating func append(contentsOf elements: some Collection<Element>) {
    self.elements.append(contentsOf: elements)
  }

  /// Inserts elements before all others. Takes linear time.
  package mutating func prepend(contentsOf elements: some Collection<Element>) {
    self.elements.insert(contentsOf: elements, at: start)
  }

  /// Removes and returns the first element; nil if the list is empty.
  package mutating func popFirst() -> Element? {
    guard start < elements.count else { return nil }
    let element = elements[start]
    start += 1
    if start == elements.count {
      // One by one, since there is mostly one: to remove all at once takes longer.
      while elements.popLast() != nil {}
      start = 0
    } else if start >= 64, start * 2 >= elements.count {
      elements.removeFirst(start)
      start = 0
    }
    return element
  }
}
