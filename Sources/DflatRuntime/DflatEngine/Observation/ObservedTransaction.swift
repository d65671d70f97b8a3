import Dflat

/// A large transaction, of which only those changes are kept that a subscriber has to be told of.
final class ObservedTransaction: ChangeCollector, @unchecked Sendable {
  // Unchecked: the variables are guarded by the lock of the observation.

  private let observation: Observation
  private let transaction = CommittedTransaction()
  /// A type that somebody observed when the first of its changes was collected.
  private final class Collected {
    let type: ObservedType
    var changes: ObservedChanges

    init(_ type: ObservedType) {
      self.type = type
      changes = type.beginCollecting()
    }
  }

  private var types: [Collected] = []
  /// The types that nobody observed then.
  private var unobserved: Set<ObjectIdentifier> = []
  /// Whether more would have to be kept than memory is for. What has changed is not known then.
  private var isTooLarge = false

  init(_ observation: Observation) { self.observation = observation }

  func collect(_ set: WriteSet) { observation.collect(set, in: self) }

  func transactionHasCommitted(version: UInt64) { observation.transactionHasCommitted(self, version: version) }

  // MARK: Under the lock of the observation

  /// - Parameter observed: the type that is observed of each record.
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

  /// What is collected of a type; nil if nobody observed it when the first of its changes was applied.
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

  /// Brings the types that are observed up to date: the transaction has been committed.
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
        // All have cancelled, and others have subscribed since.
        current?.expireAll(&deliveries)
      }
    }
    for record in unobserved { observed[record]?.expireAll(&deliveries) }
  }
}
