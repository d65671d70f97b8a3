extension ObjectList {
  /// The application of many edits to a list that is ordered by row numbers alone, in one pass over the list and the
  /// edits.
  ///
  /// A chunk whose rows all stay shares its row numbers with the old chunk. If none of its objects has changed, the
  /// whole chunk is shared.
  struct Merge {
    private(set) var list = ObjectList()
    private(set) var difference = ResultDifference()

    /// The change of one row: the object that it holds; nil if the new list does not have the row.
    typealias Edit = (rowid: Int64, object: Unmanaged<AnyObject>?)

    // The present index in the old list, and in the new one.
    private var from = 0
    private var to = 0
    /// The number of edits that have been applied.
    private var applied = 0

    /// Merges the list and the edits.
    ///
    /// - Parameters:
    ///   - count: the number of edits: at most one for each row, in the order of the rows.
    ///   - isOpen: whether the database may hold objects after the list's end. Rows that come after the end are then
    ///     dropped.
    ///   - edit: returns the edit at a position.
    init(_ old: ObjectList, _ count: Int, isOpen: Bool, _ edit: (Int) -> Edit) {
      var builder = Builder(chunkSize: ObjectList.chunkSize(max(old.count, count)))
      for (number, chunk) in old.chunks.enumerated() {
        let isEnd = !isOpen && number == old.chunks.count - 1
        switch builder.isEmpty ? effect(on: chunk, isEnd, count, edit) : .rows {
        case .none: builder.append(chunk)
        case .objects: builder.append(replace(chunk, count, edit))
        case .rows: rebuild(chunk, count, edit, &builder)
        }
        from += chunk.rowids.count
        to = builder.count
      }
      if !isOpen {
        while applied < count { insert(edit(applied), &builder) }
      }
      list = builder.finish()
    }

    private enum Effect {
      case none
      /// All rows stay, and some have other objects.
      case objects
      /// Rows come or go.
      case rows
    }

    /// Returns what the edits from `applied` on change in a chunk: nothing, only objects, or which rows it has.
    ///
    /// - Parameters:
    ///   - isEnd: whether all remaining edits belong to the chunk.
    ///   - count: the number of all edits.
    ///   - edit: returns the edit at a position.
    private func effect(on chunk: Chunk, _ isEnd: Bool, _ count: Int, _ edit: (Int) -> Edit) -> Effect {
      var position = applied
      if position == count { return .none }
      var next = edit(position)
      var effect = Effect.none
      return chunk.rowids.withUnsafeBufferPointer { rowids in
        for rowid in rowids {
          while next.rowid <= rowid {
            switch (isMember: next.rowid == rowid, isWanted: next.object != nil) {
            case (true, true): effect = .objects
            case (true, false), (false, true): return .rows
            case (false, false): break
            }
            position += 1
            if position == count { return effect }
            next = edit(position)
          }
        }
        while isEnd {
          if next.object != nil { return .rows }
          position += 1
          if position == count { break }
          next = edit(position)
        }
        return effect
      }
    }

    /// Returns a copy of a chunk, with the new objects of the rows that the edits change. No row comes or goes.
    private mutating func replace(_ chunk: Chunk, _ count: Int, _ edit: (Int) -> Edit) -> Chunk {
      let rowids = chunk.rowids
      let objects = ContiguousArray<AnyObject>(unsafeUninitializedCapacity: rowids.count) { objects, initialized in
        var next: Edit? = applied < count ? edit(applied) : nil
        var runCount = 0
        for index in rowids.indices {
          while let skipped = next, skipped.rowid < rowids[index] {
            applied += 1
            next = applied < count ? edit(applied) : nil
          }
          if let object = next?.object, next?.rowid == rowids[index] {
            objects.initializeElement(at: index, to: object.takeUnretainedValue())
            runCount += 1
            applied += 1
            next = applied < count ? edit(applied) : nil
          } else {
            objects.initializeElement(at: index, to: chunk.objects[index])
            endRun(&runCount, before: index)
          }
        }
        endRun(&runCount, before: rowids.count)
        initialized = rowids.count
      }
      return Chunk(objects, rowids, [])
    }

    private mutating func endRun(_ count: inout Int, before index: Int) {
      if count > 0 { difference.appendChanges(from: from + index - count, to: to + index - count, count: count) }
      count = 0
    }

    /// Rebuilds a chunk in which rows come or go, object by object.
    private mutating func rebuild(_ chunk: Chunk, _ count: Int, _ edit: (Int) -> Edit, _ builder: inout Builder) {
      for (index, rowid) in chunk.rowids.enumerated() {
        while applied < count, edit(applied).rowid < rowid { insert(edit(applied), &builder) }
        guard applied < count, edit(applied).rowid == rowid else {
          builder.append(chunk.objects[index], rowid)
          continue
        }
        if let object = edit(applied).object {
          difference.appendChanges(from: from + index, to: builder.count)
          builder.append(object.takeUnretainedValue(), rowid)
        } else {
          difference.removals.append(from + index)
        }
        applied += 1
      }
      builder.endChunk()
    }

    /// Applies an edit of a row that the list does not have.
    private mutating func insert(_ edit: Edit, _ builder: inout Builder) {
      applied += 1
      guard let object = edit.object else { return }
      difference.insertions.append(builder.count)
      builder.append(object.takeUnretainedValue(), edit.rowid)
    }
  }

  /// A builder of a list from objects and chunks in order.
  private struct Builder {
    private let chunkSize: Int
    private var result = ObjectList()
    // The objects that are not in a chunk yet.
    private var objects: ContiguousArray<AnyObject> = []
    private var rowids: ContiguousArray<Int64> = []

    init(chunkSize: Int) {
      self.chunkSize = chunkSize
    }

    /// Whether all objects are in chunks.
    var isEmpty: Bool { rowids.isEmpty }

    var count: Int { result.count + rowids.count }

    /// Adds a chunk as it is. All objects before it must be in chunks.
    mutating func append(_ chunk: Chunk) { result.append(chunk) }

    mutating func append(_ object: AnyObject, _ rowid: Int64) {
      if rowids.isEmpty {
        objects.reserveCapacity(2 * chunkSize)
        rowids.reserveCapacity(2 * chunkSize)
      }
      objects.append(object)
      rowids.append(rowid)
      if rowids.count == 2 * chunkSize { endChunks() }
    }

    /// Makes a chunk of the objects that are in no chunk, unless they are so few that they should join the next chunk.
    mutating func endChunk() {
      if rowids.count >= chunkSize / 4 { endChunks() }
    }

    private mutating func endChunks() {
      let half = rowids.count < 2 * chunkSize ? rowids.count : chunkSize
      for range in [0..<half, half..<rowids.count] where !range.isEmpty {
        result.append(Chunk(ContiguousArray(objects[range]), ContiguousArray(rowids[range]), []))
      }
      objects.removeAll(keepingCapacity: true)
      rowids.removeAll(keepingCapacity: true)
    }

    mutating func finish() -> ObjectList {
      if !rowids.isEmpty { endChunks() }
      return result
    }
  }
}
