/// Keys in the order in which they have become pending. Taking the first is as cheap as adding one.
struct DictionaryQueue: Sequence {
  struct Element {
    let namespace: DictionaryCache.Namespace
    let key: DictionaryKey
  }

  private var elements: ContiguousArray<Element> = []
  private var first = 0

  var isEmpty: Bool { first == elements.count }
  var count: Int { elements.count - first }

  mutating func append(_ key: DictionaryKey, of namespace: DictionaryCache.Namespace) {
    elements.append(Element(namespace: namespace, key: key))
  }

  mutating func popFirst() -> Element? {
    guard first < elements.count else { return nil }
    defer {
      first += 1
      if first == elements.count || first >= 1024, first * 2 >= elements.count {
        elements.removeFirst(first)
        first = 0
      }
    }
    return elements[first]
  }

  func makeIterator() -> ArraySlice<Element>.Iterator { ArraySlice(elements[first...]).makeIterator() }
}
