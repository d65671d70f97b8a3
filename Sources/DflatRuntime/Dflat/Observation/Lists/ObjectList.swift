/// An immutable list of stored objects in the order of a standing query.
///
/// The lists before and after a change share chunks: an edit copies the chunks that it touches, and the array of
/// chunks. There are about as many chunks as objects in a chunk, so an edit costs O(√n) for each chunk that it
/// touches.
package struct ObjectList: Sendable {
  /// Consecutive objects, with their row numbers and sort keys.
  final class Chunk: @unchecked Sendable {
    // Unchecked because `AnyObject` is not Sendable: all objects are `Atom`s, which are.
    let objects: ContiguousArray<AnyObject>
    let rowids: ContiguousArray<Int64>
    /// The sort keys; empty if the objects are ordered by their row numbers alone.
    let keys: ContiguousArray<SortKey>

    init(_ objects: ContiguousArray<AnyObject>, _ rowids: ContiguousArray<Int64>, _ keys: ContiguousArray<SortKey>) {
      self.objects = objects
      self.rowids = rowids
      self.keys = keys
    }

    func key(at index: Int) -> SortKey? { keys.isEmpty ? nil : keys[index] }
  }

  /// One object of the list.
  package struct Entry {
    package let object: AnyObject
    package let rowid: Int64
    package let key: SortKey?

    package init(_ object: AnyObject, _ rowid: Int64, _ key: SortKey?) {
      self.object = object
      self.rowid = rowid
      self.key = key
    }
  }

  private(set) var chunks: ContiguousArray<Chunk> = []
  /// For each chunk, the number of objects up to its end.
  private var ends: ContiguousArray<Int> = []

  package init() {}

  /// Makes a list of objects that are already in the list's order.
  ///
  /// - Parameter keys: the sort keys of the objects; empty if they are ordered by their row numbers alone.
  package init(
    _ objects: ContiguousArray<AnyObject>, _ rowids: ContiguousArray<Int64>, _ keys: ContiguousArray<SortKey>
  ) {
    self.init(objects, rowids, keys, chunkSize: ObjectList.newChunkSize(objects.count))
  }

  private init(
    _ objects: ContiguousArray<AnyObject>, _ rowids: ContiguousArray<Int64>, _ keys: ContiguousArray<SortKey>,
    chunkSize size: Int
  ) {
    var start = 0
    while start < objects.count {
      let range = start..<min(start + size, objects.count)
      append(
        range.count == objects.count
          ? Chunk(objects, rowids, keys)
          : Chunk(
            ContiguousArray(objects[range]), ContiguousArray(rowids[range]),
            keys.isEmpty ? [] : ContiguousArray(keys[range])))
      start = range.upperBound
    }
  }

  /// Returns the size of chunks for a list of `count` objects. Each chunk costs three allocations, so less than 64
  /// objects would not pay: a list of 1,000 has 16 chunks.
  static func chunkSize(_ count: Int) -> Int { max(64, Int(Double(count).squareRoot())) }

  /// Returns the largest size of chunks for a list of `count` objects that is made anew, by a fetch or a change of
  /// most of it.
  ///
  /// A list of 1,000 is one chunk. It may be made anew again before any object is edited; the first edit in a chunk
  /// splits it.
  static func newChunkSize(_ count: Int) -> Int { 16 * chunkSize(count) }

  mutating func append(_ chunk: Chunk) {
    chunks.append(chunk)
    ends.append(count + chunk.objects.count)
  }

  // MARK: Reading

  package var count: Int { ends.last ?? 0 }

  package var isEmpty: Bool { chunks.isEmpty }

  package subscript(index: Int) -> Entry {
    let (chunk, offset) = location(of: index)
    return Entry(chunk.objects[offset], chunk.rowids[offset], chunk.key(at: offset))
  }

  private func location(of index: Int) -> (chunk: Chunk, offset: Int) {
    if index < ends[0] { return (chunks[0], index) }
    var low = 1
    var high = ends.count - 1
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] <= index { low = middle + 1 } else { high = middle }
    }
    return (chunks[low], index - ends[low - 1])
  }

  /// Returns the object at `index`.
  package func object(at index: Int) -> AnyObject {
    let (chunk, offset) = location(of: index)
    return chunk.objects[offset]
  }

  /// All objects, if one array holds them; otherwise nil.
  package var contiguousObjects: ContiguousArray<AnyObject>? {
    chunks.isEmpty ? [] : chunks.count == 1 ? chunks[0].objects : nil
  }

  /// All objects, in a new array unless one array holds them.
  package var objects: ContiguousArray<AnyObject> {
    if let contiguousObjects { return contiguousObjects }
    var objects: ContiguousArray<AnyObject> = []
    objects.reserveCapacity(count)
    for chunk in chunks { objects.append(contentsOf: chunk.objects) }
    return objects
  }

  /// The rows of all objects, in the order of the list.
  package var rowids: ContiguousArray<Int64> {
    if chunks.count == 1 { return chunks[0].rowids }
    var rowids: ContiguousArray<Int64> = []
    rowids.reserveCapacity(count)
    for chunk in chunks { rowids.append(contentsOf: chunk.rowids) }
    return rowids
  }

  /// Returns the index of the first object that does not come before the given row; `count` if all come before it.
  package func index(of key: SortKey?, _ rowid: Int64, in order: SortOrder) -> Int {
    var low = 0
    var high = chunks.count
    while low < high {
      let middle = (low + high) / 2
      let chunk = chunks[middle]
      let last = chunk.rowids.count - 1
      if order.order(chunk.key(at: last), chunk.rowids[last], key, rowid) < 0 {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low < chunks.count else { return count }
    let chunk = chunks[low]
    let start = low == 0 ? 0 : ends[low - 1]
    low = 0
    high = chunk.rowids.count
    while low < high {
      let middle = (low + high) / 2
      if order.order(chunk.key(at: middle), chunk.rowids[middle], key, rowid) < 0 {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return start + low
  }

  /// Calls a closure with the row numbers at the given indexes, which must be in ascending order.
  func forEachRow(at indexes: [Int], _ body: (Int64) -> Void) {
    var number = 0
    for index in indexes {
      while ends[number] <= index { number += 1 }
      body(chunks[number].rowids[index - (ends[number] - chunks[number].rowids.count)])
    }
  }

  // MARK: Editing

  /// The changes to a list. All indexes refer to the list before the edit, and are in ascending order.
  struct Edit {
    var removals: ContiguousArray<Int> = []
    /// Objects that replace others at the same index. None of the indexes is among the removals.
    var replacements: ContiguousArray<(index: Int, entry: Entry)> = []
    /// Objects that are inserted before the object at the index.
    var insertions: ContiguousArray<(index: Int, entry: Entry)> = []

    var isEmpty: Bool { removals.isEmpty && replacements.isEmpty && insertions.isEmpty }
  }

  /// Returns the list after an edit.
  func edited(_ edit: Edit) -> ObjectList {
    var editor = Editor(edit, size: ObjectList.chunkSize(count + edit.insertions.count - edit.removals.count))
    var start = 0
    for (index, chunk) in chunks.enumerated() {
      editor.append(chunk, start..<ends[index], isLast: index == chunks.count - 1)
      start = ends[index]
    }
    if chunks.isEmpty { editor.appendInsertions(upTo: 0) }
    return editor.finish()
  }

  /// A pass that makes the list after an edit, from its first chunk to its last.
  private struct Editor {
    private let edit: Edit
    private let size: Int
    private var result = ObjectList()
    private var removal = 0
    private var replacement = 0
    private var insertion = 0
    // The objects that are not in a chunk yet.
    private var objects: ContiguousArray<AnyObject> = []
    private var rowids: ContiguousArray<Int64> = []
    private var keys: ContiguousArray<SortKey> = []

    init(_ edit: Edit, size: Int) {
      self.edit = edit
      self.size = size
    }

    private func touches(_ range: Range<Int>, isLast: Bool) -> Bool {
      if removal < edit.removals.count, edit.removals[removal] < range.upperBound { return true }
      if replacement < edit.replacements.count, edit.replacements[replacement].index < range.upperBound { return true }
      guard insertion < edit.insertions.count else { return false }
      return isLast || edit.insertions[insertion].index < range.upperBound
    }

    mutating func append(_ chunk: Chunk, _ range: Range<Int>, isLast: Bool) {
      guard touches(range, isLast: isLast) else {
        // A few objects left over from a neighbour join this chunk, so that chunks do not become ever smaller.
        if !objects.isEmpty, objects.count < size / 4 || chunk.objects.count < size / 4 {
          append(chunk, 0..<chunk.objects.count)
        } else {
          endChunk()
          result.append(chunk)
        }
        return
      }
      var copied = range.lowerBound
      while true {
        let next = nextEdit(upTo: range.upperBound)
        append(chunk, copied - range.lowerBound..<next - range.lowerBound)
        copied = next
        appendInsertions(upTo: next, isLast: isLast || next < range.upperBound)
        guard next < range.upperBound else { break }
        if removal < edit.removals.count, edit.removals[removal] == next {
          removal += 1
          copied += 1
        } else if replacement < edit.replacements.count, edit.replacements[replacement].index == next {
          append(edit.replacements[replacement].entry)
          replacement += 1
          copied += 1
        }
      }
      if objects.count >= size { endChunk() }
    }

    /// Returns the index of the next edited object, at most `end`.
    private func nextEdit(upTo end: Int) -> Int {
      var next = end
      if removal < edit.removals.count { next = min(next, edit.removals[removal]) }
      if replacement < edit.replacements.count { next = min(next, edit.replacements[replacement].index) }
      if insertion < edit.insertions.count { next = min(next, edit.insertions[insertion].index) }
      return next
    }

    mutating func appendInsertions(upTo index: Int, isLast: Bool = true) {
      // Objects that come before the first object of the next chunk are inserted there.
      guard isLast else { return }
      while insertion < edit.insertions.count, edit.insertions[insertion].index <= index {
        append(edit.insertions[insertion].entry)
        insertion += 1
      }
    }

    private mutating func append(_ entry: Entry) {
      objects.append(entry.object)
      rowids.append(entry.rowid)
      if let key = entry.key { keys.append(key) }
      if objects.count >= 2 * size { endChunk() }
    }

    private mutating func append(_ chunk: Chunk, _ range: Range<Int>) {
      objects.append(contentsOf: chunk.objects[range])
      rowids.append(contentsOf: chunk.rowids[range])
      if !chunk.keys.isEmpty { keys.append(contentsOf: chunk.keys[range]) }
    }

    private mutating func endChunk() {
      guard !objects.isEmpty else { return }
      if objects.count >= 2 * size {
        for chunk in ObjectList(objects, rowids, keys, chunkSize: size).chunks { result.append(chunk) }
      } else {
        result.append(Chunk(objects, rowids, keys))
      }
      objects = []
      rowids = []
      keys = []
    }

    mutating func finish() -> ObjectList {
      endChunk()
      return result
    }
  }
}
