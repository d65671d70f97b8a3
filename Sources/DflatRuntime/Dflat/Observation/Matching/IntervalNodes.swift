/// The nodes of an `IntervalTree`, in one array, so that a search runs through memory that lies together.
struct IntervalNodes {
  /// An interval in a leaf, or a child in a node above.
  struct Slot: BitwiseCopyable {
    /// The order keys of the bounds, which mostly make it unnecessary to look at the bounds themselves.
    var lowerKey: UInt64
    var upperKey: UInt64
    /// The interval, or of those below the child the first one.
    var lower: Int32
    /// The interval, or of those below the child one with the largest upper bound.
    var upper: Int32
    /// What a lookup finds of the interval, or the child.
    var target: Int32
    /// The number of slots of the child; 0 in a leaf.
    var childCount: Int32

    fileprivate static let none = Slot(lowerKey: 0, upperKey: 0, lower: -1, upper: -1, target: -1, childCount: 0)
  }

  /// The number of slots of a node, all of which are next to each other: 1 KiB. `Benchmarks matching` prints what a lookup
  /// takes at each size of a tree.
  static let capacity = 32

  private(set) var slots: ContiguousArray<Slot> = []
  private var counts: ContiguousArray<Int32> = []
  private var freeNodes: ContiguousArray<Int32> = []

  /// The number of nodes in use.
  var count: Int { counts.count - freeNodes.count }

  func count(of node: Int32) -> Int { Int(counts[Int(node)]) }

  subscript(node: Int32, position: Int) -> Slot {
    get { slots[Int(node) * Self.capacity + position] }
    set { slots[Int(node) * Self.capacity + position] = newValue }
  }

  /// Calls `body` with each slot in use.
  mutating func forEachSlot(_ body: (inout Slot) -> Void) {
    for node in counts.indices {
      let first = node * Self.capacity
      for index in first..<first + Int(counts[node]) { body(&slots[index]) }
    }
  }

  mutating func makeNode() -> Int32 {
    if let node = freeNodes.popLast() { return node }
    slots.append(contentsOf: repeatElement(.none, count: Self.capacity))
    counts.append(0)
    return Int32(counts.count - 1)
  }

  mutating func free(_ node: Int32) {
    counts[Int(node)] = 0
    freeNodes.append(node)
  }

  /// Inserts a slot into a node that is not full.
  mutating func insert(_ slot: Slot, at position: Int, in node: Int32) {
    let first = Int(node) * Self.capacity + position
    var index = Int(node) * Self.capacity + count(of: node)
    while index > first {
      slots[index] = slots[index - 1]
      index -= 1
    }
    slots[first] = slot
    counts[Int(node)] += 1
  }

  mutating func remove(at position: Int, in node: Int32) {
    let last = Int(node) * Self.capacity + count(of: node) - 1
    for index in Int(node) * Self.capacity + position..<last { slots[index] = slots[index + 1] }
    counts[Int(node)] -= 1
  }

  /// Moves the slots from `position` on behind those of another node, which has room for them.
  mutating func move(from position: Int, of node: Int32, to other: Int32) {
    let source = Int(node) * Self.capacity
    var target = Int(other) * Self.capacity + count(of: other)
    for index in source + position..<source + count(of: node) {
      slots[target] = slots[index]
      target += 1
    }
    counts[Int(other)] += Int32(count(of: node) - position)
    counts[Int(node)] = Int32(position)
  }
}
