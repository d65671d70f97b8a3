import FlatBuffersCore

/// A query whose result is kept up to date from the changes of each commit.
///
/// All subscribers with equal requests share one. The registry of its type owns it, and the observation's lock guards
/// it.
package final class StandingQuery: @unchecked Sendable {
  // Unchecked: the observation's lock guards the variables.

  /// The identity of a query: queries with equal requests are shared.
  struct Request: Hashable {
    let predicate: QueryNode?
    let limit: Limit
    let orderBy: [FetchKey]
    /// The number of a query that starts after an object, which is not shared; nil for all others.
    let page: Int?
  }

  package let request: FetchRequest
  let identity: Request
  let sharedOrder: SharedOrder
  package var order: SortOrder { sharedOrder.order }
  /// The number under which the registry files the query.
  let id: Int
  private let source: ObjectIdentifier
  private let program: QueryProgram?
  private let limit: Int
  /// The position that all objects of the result come after; nil if there is none.
  private var start: (key: SortKey?, rowid: Int64)?

  /// The objects of the result, in order.
  package private(set) var list = ObjectList()
  /// The sort key of each row of the list, to find single rows by; nil until the first row is looked for.
  private var keys: [Int64: SortKey]?
  /// Whether the list is cut by the limit, so that the database may hold objects that come after it.
  private var mayHaveMore = false

  var freshness = ListFreshness()
  /// The number of the query's last registration with its `ObservedType`. Changes are looked up for the query from then
  /// on; see `ObservedChanges`.
  var registration = 0
  /// The commit version at which the list was fetched. The list shows all commits up to it.
  private(set) var fetchedVersion: UInt64 = 0
  package private(set) var subscribers: ContiguousArray<ObservationSubscriber> = []
  /// The damaged rows that were reported. Only the thread that fetches the list uses it.
  private var damages: Set<String> = []

  /// Makes a standing query, which is not current yet.
  ///
  /// - Parameter source: the store, as the origin of fetched results names it.
  init(
    _ request: FetchRequest, of source: ObjectIdentifier, id: Int, _ order: SharedOrder
  ) {
    self.request = request
    self.source = source
    identity = Request(
      predicate: request.predicate, limit: request.limit, orderBy: request.orderBy,
      page: request.start == nil ? nil : id)
    self.id = id
    sharedOrder = order
    program = request.predicate.map { QueryProgram($0) }
    limit = request.limit.count
    setStart()
  }

  private func setStart() { start = request.start.map { (order.key(of: $0.row), $0.rowid) } }

  /// Returns whether the predicate is true for a row.
  func matches(_ row: FlatBufferTable) -> Bool { program?.matches(row) ?? true }

  // MARK: Subscribers

  /// The commit version that began with the last change of the list.
  private(set) var changedVersion: UInt64 = 0

  /// Posts the list to all subscribers.
  ///
  /// - Parameters:
  ///   - difference: the difference from the list that they were told last; nil if each subscriber has to compute it.
  ///     It may then be empty.
  ///   - version: the commit version that the list shows.
  func post(_ difference: ResultDifference?, version: UInt64, _ deliveries: inout Deliveries) {
    changedVersion = version
    let update = ObservationSubscriber.Update.result(ResultUpdate(list, difference), origin(version))
    for subscriber in subscribers { subscriber.post(update, &deliveries) }
  }

  /// Adds a subscriber.
  ///
  /// - Parameters:
  ///   - version: the commit version at which the subscriber's result was read, at the earliest; 0 if it is not
  ///     known.
  ///   - hasList: whether the subscriber's result is the list itself.
  package func add(
    _ subscriber: ObservationSubscriber, from version: UInt64, hasList: Bool, _ deliveries: inout Deliveries
  ) {
    subscribers.append(subscriber)
    if hasList { return subscriber.confirmBase(list) }
    // A list that is not current is posted once it is. A subscriber whose result is newer than the list is notified
    // only of changes after its result.
    guard isCurrent, version == 0 || version < changedVersion else { return }
    subscriber.post(.result(ResultUpdate(list, nil), origin(changedVersion)), &deliveries)
  }

  /// Returns the origin of results that are made of the list.
  func origin(_ version: UInt64) -> FetchOrigin {
    FetchOrigin(source: source, request: request, version: version, isExact: true)
  }

  package func remove(_ subscriber: ObservationSubscriber) { subscribers.removeAll { $0 === subscriber } }

  // MARK: Fetched rows

  /// Records the error of a damaged row, and returns whether it is new, so that each is reported once. Only the thread
  /// that fetches the list calls it.
  ///
  /// - Parameter damage: the error's description, which names the row.
  package func isNew(damage: String) -> Bool { damages.insert(damage).inserted }

  /// The rows that a fetch of the query has found, in order.
  package struct Rows {
    package var objects: ContiguousArray<AnyObject> = []
    package var rowids: ContiguousArray<Int64> = []
    /// The sort keys of the rows; empty if the query orders them by their numbers alone.
    package var keys: ContiguousArray<SortKey> = []
    /// The last commit version that the rows show.
    package var version: UInt64 = 0

    package init() {}
  }

  /// Replaces the list by fetched rows, and records in `membership` which rows have come and gone.
  func replace(with rows: Rows, _ membership: inout Membership) {
    for rowid in list.rowids { membership.remove(id, from: rowid) }
    let objects = zip(rows.rowids, rows.objects).map { rowid, object in
      membership.insert(id, for: rowid, object, readAt: rows.version)
    }
    list = ObjectList(ContiguousArray(objects), rows.rowids, rows.keys)
    keys = nil
    mayHaveMore = limit < .max && list.count >= limit
    // If the fetch of the subscriber's result has failed, the list's fetch is the first one that has read the start.
    setStart()
    fetchedVersion = rows.version
    // A subscriber whose result is older has not seen this list.
    changedVersion = max(changedVersion, rows.version)
  }

  /// Drops the list, when the query has no subscriber left.
  func clear(_ membership: inout Membership) {
    for rowid in list.rowids { membership.remove(id, from: rowid) }
    list = ObjectList()
    keys = nil
  }

  // MARK: Changes

  /// Applies the changes of a transaction to the list.
  ///
  /// - Parameter edits: at most one for each row, in the order of the rows.
  func apply(_ edits: ContiguousArray<RowEdit>, _ membership: inout Membership) -> Outcome {
    if isToMerge(edits.count) {
      return merge(edits.count, &membership) { (edits[$0].rowid, edits[$0].unretainedObject) }
    }
    var leaving: ContiguousArray<(index: Int, edit: Int?)> = []
    var edit = ObjectList.Edit()
    var entering: ContiguousArray<Int> = []
    for (number, change) in edits.enumerated() {
      let isWanted = change.object != nil && isAfterStart(change)
      guard let index = index(of: change.rowid) else {
        if isWanted { entering.append(number) }
        continue
      }
      guard isWanted, let object = change.object else {
        leaving.append((index, nil))
        continue
      }
      let former = list[index]
      if order.isSame(former.key, change.key) {
        edit.replacements.append((index, ObjectList.Entry(object, change.rowid, change.key)))
      } else {
        leaving.append((index, number))
      }
    }
    if entering.isEmpty { keepPositions(&leaving, edits, &edit) }
    entering += leaving.compactMap(\.edit)
    insert(entering, edits, &edit)
    edit.removals = ContiguousArray(leaving.map(\.index).sorted())
    edit.replacements.sort { $0.index < $1.index }
    if edit.isEmpty { return .same }
    let count = list.count - edit.removals.count + edit.insertions.count
    if mayHaveMore, count < limit { return .needsFetch }
    var difference = note(edit, &membership)
    list = list.edited(edit)
    if count > limit { difference = truncate(difference, &membership) }
    // All insertions may have been beyond the limit.
    return difference.isEmpty ? .same : .changed(difference)
  }

  /// With more edits than this part of the list, one pass over the list replaces the look-ups. A look-up is a binary
  /// search, of about 16 steps with their comparisons.
  private static let mergedFraction = 16

  /// Returns whether `count` edits are to be applied by `merge`.
  func isToMerge(_ count: Int) -> Bool {
    order.isByRow && start == nil && count > list.count / StandingQuery.mergedFraction
  }

  /// Applies many edits to a list that is ordered by row numbers, in one pass.
  func merge(_ count: Int, _ membership: inout Membership, _ edit: (Int) -> ObjectList.Merge.Edit) -> Outcome {
    let merge = ObjectList.Merge(list, count, isOpen: mayHaveMore, edit)
    return take(merge.list, merge.difference, &membership)
  }

  /// Fewer edits are always looked up one by one, because a merge needs tables of all rows that the transaction has
  /// changed.
  private static let fewestMergedByKey = 8

  /// Returns whether `count` edits of a list that is ordered by keys are to be applied by `merge`.
  func isToMergeByKey(_ count: Int) -> Bool {
    !order.isByRow && count >= StandingQuery.fewestMergedByKey && count > list.count / StandingQuery.mergedFraction
  }

  /// Applies many edits to a list that is ordered by keys, in one pass.
  ///
  /// - Parameters:
  ///   - edits: the rows that match the query and come after its start.
  ///   - rows: all rows that the transaction has changed.
  func merge(
    _ edits: inout KeyedEdits, _ rows: ContiguousArray<ChangedRows.Row>, of transaction: CommittedTransaction,
    _ membership: inout Membership
  ) -> Outcome {
    let merge = ObjectList.KeyedMerge(
      list, isOpen: mayHaveMore, &edits, rows, of: transaction, by: sharedOrder)
    return take(merge.list, merge.difference, &membership)
  }

  /// Replaces the list by a merged one. If the merged list is shorter than the limit and the database may hold more
  /// objects, keeps the list and returns `.needsFetch`.
  private func take(
    _ merged: ObjectList, _ difference: ResultDifference, _ membership: inout Membership
  ) -> Outcome {
    if difference.isEmpty { return .same }
    if mayHaveMore, merged.count < limit { return .needsFetch }
    let isExchanged = 2 * (difference.insertions.count + difference.removals.count) > merged.count
    let isDeferred = isExchanged && limit == .max && start == nil && membership.defersRows(of: id)
    if !isDeferred {
      merged.forEachRow(at: difference.insertions) { membership.insert(id, for: $0) }
      list.forEachRow(at: difference.removals) { membership.remove(id, from: $0) }
    }
    list = merged
    keys = nil
    if list.count <= limit { return .changed(difference) }
    let difference = truncate(difference, &membership)
    return difference.isEmpty ? .same : .changed(difference)
  }

  /// Returns the index of a row in the list; nil if the list does not have it.
  private func index(of rowid: Int64) -> Int? {
    var key: SortKey?
    if !order.isByRow {
      guard let known = knownKey(of: rowid) else { return nil }
      key = known
    }
    let index = list.index(of: key, rowid, in: order)
    return index < list.count && list[index].rowid == rowid ? index : nil
  }

  private func knownKey(of rowid: Int64) -> SortKey? {
    if let keys { return keys[rowid] }
    var keys: [Int64: SortKey] = [:]
    keys.reserveCapacity(list.count)
    for chunk in list.chunks {
      for (rowid, key) in zip(chunk.rowids, chunk.keys) { keys[rowid] = key }
    }
    self.keys = keys
    return keys[rowid]
  }

  private func isAfterStart(_ change: RowEdit) -> Bool { isAfterStart(change.key, change.rowid) }

  /// Returns whether a row comes after the object that the query starts after; true if there is none.
  func isAfterStart(_ key: @autoclosure () -> SortKey?, _ rowid: Int64) -> Bool {
    guard let start else { return true }
    return order.order(start.key, start.rowid, key(), rowid) < 0
  }

  /// Turns removals with insertions into replacements, if every object with a new key stays between its neighbours.
  ///
  /// It does so for all of them or none: any other object may come between two.
  private func keepPositions(
    _ leaving: inout ContiguousArray<(index: Int, edit: Int?)>, _ edits: ContiguousArray<RowEdit>,
    _ edit: inout ObjectList.Edit
  ) {
    var replacements: ContiguousArray<(index: Int, entry: ObjectList.Entry)> = []
    let indexes = Set(leaving.map(\.index))
    for (index, number) in leaving {
      guard let number else { continue }
      guard let object = edits[number].object else { return }
      let (key, rowid) = (edits[number].key, edits[number].rowid)
      // A neighbour that leaves does not tell where the object belongs.
      if index > 0 {
        guard !indexes.contains(index - 1) else { return }
        let previous = list[index - 1]
        guard order.order(previous.key, previous.rowid, key, rowid) < 0 else { return }
      }
      if index + 1 == list.count {
        // The objects that follow in the database are not known.
        if mayHaveMore { return }
      } else {
        guard !indexes.contains(index + 1) else { return }
        let next = list[index + 1]
        guard order.order(key, rowid, next.key, next.rowid) < 0 else { return }
      }
      replacements.append((index, ObjectList.Entry(object, rowid, key)))
    }
    edit.replacements += replacements
    leaving.removeAll { $0.edit != nil }
  }

  /// Adds the insertions of objects to `edit`, in the order of the list.
  private func insert(
    _ numbers: ContiguousArray<Int>, _ edits: ContiguousArray<RowEdit>, _ edit: inout ObjectList.Edit
  ) {
    let sorted = numbers.sorted { order.order(edits[$0].key, edits[$0].rowid, edits[$1].key, edits[$1].rowid) < 0 }
    edit.insertions.reserveCapacity(sorted.count)
    for number in sorted {
      guard let object = edits[number].object else { continue }
      let index = list.index(of: edits[number].key, edits[number].rowid, in: order)
      // Objects after the end of a list that the limit cuts are not wanted.
      if mayHaveMore, index == list.count { break }
      edit.insertions.append((index, ObjectList.Entry(object, edits[number].rowid, edits[number].key)))
    }
  }

  /// Records an edit in `membership` and `keys`, and returns the difference that it makes.
  private func note(_ edit: ObjectList.Edit, _ membership: inout Membership) -> ResultDifference {
    var difference = ResultDifference()
    // The former indexes of the rows that leave. A row that is also inserted has moved.
    var origins: [Int64: Int] = [:]
    for index in edit.removals { origins[list[index].rowid] = index }
    var removed = 0
    for (number, insertion) in edit.insertions.enumerated() {
      while removed < edit.removals.count, edit.removals[removed] < insertion.index { removed += 1 }
      let offset = insertion.index - removed + number
      let rowid = insertion.entry.rowid
      if let origin = origins.removeValue(forKey: rowid) {
        difference.moves.append(ResultDifference.Move(from: origin, to: offset))
      } else {
        difference.insertions.append(offset)
        membership.insert(id, for: rowid)
      }
      if let key = insertion.entry.key { keys?[rowid] = key }
    }
    for (rowid, _) in origins {
      membership.remove(id, from: rowid)
      keys?[rowid] = nil
    }
    difference.removals = origins.values.sorted()
    removed = 0
    var inserted = 0
    for replacement in edit.replacements {
      while removed < edit.removals.count, edit.removals[removed] < replacement.index { removed += 1 }
      while inserted < edit.insertions.count, edit.insertions[inserted].index <= replacement.index { inserted += 1 }
      difference.appendChanges(from: replacement.index, to: replacement.index - removed + inserted)
      if let key = replacement.entry.key { keys?[replacement.entry.rowid] = key }
    }
    return difference
  }

  /// Cuts the list to the limit, and returns the difference from the former list.
  ///
  /// - Parameter difference: the difference of the uncut list.
  private func truncate(_ difference: ResultDifference, _ membership: inout Membership) -> ResultDifference {
    var cut = ObjectList.Edit()
    for index in limit..<list.count {
      cut.removals.append(index)
      membership.remove(id, from: list[index].rowid)
      keys?[list[index].rowid] = nil
    }
    let former = list.count - difference.insertions.count + difference.removals.count
    let difference = difference.truncated(to: limit, of: list.count, from: former)
    list = list.edited(cut)
    mayHaveMore = true
    return difference
  }
}
