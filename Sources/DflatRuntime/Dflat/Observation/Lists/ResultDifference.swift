/// The difference of a result from the one that the same subscriber got before, in the form that list views take.
///
/// ```swift
/// posts.difference?.apply(to: &titles) { offset in posts[offset].title }
/// ```
///
/// `removals` and the `from` of moves and changes are offsets in the old result, before anything is changed.
/// `insertions` and `to` are offsets in the new result. An object keeps its identity as long as it is stored,
/// whatever its values. An object that is deleted and stored again is another one.
///
/// If few objects of a result have changed, the difference is computed from the changed objects, without comparing the
/// results. If updates were skipped for a slow subscriber, it leads from the last result that the subscriber got.
///
/// See also: ``FetchedResult/difference``, Documentation/observing.md (What has changed?, A list view of UIKit or
/// AppKit).
public struct ResultDifference: Hashable, Sendable {
  /// An object that is in both results, with its offset in each.
  public struct Move: Hashable, Sendable {
    /// The object's offset in the old result.
    public let from: Int
    /// The object's offset in the new result.
    public let to: Int
  }

  /// The offsets in the old result of the objects that are not in the new one, ascending.
  public internal(set) var removals: [Int] = []
  /// The offsets in the new result of the objects that were not in the old one, ascending.
  public internal(set) var insertions: [Int] = []
  /// The objects of both results that are taken out of the old one and put in anew, by their new offsets, ascending. The
  /// other objects of both results keep their order.
  ///
  /// Show such an object anew, as one of `changes`: its values may have changed or not. When two objects change places, for
  /// example, one of them is a move, and it may be the one that has kept its values. An object whose values have changed
  /// may be a move although it has the neighbours that it had.
  public internal(set) var moves: [Move] = []
  /// The objects that have other values and are not among `moves`, by their new offsets, ascending.
  ///
  /// - Complexity: O(number of changes): each call makes the array.
  public var changes: [Move] {
    changedRuns.flatMap { run in (0..<run.count).map { Move(from: run.from + $0, to: run.to + $0) } }
  }

  /// The changes as runs of neighbours, each as long as possible. If all objects of a result change, they are one
  /// run.
  private var changedRuns: [Run] = []

  private struct Run: Hashable {
    var from: Int
    var to: Int
    var count: Int
  }

  package init() {}

  /// Whether the results have the same objects with the same values.
  public var isEmpty: Bool { removals.isEmpty && insertions.isEmpty && moves.isEmpty && changedRuns.isEmpty }

  /// Appends `count` changes of neighbours, which come after all others.
  mutating func appendChanges(from: Int, to: Int, count: Int = 1) {
    if let last = changedRuns.last, last.from + last.count == from, last.to + last.count == to {
      changedRuns[changedRuns.count - 1].count += count
    } else {
      changedRuns.append(Run(from: from, to: to, count: count))
    }
  }

  /// Turns elements for the old result into elements for the new one.
  ///
  /// ```swift
  /// posts.difference?.apply(to: &titles) { offset in posts[offset].title }
  /// ```
  ///
  /// - Parameters:
  ///   - elements: one element for each object of the old result, such as the rows of a list view.
  ///   - element: makes the element for the object at an offset of the new result. It is called only for objects that
  ///     were inserted, moved or changed.
  /// - Complexity: O(number of elements).
  public func apply<Element>(to elements: inout [Element], _ element: (_ offset: Int) throws -> Element) rethrows {
    let leaving = (removals + moves.map(\.from)).sorted()
    let arriving = (insertions + moves.map(\.to)).sorted()
    if leaving.count + arriving.count <= 4 {
      // For a small difference, moving the elements behind it is quicker than a new array.
      for offset in leaving.reversed() { elements.remove(at: offset) }
      for offset in arriving { elements.insert(try element(offset), at: offset) }
    } else {
      elements = try merged(elements, leaving, arriving, element)
    }
    for run in changedRuns {
      for offset in run.to..<run.to + run.count { elements[offset] = try element(offset) }
    }
  }

  /// Returns the elements without those at the leaving indexes, and with new elements at the arriving indexes.
  private func merged<Element>(
    _ elements: [Element], _ leaving: [Int], _ arriving: [Int], _ element: (_ offset: Int) throws -> Element
  ) rethrows -> [Element] {
    var result: [Element] = []
    result.reserveCapacity(elements.count - leaving.count + arriving.count)
    var (left, arrived) = (0, 0)
    for (offset, former) in elements.enumerated() {
      if left < leaving.count, leaving[left] == offset {
        left += 1
        continue
      }
      while arrived < arriving.count, arriving[arrived] == result.count {
        result.append(try element(result.count))
        arrived += 1
      }
      result.append(former)
    }
    for offset in arriving[arrived...] { result.append(try element(offset)) }
    return result
  }

  /// Returns the difference after the new result was cut to a limit.
  ///
  /// - Parameters:
  ///   - limit: the number of objects that are left.
  ///   - count: the number of objects before the cut.
  ///   - former: the number of objects of the old result.
  func truncated(to limit: Int, of count: Int, from former: Int) -> ResultDifference {
    let removed = Set(removals + moves.map(\.from))
    let inserted = Set(insertions + moves.map(\.to))
    var result = self
    // From the end, objects that are neither inserted nor moved are paired with their old offsets.
    var old = former - 1
    for offset in (limit..<count).reversed() where !inserted.contains(offset) {
      while removed.contains(old) { old -= 1 }
      result.removals.append(old)
      old -= 1
    }
    result.removals += moves.lazy.filter { $0.to >= limit }.map(\.from)
    result.removals.sort()
    result.insertions.removeAll { $0 >= limit }
    result.moves.removeAll { $0.to >= limit }
    result.changedRuns.removeAll { $0.to >= limit }
    if let last = result.changedRuns.last {
      result.changedRuns[result.changedRuns.count - 1].count = min(last.count, limit - last.to)
    }
    return result
  }

  /// Computes the difference between two lists from their rows.
  ///
  /// A row has changed if its object is another one, unless `isSame` says that both are stored alike. Rows
  /// outside of a longest sequence that keeps its order have moved.
  ///
  /// - Complexity: O(n log n).
  package init(from old: ObjectList, to new: ObjectList, isSame: (AnyObject, AnyObject) -> Bool) {
    let oldRows = old.rowids
    let newRows = new.rowids
    var offsets: [Int64: Int] = [:]
    offsets.reserveCapacity(oldRows.count)
    for (offset, rowid) in oldRows.enumerated() { offsets[rowid] = offset }
    // For each object of the new list, its offset in the old one; nil if it is new.
    let origins = newRows.map { offsets.removeValue(forKey: $0) }
    removals = offsets.values.sorted()
    let staying = ResultDifference.longestAscent(origins.compactMap { $0 })
    var next = 0
    for (offset, origin) in origins.enumerated() {
      guard let origin else {
        insertions.append(offset)
        continue
      }
      if next < staying.count, staying[next] == origin {
        next += 1
        let (former, object) = (old.object(at: origin), new.object(at: offset))
        if former !== object, !isSame(former, object) { appendChanges(from: origin, to: offset) }
      } else {
        moves.append(Move(from: origin, to: offset))
      }
    }
  }

  /// Returns a longest ascending subsequence, by patience sorting:
  /// https://en.wikipedia.org/wiki/Longest_increasing_subsequence
  private static func longestAscent(_ values: [Int]) -> [Int] {
    /// For each length, the index of the smallest value that ends an ascending subsequence of that length.
    var ends: [Int] = []
    var predecessors = [Int](repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { predecessors[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var ascent: [Int] = []
    var index = ends.last ?? -1
    while index >= 0 {
      ascent.append(values[index])
      index = predecessors[index]
    }
    return ascent.reversed()
  }
}
