/// How the list of a standing query stands to what is committed, and who fetches it.
package struct ListFreshness {
  /// The transactions that were committed while the list was fetched, with the versions that began with their commits; nil for
  /// one whose changes were not all kept.
  package typealias Backlog = ContiguousArray<(version: UInt64, transaction: CommittedTransaction?)>

  private enum State: Equatable {
    /// The list is as the last commit has left it.
    case current
    /// It has to be fetched.
    case outdated
    /// A thread fetches it, in turn with the completion handlers or not. The number tells fetches apart.
    case beingFetched(number: Int, inTurn: Bool)
  }

  private var state = State.outdated
  private var backlog: Backlog = []
  private var fetchCount = 0
  /// Whether the list is going to be fetched in turn with the completion handlers.
  private var isFetchRequested = false

  var isCurrent: Bool { state == .current }

  mutating func setCurrent() { state = .current }
  mutating func setOutdated() { state = .outdated }

  /// Keeps a transaction that was committed while the list is not current, and that a fetch may not show.
  ///
  /// - Returns: whether the list has to be fetched in turn with the completion handlers, before those of the transaction.
  mutating func keep(_ transaction: CommittedTransaction?, _ version: UInt64) -> Bool {
    // A list that nobody fetches yet will show it, and nobody waits for a fetch that is not in turn.
    guard case .beingFetched(_, inTurn: true) = state else { return true }
    backlog.append((version, transaction))
    return false
  }

  /// Notes that the list is to be fetched in turn with the completion handlers.
  ///
  /// - Returns: false if it is going to be already.
  mutating func requestFetch() -> Bool {
    defer { isFetchRequested = true }
    return !isFetchRequested
  }

  /// Notes that the asking thread fetches the list.
  ///
  /// A fetch in turn with the completion handlers replaces one that is not: handlers do not wait for that.
  ///
  /// - Returns: the number of the fetch; nil if none is needed: the list is current, or another thread fetches it in time.
  mutating func beginFetch(inTurn: Bool) -> Int? {
    switch state {
    case .current: return nil
    case .outdated: if !inTurn, isFetchRequested { return nil }
    case .beingFetched(_, let isOtherInTurn): if !inTurn || isOtherInTurn { return nil }
    }
    if inTurn { isFetchRequested = false }
    fetchCount += 1
    state = .beingFetched(number: fetchCount, inTurn: inTurn)
    backlog = []
    return fetchCount
  }

  /// Notes that the list was fetched, or could not be. It is outdated now, until it is replaced.
  ///
  /// - Returns: what was committed meanwhile; nil if the list has to be fetched again, as another thread may do already.
  mutating func endFetch(_ number: Int) -> Backlog? {
    guard case .beingFetched(number, _) = state else { return nil }
    state = .outdated
    defer { backlog = [] }
    return isFetchRequested ? nil : backlog
  }
}
