extension ObjectList {
  /// Applies many edits to a list that is ordered by keys: goes over the list and the rows that enter it side by side, once.
  ///
  /// A first pass plans, by numbers alone, where each object of the new list comes from. A second one fills each chunk at once, so
  /// that each object is retained once. For few edits, `StandingQuery.apply` is quicker, which looks each row up.
  struct KeyedMerge {
    private(set) var list = ObjectList()
    private(set) var difference = ResultDifference()
    /// The rows that come and go, as the insertions and removals of the difference do.
    private(set) var entering: ContiguousArray<Int64> = []
    private(set) var leaving: ContiguousArray<Int64> = []

    private let old: ObjectList
    /// The changed rows of the transaction.
    private let rows: ContiguousArray<ChangedRows.Row>
    private let transaction: CommittedTransaction
    private let order: SharedOrder
    /// The positions of the rows that come into the list or move in it, in the order of the list, and how many of them are planned.
    private var incoming: ContiguousArray<Int32> = []
    private var plannedCount = 0
    /// Where the objects come from that are in no chunk yet.
    private var sources: ContiguousArray<Source> = []

    /// Where an object of the new list comes from.
    private struct Source: BitwiseCopyable {
      /// The object's place in the old list; not used if `position` is.
      var chunk: Int32 = 0
      var offset: Int32 = 0
      /// The position of the object's row among the changed ones; -1 if it has not changed.
      var position: Int32 = -1
    }

    /// - Parameters:
    ///   - isOpen: whether objects may follow that are not in the list, so that what comes after it is of no interest.
    ///   - edits: which of the changed rows the list is to have.
    init(
      _ old: ObjectList, isOpen: Bool, _ edits: inout KeyedEdits, _ rows: ContiguousArray<ChangedRows.Row>,
      of transaction: CommittedTransaction, by order: SharedOrder
    ) {
      self.old = old
      self.rows = rows
      self.transaction = transaction
      self.order = order
      let positions = settleFates(&edits)
      incoming.reserveCapacity(edits.wanted.count)
      for position in edits.wanted where edits[Int(position)] != .staying { incoming.append(position) }
      order.sort(&incoming, of: rows, in: transaction)
      if isOpen { dropIncomingAfterEnd(&edits) }
      merge(positions, edits)
    }

    /// Finds out which rows of the list stay, move and leave.
    ///
    /// - Returns: for each row of the list, its position among the changed rows, or -1 if it has not changed.
    private func settleFates(_ edits: inout KeyedEdits) -> ContiguousArray<Int32> {
      var positions: ContiguousArray<Int32> = []
      positions.reserveCapacity(old.count)
      for chunk in old.chunks {
        for (index, rowid) in chunk.rowids.enumerated() {
          guard let position = edits.position(of: rowid) else {
            positions.append(-1)
            continue
          }
          if edits[position] == .entering {
            let isSame = order.order.isSame(chunk.keys[index], key(at: position))
            edits[position] = isSame ? .staying : .moving(from: positions.count)
          }
          positions.append(Int32(position))
        }
      }
      return positions
    }

    /// Leaves out the rows that come after the last one of the list.
    private mutating func dropIncomingAfterEnd(_ edits: inout KeyedEdits) {
      guard !old.isEmpty else { return }
      let end = old[old.count - 1]
      while let position = incoming.last.map({ Int($0) }),
        order.order.order(end.key, end.rowid, key(at: position), rows[position].rowid) < 0
      {
        edits[position] = .unwanted
        incoming.removeLast()
      }
    }

    // MARK: Planning

    private mutating func merge(_ positions: ContiguousArray<Int32>, _ edits: KeyedEdits) {
      let size = ObjectList.chunkSize(max(old.count, incoming.count))
      var start = 0
      for (number, chunk) in old.chunks.enumerated() {
        let end = start + chunk.rowids.count
        defer { start = end }
        let comesNone = plannedCount == incoming.count || !isNext(before: chunk, chunk.rowids.count - 1)
        if comesNone, sources.isEmpty, positions[start..<end].allSatisfy({ $0 < 0 }) {
          list.append(chunk)
          continue
        }
        for offset in 0..<chunk.rowids.count {
          let position = positions[start + offset]
          if position >= 0, edits[Int(position)] != .staying {
            // Where it moves to is noted when it comes.
            if edits[Int(position)] == .unwanted {
              difference.removals.append(start + offset)
              leaving.append(chunk.rowids[offset])
            }
            continue
          }
          if !comesNone {
            while plannedCount < incoming.count, isNext(before: chunk, offset) { planNext(edits) }
          }
          if position >= 0 { difference.appendChanges(from: start + offset, to: list.count + sources.count) }
          sources.append(Source(chunk: Int32(number), offset: Int32(offset), position: position))
        }
        // Few objects join those of the next chunk, so that chunks do not get ever smaller.
        if sources.count >= size / 4 { fillChunks(size) }
      }
      while plannedCount < incoming.count { planNext(edits) }
      fillChunks(size)
    }

    private func isNext(before chunk: Chunk, _ offset: Int) -> Bool {
      let position = Int(incoming[plannedCount])
      return order.order.order(key(at: position), rows[position].rowid, chunk.keys[offset], chunk.rowids[offset]) < 0
    }

    private mutating func planNext(_ edits: KeyedEdits) {
      let position = incoming[plannedCount]
      let index = list.count + sources.count
      if case .moving(let origin) = edits[Int(position)] {
        difference.moves.append(ResultDifference.Move(from: origin, to: index))
      } else {
        difference.insertions.append(index)
        entering.append(rows[Int(position)].rowid)
      }
      sources.append(Source(position: position))
      plannedCount += 1
    }

    // MARK: Filling

    /// Makes chunks of the planned objects.
    private mutating func fillChunks(_ size: Int) {
      var start = 0
      while start < sources.count {
        let rest = sources.count - start
        let count = rest < 2 * size ? rest : size
        list.append(chunk(of: sources[start..<start + count]))
        start += count
      }
      sources.removeAll(keepingCapacity: true)
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
