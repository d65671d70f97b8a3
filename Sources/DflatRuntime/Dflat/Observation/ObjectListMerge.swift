extension ObjectList {
  /// What many edits make of a list that is ordered by its rows alone: list and edits are gone over side by side, once.
  struct Merge {
    private(set) var list = ObjectList()
    private(set) var difference = ResultDifference()
    /// The rows that come and go, as the insertions and removals of the difference do.
    private(set) var entering: ContiguousArray<Int64> = []
    private(set) var leaving: ContiguousArray<Int64> = []

    /// - Parameters:
    ///   - edits: one for each row, at most, in the order of the rows.
    ///   - isOpen: whether objects may follow that are not in the list, so that what comes after it is of no interest.
    init(_ old: ObjectList, _ edits: ContiguousArray<StandingQuery.RowEdit>, isOpen: Bool) {
      difference.changes.reserveCapacity(min(old.count, edits.count))
      var builder = Builder(chunkSize: ObjectList.chunkSize(max(old.count, edits.count)))
      var edit = 0
      // Of the old list, and of the new one.
      var (from, to) = (0, 0)
      for chunk in old.chunks {
        for (position, rowid) in chunk.rowids.enumerated() {
          while edit < edits.count, edits[edit].rowid < rowid {
            to += insert(edits[edit], at: to, &builder)
            edit += 1
          }
          if edit < edits.count, edits[edit].rowid == rowid {
            if let object = edits[edit].object {
              builder.append(object, rowid)
              difference.changes.append(ResultDifference.Move(from: from, to: to))
              to += 1
            } else {
              difference.removals.append(from)
              leaving.append(rowid)
            }
            edit += 1
          } else {
            builder.append(chunk.objects[position], rowid)
            to += 1
          }
          from += 1
        }
      }
      if !isOpen {
        for edit in edits[edit...] { to += insert(edit, at: to, &builder) }
      }
      list = builder.finish()
    }

    /// - Returns: how many objects were inserted.
    private mutating func insert(_ edit: StandingQuery.RowEdit, at offset: Int, _ builder: inout Builder) -> Int {
      guard let object = edit.object else { return 0 }
      builder.append(object, edit.rowid)
      difference.insertions.append(offset)
      entering.append(edit.rowid)
      return 1
    }
  }

  /// Makes a list of one object after another.
  private struct Builder {
    private let chunkSize: Int
    private var result = ObjectList()
    private var objects: ContiguousArray<AnyObject> = []
    private var rowids: ContiguousArray<Int64> = []

    init(chunkSize: Int) {
      self.chunkSize = chunkSize
      reserveChunk()
    }

    private mutating func reserveChunk() {
      objects.reserveCapacity(chunkSize)
      rowids.reserveCapacity(chunkSize)
    }

    @inline(__always)
    mutating func append(_ object: consuming AnyObject, _ rowid: Int64) {
      if rowids.count == chunkSize { endChunk() }
      objects.append(object)
      rowids.append(rowid)
    }

    private mutating func endChunk() {
      result.append(Chunk(objects, rowids, []))
      objects = []
      rowids = []
      reserveChunk()
    }

    mutating func finish() -> ObjectList {
      if !rowids.isEmpty { result.append(Chunk(objects, rowids, [])) }
      return result
    }
  }
}
