import Dflat
import FlatBuffersCore

/// The locks of a workspace, in the order in which a thread may take them. A thread never takes a lock that it holds,
/// or one that comes before a lock that it holds. Documentation/store.md says what each guards.
@usableFromInline
package enum LockRank: UInt8 {
  /// `EventFeed`: the handlers of events, and the events that wait for them.
  case events
  /// `Observation`: the standing queries, the subscribers, and the updates that wait for subscribers.
  case observation
  /// `TransactionScheduler`: the queues of the types.
  case scheduler
  /// `Completions`: the calls that wait to be made, and the thread that makes them.
  case completions
  /// `Committer`: the pending transactions, the rows that they have changed, and the owner of the writer.
  case committer
  /// `Database`: the file's connections, and the flags of a shutdown.
  case database
  /// `CommitSequence`: the commit version, and the last-changed versions of rows.
  case sequence
  /// `DictionaryCache`, and `DictionaryTable` of PostgreSQL: the keys that are in memory or pending, and their
  /// subscribers.
  case dictionary
  /// `ConnectionPool` of PostgreSQL: the idle connections.
  case connections
  /// `TableCatalog` of PostgreSQL: which tables and indexes the database has, and the numbers of new rows.
  case catalog
}

// Traps, in a debug build, when a thread takes two locks against their order: two such threads could wait for each
// other.
extension LockRank {
  #if DEBUG
    /// The locks that the thread holds: a bit for each, at the position of its rank.
    private static let held = ThreadLocal()

    @usableFromInline
    package func willLock() {
      // Swift's function: this code is in debug builds only, where it prints its message.
      precondition(
        LockRank.held.bits >> rawValue == 0, "The lock of rank \(self) is taken against the order of the locks.")
      LockRank.held.bits |= 1 << rawValue
    }

    @usableFromInline
    package func didUnlock() { LockRank.held.bits &= ~(1 << rawValue) }
  #else
    // Inlined like the methods of `Guarded` that call them, for the benchmark row "read 40,000 Int, known".
    @inlinable @inline(__always)
    package func willLock() {}

    @inlinable @inline(__always)
    package func didUnlock() {}
  #endif
}
