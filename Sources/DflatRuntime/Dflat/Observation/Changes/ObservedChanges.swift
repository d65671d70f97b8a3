import FlatBuffersCore

/// The changes of one transaction to an observed type, with the queries that each change concerns.
///
/// Mostly, a transaction writes after its closure has ended, and its changes are looked up when it is committed. A
/// large transaction writes before that. Its changes are looked up while it writes, and those that concern nobody are
/// not kept. So memory and time depend only on the changes that are reported to subscribers.
package struct ObservedChanges {
  var rows = ChangedRows()
  var concerned = ConcernedQueries()
  /// The number of registrations when the first change was looked up. For queries and objects that were registered
  /// later, the lookups are incomplete.
  let registrationCount: Int
  /// Whether all changes of the type are kept, so that any query can be updated from them.
  let isComplete: Bool

  /// Adds the last change of a transaction.
  ///
  /// - Parameter pairs: the range of the change's pairs in `concerned`.
  package mutating func appendLast(of transaction: CommittedTransaction, _ pairs: Range<Int>) {
    let position = transaction.changes.count - 1
    rows.append(transaction.changes[position], at: position, pairs: pairs)
  }
}
