/// An array of values whose indexes stay the same until they are removed. Freed indexes are used again.
struct Pool<Element> {
  /// The values; at free indexes, the vacancies that `remove` has put there.
  var elements: ContiguousArray<Element> = []
  private var freeIndexes: ContiguousArray<Int32> = []

  /// The number of values.
  var count: Int { elements.count - freeIndexes.count }

  mutating func insert(_ element: Element) -> Int32 {
    if let index = freeIndexes.popLast() {
      elements[Int(index)] = element
      return index
    }
    elements.append(element)
    return Int32(elements.count - 1)
  }

  /// Frees an index. `vacancy` replaces its element, so that nothing is retained.
  mutating func remove(at index: Int32, leaving vacancy: Element) {
    elements[Int(index)] = vacancy
    freeIndexes.append(index)
    if freeIndexes.count == elements.count { self = Pool() }
  }
}

/// The memory of constants whose texts `RowValue`s point to. It is freed with the last value that retains it.
final class RetainedConstants: @unchecked Sendable {
  // Unchecked because of the pointers in it: the memory is constant.
  private let memory: ConstantMemory

  init(_ memory: consuming ConstantMemory) {
    self.memory = memory
  }
}
