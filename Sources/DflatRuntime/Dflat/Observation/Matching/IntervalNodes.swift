/// The nodes of an `IntervalTree`, in one array, so that a search runs through adjacent memory.
struct IntervalNodes {
  /// An interval in a leaf, or a child in a node above.
  struct Slot: BitwiseCopyable {
    /// The order keys of the bounds. Mostly they decide a comparison without the bounds themselves.
    var lowerKey: UInt64
    var upperKey: UInt64
    /// The interval; in a node above the leaves, the first interval below the child.
    var lower: Int32
    /// The interval; in a node above the leaves, an interval with the largest upper bound below the child.
    var upper: Int32
    /// The target that a lookup finds; in a node above the leaves, the child.
    var target: Int32
    /// The number of slots of the child; 0 in a leaf.
    var childCount: Int32

    fileprivate static let none = Slot(lowerKey: 0, upperKey: 0, lower: -1, upper: -1, target: -1, childCount: 0)
  }

  /// The number of slots of a node, which are adjacent: 1 KiB. `Benchmarks matching` prints the time of a lookup at
  /// each size of a tree.
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

  /// Inserts a slot into a node that is not full, before the slot at `position` in the node.
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

  /// Moves the slots of `node` from `position` on to the end of the node `other`, which must have room for them.
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
