/// The standing queries that are filed under ranges of one field: a B+-tree of intervals, ordered by their lower
/// bounds.
///
/// Each node knows the largest upper bound below it. So a search for the intervals that contain a value skips nodes
/// that end before it. A tree of one node is a plain array that is searched from the first interval to the last.
struct IntervalTree: ~Copyable {
  /// Whether the intervals have upper bounds. Intervals without one are in a separate tree: those that contain a
  /// value are neighbours there, and would be scattered among intervals that end soon.
  private let hasUpperBounds: Bool
  private var intervals = Pool<Interval>()
  private var keys = OrderKeys()
  private var nodes = IntervalNodes()
  /// The root node; -1 if the tree is empty.
  private var root: Int32 = -1
  /// The number of levels above the leaves.
  private(set) var height = 0

  init(hasUpperBounds: Bool) {
    self.hasUpperBounds = hasUpperBounds
  }

  /// The number of nodes in use.
  var nodeCount: Int { nodes.count }

  // MARK: Lookup

  var isEmpty: Bool { root < 0 }

  /// Appends the targets of all intervals that contain `value`, which is not NULL.
  func appendTargets(around value: RowValue, to targets: inout ContiguousArray<Int32>) {
    // The pointers are valid in these closures, because nothing changes the arrays there.
    nodes.slots.withUnsafeBufferPointer { slots in
      intervals.elements.withUnsafeBufferPointer { intervals in
        let search = Search(
          value: value, key: keys.key(of: value), hasUpperBounds: hasUpperBounds, slots: slots, intervals: intervals)
        search.appendTargets(below: root, Int32(nodes.count(of: root)), height, to: &targets)
      }
    }
  }

  /// The value that is searched for, and the memory to search.
  private struct Search {
    let value: RowValue
    let key: UInt64
    let hasUpperBounds: Bool
    let slots: UnsafeBufferPointer<IntervalNodes.Slot>
    let intervals: UnsafeBufferPointer<Interval>

    func appendTargets(
      below node: Int32, _ count: Int32, _ level: Int, to targets: inout ContiguousArray<Int32>
    ) {
      let start = Int(node) * IntervalNodes.capacity
      let positions = start..<start + Int(count)
      guard level == 0 else {
        return forEachSlot(in: positions) { appendTargets(below: $0.target, $0.childCount, level - 1, to: &targets) }
      }
      // All targets of a leaf at once: each append checks that the array is uniquely referenced.
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: IntervalNodes.capacity) { found in
        var foundCount = 0
        forEachSlot(in: positions) { slot in
          found[foundCount] = slot.target
          foundCount += 1
        }
        if foundCount > 0 { targets.append(contentsOf: UnsafeBufferPointer(rebasing: found[..<foundCount])) }
      }
    }

    /// Calls `body` with the slots among `positions` that begin at or before the value and end at or after it.
    private func forEachSlot(in positions: Range<Int>, _ body: (IntervalNodes.Slot) -> Void) {
      // The key that an upper bound has to reach.
      let upperKey = hasUpperBounds ? key : 0
      var position = positions.lowerBound
      var end = positions.upperBound
      var isEndKnown = false
      while position < end {
        if slots[position].lowerKey >= key, !isEndKnown {
          end = slots[position].lowerKey == key ? firstPosition(behindValueIn: position..<end) : position
          isEndKnown = true
          continue
        }
        defer { position += 1 }
        if slots[position].upperKey < upperKey { continue }
        if slots[position].upperKey == upperKey, hasUpperBounds,
          !intervals[Int(slots[position].upper)].upper.isAtOrBehind(value)
        {
          continue
        }
        body(slots[position])
      }
    }

    /// Returns the first of the positions whose intervals begin after the value.
    private func firstPosition(behindValueIn positions: Range<Int>) -> Int {
      var low = positions.lowerBound
      var high = positions.upperBound
      while low < high {
        let middle = (low + high) / 2
        let slot = slots[middle]
        if slot.lowerKey == key, intervals[Int(slot.lower)].lower.isAtOrBefore(value) {
          low = middle + 1
        } else {
          high = middle
        }
      }
      return low
    }
  }

  // MARK: Insertion

  /// Adds an interval.
  ///
  /// - Parameter target: the target that a lookup finds.
  /// - Returns: the index of the interval.
  mutating func insert(_ target: Int32, under range: ValueRange) -> Int32 {
    var interval = Interval(range)
    let isPrefixShorter = keys.include(interval.lower.value)
    if keys.include(interval.upper.value) || isPrefixShorter { setKeys() }
    interval.setKeys(keys)
    let index = intervals.insert(interval)
    let slot = IntervalNodes.Slot(
      lowerKey: interval.lower.key, upperKey: interval.upper.key, lower: index, upper: index, target: target,
      childCount: 0)
    if root < 0 { root = nodes.makeNode() }
    if let sibling = insert(slot, below: root, height) {
      let newRoot = nodes.makeNode()
      nodes.insert(summary(of: root), at: 0, in: newRoot)
      nodes.insert(sibling, at: 1, in: newRoot)
      root = newRoot
      height += 1
    }
    return index
  }

  /// Computes all order keys anew.
  private mutating func setKeys() {
    for index in intervals.elements.indices { intervals.elements[index].setKeys(keys) }
    nodes.forEachSlot { slot in
      slot.lowerKey = intervals.elements[Int(slot.lower)].lower.key
      slot.upperKey = intervals.elements[Int(slot.upper)].upper.key
    }
  }

  /// Inserts a slot below a node.
  ///
  /// - Returns: the slot of the node that was split off; nil if `node` had room.
  private mutating func insert(
    _ slot: IntervalNodes.Slot, below node: Int32, _ level: Int
  ) -> IntervalNodes.Slot? {
    let successor = position(behind: slot.lower, in: node)
    if level == 0 { return insert(slot, at: successor, in: node) }
    let position = max(successor - 1, 0)
    let child = nodes[node, position].target
    let sibling = insert(slot, below: child, level - 1)
    nodes[node, position] = summary(of: child)
    guard let sibling else { return nil }
    return insert(sibling, at: position + 1, in: node)
  }

  /// Inserts a slot into a node, which is split into halves if it is full. Returns the slot of the new node, or nil.
  private mutating func insert(
    _ slot: IntervalNodes.Slot, at position: Int, in node: Int32
  ) -> IntervalNodes.Slot? {
    if nodes.count(of: node) < IntervalNodes.capacity {
      nodes.insert(slot, at: position, in: node)
      return nil
    }
    let half = IntervalNodes.capacity / 2
    let sibling = nodes.makeNode()
    nodes.move(from: half, of: node, to: sibling)
    if position <= half {
      nodes.insert(slot, at: position, in: node)
    } else {
      nodes.insert(slot, at: position - half, in: sibling)
    }
    return summary(of: sibling)
  }

  // MARK: Removal

  /// Removes the interval at `index`.
  mutating func remove(at index: Int32) {
    remove(index, below: root, height)
    while height > 0, nodes.count(of: root) == 1 {
      let child = nodes[root, 0].target
      nodes.free(root)
      root = child
      height -= 1
    }
    intervals.remove(at: index, leaving: .vacancy)
    if intervals.count == 0 { self = IntervalTree(hasUpperBounds: hasUpperBounds) }
  }

  private mutating func remove(_ index: Int32, below node: Int32, _ level: Int) {
    let position = position(behind: index, in: node) - 1
    if level == 0 { return nodes.remove(at: position, in: node) }
    let child = nodes[node, position].target
    remove(index, below: child, level - 1)
    if nodes.count(of: child) == 0 {
      nodes.free(child)
      nodes.remove(at: position, in: node)
      return
    }
    nodes[node, position] = summary(of: child)
    if nodes.count(of: child) < IntervalNodes.capacity / 4 {
      if position + 1 < nodes.count(of: node), mergeChildren(at: position, of: node) { return }
      if position > 0 { _ = mergeChildren(at: position - 1, of: node) }
    }
  }

  /// Merges two neighbouring children, the first of which is at `position`.
  ///
  /// - Returns: false if they do not fit into one node. On average they are then more than half full.
  private mutating func mergeChildren(at position: Int, of node: Int32) -> Bool {
    let child = nodes[node, position].target
    let neighbour = nodes[node, position + 1].target
    guard nodes.count(of: child) + nodes.count(of: neighbour) <= IntervalNodes.capacity else { return false }
    nodes.move(from: 0, of: neighbour, to: child)
    nodes.free(neighbour)
    nodes.remove(at: position + 1, in: node)
    nodes[node, position] = summary(of: child)
    return true
  }

  // MARK: Order

  /// Returns the slot that stands for a node in its parent. The node must not be empty.
  private func summary(of node: Int32) -> IntervalNodes.Slot {
    var summary = nodes[node, 0]
    for position in 1..<nodes.count(of: node) {
      let slot = nodes[node, position]
      if slot.upperKey > summary.upperKey
        || slot.upperKey == summary.upperKey && isUpper(summary.upper, below: slot.upper)
      {
        summary.upperKey = slot.upperKey
        summary.upper = slot.upper
      }
    }
    summary.target = node
    summary.childCount = Int32(nodes.count(of: node))
    return summary
  }

  private func isUpper(_ lhs: Int32, below rhs: Int32) -> Bool {
    Interval.Bound.order(intervals.elements[Int(lhs)].upper, intervals.elements[Int(rhs)].upper) < 0
  }

  /// Returns the position in `node` of the first slot whose intervals all come after the interval at `index`.
  private func position(behind index: Int32, in node: Int32) -> Int {
    var low = 0
    var high = nodes.count(of: node)
    while low < high {
      let middle = (low + high) / 2
      if isInterval(index, before: nodes[node, middle].lower) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Returns whether an interval comes before another one in the tree: by lower bounds, then by upper bounds, which
  /// order those without a lower bound, then by indexes.
  private func isInterval(_ lhs: Int32, before rhs: Int32) -> Bool {
    let (left, right) = (Int(lhs), Int(rhs))
    var order = Interval.Bound.order(intervals.elements[left].lower, intervals.elements[right].lower)
    if order == 0 { order = Interval.Bound.order(intervals.elements[left].upper, intervals.elements[right].upper) }
    return order == 0 ? lhs < rhs : order < 0
  }
}
