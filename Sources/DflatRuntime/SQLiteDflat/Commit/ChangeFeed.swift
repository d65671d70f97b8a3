import Dflat

/// Hears of every commit, in the order of the commits, and before the completion handlers of its transactions are called.
///
/// The calls are made by the thread that has committed, which keeps the writer meanwhile; that others have committed may be
/// noticed by any thread, also in between. A listener takes what it needs and returns: it must not wait for a transaction or a
/// fetch.
protocol ChangeFeedListener: AnyObject, Sendable {
  /// Transactions have been committed together.
  ///
  /// - Parameter version: the commit version that begins with the commit.
  func transactionsHaveCommitted(_ transactions: [CommittedTransaction], version: UInt64)

  /// Another process, or another workspace, was noticed to have committed; or this one, just when the listener was added. What
  /// has changed is not known.
  func othersHaveCommitted(version: UInt64)
}

/// The rows that one transaction has changed. Made only while somebody listens.
struct CommittedTransaction: Sendable {
  /// In the order of the submissions; a row may occur several times.
  var changes: [RowChange] = []
}

/// A change of one row.
struct RowChange: Sendable {
  enum Kind: Sendable {
    case inserted
    case updated
    case deleted
  }

  let kind: Kind
  let record: RecordDescription
  let rowid: Int64
  /// The object that the row holds now; the object that it held, if it was deleted.
  let object: any Atom
}
