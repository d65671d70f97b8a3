/// The state of a standing query's list: whether it shows the last commit, and which thread fetches it.
package struct ListFreshness {
  /// The transactions that were committed while the list was fetched, each with the commit version that began with
  /// it. A transaction is nil if not all of its changes were kept.
  package typealias Backlog = ContiguousArray<(version: UInt64, transaction: CommittedTransaction?)>

  private enum State: Equatable {
    /// The list shows the last commit.
    case current
    /// The list has to be fetched.
    case outdated
    /// A thread fetches the list. `number` tells fetches apart. `callback` is the number of the callback that fetches in
    /// turn with the completion handlers; nil for a fetch out of turn.
    case beingFetched(number: Int, callback: UInt64?)
  }

  private var state = State.outdated
  private var backlog: Backlog = []
  private var fetchCount = 0
  /// Whether a fetch in turn with the completion handlers has been requested and not begun.
  private var isFetchRequested = false

  var isCurrent: Bool { state == .current }

  /// The number of the callback that fetches the list in turn with the completion handlers; nil if none does.
  var fetchingCallback: UInt64? {
    if case .beingFetched(_, let callback) = state { callback } else { nil }
  }

  mutating func setCurrent() { state = .current }
  mutating func setOutdated() { state = .outdated }

  /// Keeps a transaction that was committed while the list is not current, for the fetch in progress, which may not
  /// show it.
  ///
  /// - Returns: true if the list has to be fetched in turn with the completion handlers, before those of the
  ///   transaction.
  mutating func keep(_ transaction: CommittedTransaction?, _ version: UInt64) -> Bool {
    // A fetch that has not begun will show the transaction. For a fetch out of turn, no handler waits.
    guard fetchingCallback != nil else { return true }
    backlog.append((version, transaction))
    return false
  }

  /// Records that the list is to be fetched in turn with the completion handlers.
  ///
  /// - Returns: false if that has been requested already.
  mutating func requestFetch() -> Bool {
    defer { isFetchRequested = true }
    return !isFetchRequested
  }

  /// Records that the calling thread fetches the list.
  ///
  /// A fetch in turn with the completion handlers replaces a fetch out of turn, since handlers do not wait for the
  /// latter.
  ///
  /// - Parameter callback: the number of the callback that fetches in turn; nil for a fetch out of turn.
  /// - Returns: the number of the fetch; nil if no fetch is needed, because the list is current or another thread
  ///   fetches it in time.
  mutating func beginFetch(in callback: UInt64?) -> Int? {
    switch state {
    case .current: return nil
    case .outdated: if callback == nil, isFetchRequested { return nil }
    case .beingFetched(_, let other): if callback == nil || other != nil { return nil }
    }
    if callback != nil { isFetchRequested = false }
    fetchCount += 1
    state = .beingFetched(number: fetchCount, callback: callback)
    backlog = []
    return fetchCount
  }

  /// Records that fetch `number` has succeeded. The list is outdated until `setCurrent()`.
  ///
  /// - Returns: the transactions committed meanwhile; nil if the list must be fetched again, or another thread
  ///   fetches it already.
  mutating func endFetch(_ number: Int) -> Backlog? {
    guard case .beingFetched(number, _) = state else { return nil }
    state = .outdated
    defer { backlog = [] }
    return isFetchRequested ? nil : backlog
  }

  /// Records that fetch `number` has failed. The list stays outdated.
  ///
  /// - Returns: whether the calling thread has to fetch again: it fetches in turn with the completion handlers, and
  ///   another such fetch was requested meanwhile, whose own call relies on this one.
  mutating func failFetch(_ number: Int) -> Bool {
    guard case .beingFetched(number, let callback) = state else { return false }
    state = .outdated
    backlog = []
    return callback != nil && isFetchRequested
  }
}
