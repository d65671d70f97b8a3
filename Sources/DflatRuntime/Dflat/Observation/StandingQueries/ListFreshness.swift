/// The state of a standing query's list: whether it shows the last commit, and which thread fetches it.
package struct ListFreshness {
  /// The transactions that were committed while the list was fetched, each with the commit version that began with
  /// it. A transaction is nil if not all of its changes were kept.
  package typealias Backlog = ContiguousArray<(version: UInt64, transaction: CommittedTransaction?)>

  /// The outcome of a fetch that has succeeded.
  package enum FetchEnd {
    /// The list is current once the transactions are applied that were committed meanwhile.
    case complete(Backlog)
    /// The list has to be fetched again, since it is not known what was committed meanwhile.
    case outdated
    /// Another thread fetches the list, or no subscriber is left.
    case replaced
  }

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
  /// The subscribers that the query had when its latest fetch began, without those whose updates were held back. The
  /// fetch finds no older state than they have. One that comes later may have a newer state.
  private(set) var audience: ContiguousArray<ObservationSubscriber> = []
  /// How many fetches in a row have succeeded and left the list outdated.
  private var outdatedFetchCount = 0

  /// How many fetches in a row may leave the list outdated before subscribers are told what was fetched. A commit
  /// during a fetch is usual, and the state before it need not be told.
  private static let untoldFetchLimit = 2

  var isCurrent: Bool { state == .current }

  /// The number of the callback that fetches the list in turn with the completion handlers; nil if none does.
  var fetchingCallback: UInt64? {
    if case .beingFetched(_, let callback) = state { callback } else { nil }
  }

  mutating func setCurrent() {
    state = .current
    audience = []
    outdatedFetchCount = 0
  }

  mutating func setOutdated() {
    state = .outdated
    audience = []
  }

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
  /// - Returns: false if no call has to be appended for it: that was done already, or a callback fetches the list in
  ///   turn now, and will fetch it again.
  mutating func requestFetch() -> Bool {
    defer { isFetchRequested = true }
    return !isFetchRequested && fetchingCallback == nil
  }

  /// Records that the calling thread fetches the list.
  ///
  /// A fetch in turn with the completion handlers replaces a fetch out of turn, since handlers do not wait for the
  /// latter.
  ///
  /// - Parameters:
  ///   - callback: the number of the callback that fetches in turn; nil for a fetch out of turn.
  ///   - audience: the subscribers of the query that have no later state than the fetch will find.
  /// - Returns: the number of the fetch; nil if no fetch is needed, because the list is current or another thread
  ///   fetches it in time.
  mutating func beginFetch(in callback: UInt64?, for audience: ContiguousArray<ObservationSubscriber>) -> Int? {
    switch state {
    case .current: return nil
    case .outdated: if callback == nil, isFetchRequested { return nil }
    case .beingFetched(_, let other): if callback == nil || other != nil { return nil }
    }
    if callback != nil { isFetchRequested = false }
    fetchCount += 1
    state = .beingFetched(number: fetchCount, callback: callback)
    backlog = []
    self.audience = audience
    return fetchCount
  }

  /// Records that fetch `number` has succeeded. The list is outdated until `setCurrent()`.
  mutating func endFetch(_ number: Int) -> FetchEnd {
    guard case .beingFetched(number, _) = state else { return .replaced }
    state = .outdated
    defer { backlog = [] }
    return isFetchRequested ? .outdated : .complete(backlog)
  }

  /// Records that a fetch has succeeded and left the list outdated.
  ///
  /// - Returns: whether the subscribers in `audience` have to be told what was fetched. While another process commits
  ///   all the time, the list of a slow fetch never becomes current, and they would be told nothing.
  mutating func noteOutdatedFetch() -> Bool {
    outdatedFetchCount += 1
    return outdatedFetchCount > Self.untoldFetchLimit
  }

  /// Records that fetch `number` has failed. The list stays outdated.
  ///
  /// - Returns: whether the calling thread has to fetch again: it fetches in turn with the completion handlers, and
  ///   another such fetch was requested meanwhile, whose own call relies on this one.
  mutating func failFetch(_ number: Int) -> Bool {
    guard case .beingFetched(number, let callback) = state else { return false }
    state = .outdated
    backlog = []
    audience = []
    return callback != nil && isFetchRequested
  }
}
