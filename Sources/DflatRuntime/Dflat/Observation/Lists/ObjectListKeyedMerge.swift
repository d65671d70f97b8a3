extension ObjectList {
  /// The application of many edits to a list that is ordered by keys, in one pass over the list and the rows that
  /// enter it.
  ///
  /// A planning pass, by numbers alone, finds where each object of the new list comes from. A second pass fills whole
  /// chunks, so that each object is retained once. For few edits, `StandingQuery.apply` is quicker: it looks each row
  /// up.
  struct KeyedMerge {
    private(set) var list = ObjectList()
    private(set) var difference = ResultDifference()

    private let old: ObjectList
    /// The changed rows of the transaction.
    private let rows: ContiguousArray<ChangedRows.Row>
    private let transaction: CommittedTransaction
    private let order: SharedOrder
    private var plan = Plan()
    /// The number of `plan.incoming` rows that are planned already.
    private var plannedCount = 0

    /// The results of the planning pass.
    struct Plan {
      /// For each row of the old list, its position among the changed rows, or -1 if it has not changed.
      fileprivate var positions: ContiguousArray<Int32> = []
      /// The positions of the changed rows that enter the list or move in it, in the order of the list.
      fileprivate var incoming: ContiguousArray<Int32> = []
      /// The sources of the objects that are in no chunk yet.
      fileprivate var sources: ContiguousArray<Source> = []

      fileprivate mutating func removeAll() {
        positions.removeAll(keepingCapacity: true)
        incoming.removeAll(keepingCapacity: true)
        sources.removeAll(keepingCapacity: true)
      }
    }

    /// The source of an object of the new list: the old list, or a changed row.
    fileprivate struct Source: BitwiseCopyable {
      /// The object's chunk and offset in the old list; unused if `position` is set.
      var chunk: Int32 = 0
      var offset: Int32 = 0
      /// The position of the object's row among the changed rows; -1 if it has not changed.
      var position: Int32 = -1
    }

    /// Merges the list and the edits.
    ///
    /// - Parameters:
    ///   - isOpen: whether the database may hold objects after the list's end. Rows that come after the end are then
    ///     dropped.
    ///   - edits: the changed rows that the new list has.
    init(
      _ old: ObjectList, isOpen: Bool, _ edits: inout KeyedEdits, _ rows: ContiguousArray<ChangedRows.Row>,
      of transaction: CommittedTransaction, by order: SharedOrder
    ) {
      self.old = old
      self.rows = rows
      self.transaction = transaction
      self.order = order
      swap(&plan, &edits.plan)
      plan.removeAll()
      settleFates(&edits)
      plan.incoming.reserveCapacity(edits.wanted.count)
      for position in edits.wanted where edits[Int(position)] != .staying { plan.incoming.append(position) }
      order.sort(&plan.incoming, of: rows, in: transaction)
      if isOpen { dropIncomingAfterEnd(&edits) }
      merge(edits)
      swap(&plan, &edits.plan)
    }

    /// Finds which rows of the list stay, move and leave.
    private mutating func settleFates(_ edits: inout KeyedEdits) {
      plan.positions.reserveCapacity(old.count)
      var leavingCount = 0
      var stayingCount = 0
      for chunk in old.chunks {
        for (index, rowid) in chunk.rowids.enumerated() {
          guard let position = edits.position(of: rowid) else {
            plan.positions.append(-1)
            continue
          }
          if edits[position] == .entering {
            let isSame = order.order.isSame(chunk.keys[index], key(at: position))
            edits[position] = isSame ? .staying : .moving(from: plan.positions.count)
            stayingCount += 1
          } else {
            leavingCount += 1
          }
          plan.positions.append(Int32(position))
        }
      }
      difference.removals.reserveCapacity(leavingCount)
      difference.insertions.reserveCapacity(edits.wanted.count - stayingCount)
    }

    /// Drops the incoming rows that come after the last row of the old list.
    private mutating func dropIncomingAfterEnd(_ edits: inout KeyedEdits) {
      guard !old.isEmpty else { return }
      let end = old[old.count - 1]
      while let position = plan.incoming.last.map({ Int($0) }),
        order.order.order(end.key, end.rowid, key(at: position), rows[position].rowid) < 0
      {
        edits[position] = .unwanted
        plan.incoming.removeLast()
      }
    }

    // MARK: Planning

    private mutating func merge(_ edits: KeyedEdits) {
      let size = ObjectList.chunkSize(max(old.count, plan.incoming.count))
      var start = 0
      for (number, chunk) in old.chunks.enumerated() {
        let end = start + chunk.rowids.count
        defer { start = end }
        let comesNone = plannedCount == plan.incoming.count || !isNext(before: chunk, chunk.rowids.count - 1)
        // A few objects before an unchanged chunk join its objects, so that chunks do not become ever smaller.
        if comesNone, plan.sources.isEmpty || plan.sources.count >= size / 4,
          plan.positions[start..<end].allSatisfy({ $0 < 0 })
        {
          fillChunks(size)
          list.append(chunk)
          continue
        }
        for offset in 0..<chunk.rowids.count {
          let position = plan.positions[start + offset]
          if position >= 0, edits[Int(position)] != .staying {
            // `planNext` records where a moving row goes.
            if edits[Int(position)] == .unwanted { difference.removals.append(start + offset) }
            continue
          }
          if !comesNone {
            while plannedCount < plan.incoming.count, isNext(before: chunk, offset) { planNext(edits) }
          }
          if position >= 0 { difference.appendChanges(from: start + offset, to: list.count + plan.sources.count) }
          plan.sources.append(Source(chunk: Int32(number), offset: Int32(offset), position: position))
        }
      }
      while plannedCount < plan.incoming.count { planNext(edits) }
      fillChunks(size)
    }

    private func isNext(before chunk: Chunk, _ offset: Int) -> Bool {
      let position = Int(plan.incoming[plannedCount])
      return order.order.order(key(at: position), rows[position].rowid, chunk.keys[offset], chunk.rowids[offset]) < 0
    }

    private mutating func planNext(_ edits: KeyedEdits) {
      let position = plan.incoming[plannedCount]
      let index = list.count + plan.sources.count
      if case .moving(let origin) = edits[Int(position)] {
        difference.moves.append(ResultDifference.Move(from: origin, to: index))
      } else {
        difference.insertions.append(index)
      }
      plan.sources.append(Source(position: position))
      plannedCount += 1
    }

    // MARK: Filling

    /// Makes chunks of the planned objects. If those are most of the list, the chunks are as large as in a list that
    /// is made anew.
    private mutating func fillChunks(_ chunkSize: Int) {
      let count = plan.sources.count
      let isNew = count > max(old.count, plan.incoming.count) / 2
      let size = isNew ? ObjectList.newChunkSize(count) : chunkSize
      var start = 0
      while start < count {
        let rest = count - start
        let length = rest < 2 * size ? rest : size
        list.append(chunk(of: plan.sources[start..<start + length]))
        start += length
      }
      plan.sources.removeAll(keepingCapacity: true)
    }

    private func chunk(of sources: ArraySlice<Source>) -> Chunk {
      let count = sources.count
      return Chunk(
        ContiguousArray(unsafeUninitializedCapacity: count) { objects, initializedCount in
          for (index, source) in sources.enumerated() {
            let changed = source.position < 0 ? nil : rows[Int(source.position)].object
            objects.initializeElement(
              at: index, to: changed ?? old.chunks[Int(source.chunk)].objects[Int(source.offset)])
          }
          initializedCount = count
        },
        ContiguousArray(unsafeUninitializedCapacity: count) { rowids, initializedCount in
          for (index, source) in sources.enumerated() {
            rowids[index] =
              source.position < 0
              ? old.chunks[Int(source.chunk)].rowids[Int(source.offset)] : rows[Int(source.position)].rowid
          }
          initializedCount = count
        },
        ContiguousArray(unsafeUninitializedCapacity: count) { keys, initializedCount in
          for (index, source) in sources.enumerated() {
            let changed = source.position < 0 ? nil : key(at: Int(source.position))
            keys.initializeElement(at: index, to: changed ?? old.chunks[Int(source.chunk)].keys[Int(source.offset)])
          }
          initializedCount = count
        })
    }

    private func key(at position: Int) -> SortKey? { order.key(ofRow: position, of: rows, in: transaction) }
  }
}
