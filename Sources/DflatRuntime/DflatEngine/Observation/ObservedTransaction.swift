import Dflat

/// The changes of a transaction that writes before its closure has ended. Only those are kept that a subscriber has to
/// be told of.
final class ObservedTransaction: ChangeCollector, @unchecked Sendable {
  // Unchecked: the variables are guarded by the lock of the observation.

  private let observation: Observation
  private let transaction = CommittedTransaction()
  /// A type that was observed when the first change of its objects was collected.
  private final class Collected {
    let type: ObservedType
    var changes: ObservedChanges

    init(_ type: ObservedType) {
      self.type = type
      changes = type.beginCollecting()
    }
  }

  private var types: [Collected] = []
  /// The types that nobody observed when their first change was collected.
  private var unobserved: Set<ObjectIdentifier> = []
  /// Whether the changes would take too much memory. They are dropped then, and the commit counts as one of unknown
  /// changes.
  private var isTooLarge = false

  init(_ observation: Observation) { self.observation = observation }

  func collect(_ set: WriteSet) { observation.collect(set, in: self) }

  func transactionHasCommitted(version: UInt64) { observation.transactionHasCommitted(self, version: version) }

  // MARK: Under the lock of the observation

  /// Adds the changes of a set.
  ///
  /// - Parameter observed: the observed type of each record.
  func collect(_ set: WriteSet, _ observed: [ObjectIdentifier: ObservedType]) {
    if isTooLarge { return }
    var index = set.writes.startIndex
    while index < set.writes.endIndex {
      let record = set.writes[index].record
      let start = index
      while index < set.writes.endIndex, set.writes[index].record === record { index += 1 }
      guard let collected = collected(of: ObjectIdentifier(record), observed) else { continue }
      for index in start..<index {
        let rowid = set.actualRow(at: index)
        let bytes = set.bytes(at: index)
        guard let pairs = collected.type.find(changeOf: rowid, bytes, in: &collected.changes) else { continue }
        transaction.append(
          set.writes[index].kind, record, rowid, set.writes[index].object, keptBytes: transaction.keep(bytes))
        collected.changes.appendLast(of: transaction, pairs)
      }
    }
    if transaction.isTooLarge {
      isTooLarge = true
      types = []
    }
  }

  /// Returns the collected changes of a type; nil if nobody observed the type when the first of its changes was
  /// applied.
  private func collected(of record: ObjectIdentifier, _ observed: [ObjectIdentifier: ObservedType]) -> Collected? {
    if let known = types.first(where: { ObjectIdentifier($0.type.record) == record }) { return known }
    guard !unobserved.contains(record), let type = observed[record] else {
      unobserved.insert(record)
      return nil
    }
    let collected = Collected(type)
    types.append(collected)
    return collected
  }

  /// Updates the observed types after the commit of the transaction.
  ///
  /// - Parameters:
  ///   - observed: the observed type of each record.
  ///   - version: the commit version that began with the commit.
  func apply(to observed: [ObjectIdentifier: ObservedType], version: UInt64, _ deliveries: inout Deliveries) {
    if isTooLarge {
      for type in observed.values { type.expireAll(&deliveries) }
      return
    }
    for collected in types {
      let type = collected.type
      let current = observed[ObjectIdentifier(type.record)]
      if current === type {
        type.apply(collected: &collected.changes, of: transaction, version: version, &deliveries)
      } else {
        // All subscriptions have been cancelled, and others were made since.
        current?.expireAll(&deliveries)
      }
    }
    for record in unobserved { observed[record]?.expireAll(&deliveries) }
  }
}
