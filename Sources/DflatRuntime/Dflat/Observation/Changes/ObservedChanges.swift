import FlatBuffersCore

/// What one transaction changes of a type that somebody has to be told of, with the queries that each change concerns.
///
/// All changes of a small transaction are looked through when it is committed. A large one is looked through while it is
/// applied, and what concerns nobody is not kept: then memory and time are those of the changes that somebody hears of.
package struct ObservedChanges {
  var rows = ChangedRows()
  var concerned = ConcernedQueries()
  /// How many queries and objects had been filed when the first change was looked at. Those filed later were not found.
  let filingCount: Int
  /// Whether all changes of the type are kept, so that any query can be brought up to date from them.
  let isComplete: Bool

  /// Adds the last change of a transaction.
  ///
  /// - Parameter pairs: where the queries are that it concerns.
  package mutating func appendLast(of transaction: CommittedTransaction, _ pairs: Range<Int>) {
    let position = transaction.changes.count - 1
    rows.append(transaction.changes[position], at: position, pairs: pairs)
  }
}
