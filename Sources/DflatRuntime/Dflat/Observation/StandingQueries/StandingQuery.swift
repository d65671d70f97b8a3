import FlatBuffersCore

/// A query whose result is kept up to date from the changes of each commit.
///
/// All subscribers that ask for the same share one. It belongs to the registry of its type, whose owner guards it.
package final class StandingQuery: @unchecked Sendable {
  // Unchecked: the variables are guarded by the owner's lock, and the closure only compares two objects.

  /// What tells queries apart.
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
  /// What all objects of the result come after.
  private let start: (key: SortKey?, rowid: Int64)?

  /// The objects of the result, in order.
  package private(set) var list = ObjectList()
  /// The key of each row of the list, by which single rows are found in it; made when the first row is looked for.
  private var keys: [Int64: SortKey]?
  /// Whether there may be objects in the database that come after the list, which is as long as it may be.
  private var mayHaveMore = false

  var freshness = ListFreshness()
  /// The number of the filing that the registry has looked changes up for since; see `ObservedChanges`.
  var filing = 0
  /// The commit version at which the list was fetched: what began it or an earlier one shows in the list.
  private(set) var fetchedVersion: UInt64 = 0
  package private(set) var subscribers: ContiguousArray<ObservationSubscriber> = []
  /// The damages that were reported. For the thread that fetches the list.
  private var damages: Set<String> = []

  /// - Parameter source: the store that is asked, as fetched results name it.
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
    start = request.start.map { (order.order.key(of: $0.row), $0.rowid) }
  }

  /// Whether the predicate is true for a row.
  func matches(_ row: FlatBufferTable) -> Bool { program?.matches(row) ?? true }

  // MARK: Subscribers

  /// The commit version that the last change of the list began.
  private(set) var changedVersion: UInt64 = 0

  /// Tells all subscribers that the list has changed.
  ///
  /// - Parameters:
  ///   - difference: how it differs from what they were told last; nil if that has to be found out, and may be nothing.
  ///   - version: the commit version that the list is of.
  func post(_ difference: ResultDifference?, version: UInt64, _ deliveries: inout Deliveries) {
    changedVersion = version
    let update = ObservationSubscriber.Update.result(ResultUpdate(list, difference), origin(version))
    for subscriber in subscribers { subscriber.post(update, &deliveries) }
  }

  /// Adds a subscriber.
  ///
  /// - Parameters:
  ///   - version: the commit version at which the subscriber's result was read, at the earliest; 0 if it is not known.
  ///   - hasList: whether the result is the list itself.
  package func add(
    _ subscriber: ObservationSubscriber, from version: UInt64, hasList: Bool, _ deliveries: inout Deliveries
  ) {
    subscribers.append(subscriber)
    if hasList { return subscriber.confirmBase(list) }
    // A list that is not current is posted once it is. A result that is newer than the list is told what comes after it.
    guard isCurrent, version == 0 || version < changedVersion else { return }
    subscriber.post(.result(ResultUpdate(list, nil), origin(changedVersion)), &deliveries)
  }

  /// What the list was fetched as, for results that are made of it.
  private func origin(_ version: UInt64) -> FetchOrigin {
    FetchOrigin(source: source, request: request, version: version, isExact: true)
  }

  package func remove(_ subscriber: ObservationSubscriber) { subscribers.removeAll { $0 === subscriber } }

  // MARK: Fetching

  var isCurrent: Bool { freshness.isCurrent }

  /// Notes that the asking thread fetches the list: see `ListFreshness.beginFetch`.
  package func beginFetch(inTurn: Bool) -> Int? { subscribers.isEmpty ? nil : freshness.beginFetch(inTurn: inTurn) }

  /// Notes that the list was fetched, or could not be: see `ListFreshness.endFetch`.
  package func endFetch(_ number: Int) -> ListFreshness.Backlog? { freshness.endFetch(number) }

  /// Whether a damage was not noted yet: it is reported once. For the thread that fetches the list.
  package func isNew(damage: String) -> Bool { damages.insert(damage).inserted }

  /// What a fetch of the query has found, in order.
  package struct Rows {
    package var objects: ContiguousArray<AnyObject> = []
    package var rowids: ContiguousArray<Int64> = []
    /// Empty if the query has no order but that of the rows.
    package var keys: ContiguousArray<SortKey> = []
    /// All commits up to this version show in the rows, and no later one.
    package var version: UInt64 = 0

    package init() {}
  }

  /// Replaces the list by what was fetched.
  ///
  /// - Parameter membership: is told which rows have come and gone.
  func replace(with rows: Rows, _ membership: inout Membership) {
    for rowid in list.rowids { membership.remove(id, from: rowid) }
    let objects = zip(rows.rowids, rows.objects).map { rowid, object in
      membership.insert(id, for: rowid, object, readAt: rows.version)
    }
    list = ObjectList(ContiguousArray(objects), rows.rowids, rows.keys)
    keys = nil
    mayHaveMore = limit < .max && list.count >= limit
    fetchedVersion = rows.version
  }

  /// Forgets the list, once nobody observes it.
  func clear(_ membership: inout Membership) {
    for rowid in list.rowids { membership.remove(id, from: rowid) }
    list = ObjectList()
    keys = nil
  }

  // MARK: Changes

  /// Changes the list as a transaction has changed its rows.
  ///
  /// - Parameter edits: one for each row, at most, in the order of the rows.
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
    // What was inserted may all have been beyond the limit.
    return difference.isEmpty ? .same : .changed(difference)
  }

  /// To look a row up is a binary search, of about 16 steps with its comparisons. So with more edits than this part of the list, it is
  /// gone over once instead.
  private static let mergedFraction = 16

  /// Whether so many edits are to be applied by `merge`.
  func isToMerge(_ count: Int) -> Bool {
    order.isByRow && start == nil && count > list.count / StandingQuery.mergedFraction
  }

  /// Does what `apply` does, for many edits of a list that is ordered by its rows.
  func merge(_ count: Int, _ membership: inout Membership, _ edit: (Int) -> ObjectList.Merge.Edit) -> Outcome {
    let merge = ObjectList.Merge(list, count, isOpen: mayHaveMore, edit)
    return take(merge.list, merge.difference, &membership)
  }

  /// Fewer edits are looked up one by one in any case: a merge needs tables of all rows that the transaction has changed.
  private static let fewestMergedByKey = 8

  /// Whether so many edits of a list that is ordered by keys are to be applied by `merge`.
  func isToMergeByKey(_ count: Int) -> Bool {
    !order.isByRow && count >= StandingQuery.fewestMergedByKey && count > list.count / StandingQuery.mergedFraction
  }

  /// Does what `apply` does, for many edits of a list that is ordered by keys.
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

  /// Replaces the list by what a merge has made of it, unless that is too short.
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

  /// The index of a row in the list; nil if it is not there.
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

  /// Whether a row comes after the object that the query starts after, if any.
  func isAfterStart(_ key: @autoclosure () -> SortKey?, _ rowid: Int64) -> Bool {
    guard let start else { return true }
    return order.order(start.key, start.rowid, key(), rowid) < 0
  }

  /// Objects that have another key, and yet stay between the same neighbours, are replaced where they are; if that is so for
  /// all of them, since any other may come between.
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
      // A neighbour that leaves says nothing of where the object belongs.
      if index > 0 {
        guard !indexes.contains(index - 1) else { return }
        let previous = list[index - 1]
        guard order.order(previous.key, previous.rowid, key, rowid) < 0 else { return }
      }
      if index + 1 == list.count {
        // What follows in the database is not known.
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

  /// Adds the insertions of objects to an edit, in the order of the list.
  private func insert(
    _ numbers: ContiguousArray<Int>, _ edits: ContiguousArray<RowEdit>, _ edit: inout ObjectList.Edit
  ) {
    let sorted = numbers.sorted { order.order(edits[$0].key, edits[$0].rowid, edits[$1].key, edits[$1].rowid) < 0 }
    edit.insertions.reserveCapacity(sorted.count)
    for number in sorted {
      guard let object = edits[number].object else { continue }
      let index = list.index(of: edits[number].key, edits[number].rowid, in: order)
      // What comes after a list that is as long as it may be is of no interest.
      if mayHaveMore, index == list.count { break }
      edit.insertions.append((index, ObjectList.Entry(object, edits[number].rowid, edits[number].key)))
    }
  }

  /// Notes which rows come and go, and what they are ordered by.
  private func note(_ edit: ObjectList.Edit, _ membership: inout Membership) -> ResultDifference {
    var difference = ResultDifference()
    // The rows that leave, and where they were; those that come again have moved.
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

  /// Drops the objects that are more than the list may hold.
  ///
  /// - Parameter difference: how the list differs from the former one until here.
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
