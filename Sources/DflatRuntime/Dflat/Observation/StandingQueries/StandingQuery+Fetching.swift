/// The fetches of a standing query whose list is not current.
extension StandingQuery {
  var isCurrent: Bool { freshness.isCurrent }

  /// Records that the calling thread fetches the list.
  ///
  /// - Parameter callback: the number of the callback that fetches in turn with the completion handlers; nil for a fetch
  ///   out of turn.
  /// - Returns: the number of the fetch; nil if there are no subscribers, or if `ListFreshness.beginFetch` returns nil
  ///   because no fetch is needed.
  package func beginFetch(in callback: UInt64?) -> Int? {
    subscribers.isEmpty ? nil : freshness.beginFetch(in: callback, for: subscribers.filter { !$0.isHeld })
  }

  /// The number of the callback that fetches the list in turn with the completion handlers; nil if none does.
  package var fetchingCallback: UInt64? { freshness.fetchingCallback }

  /// Records that fetch `number` has succeeded.
  package func endFetch(_ number: Int) -> ListFreshness.FetchEnd { freshness.endFetch(number) }

  /// Records that fetch `number` has failed. Returns whether the calling thread has to fetch again.
  package func failFetch(_ number: Int) -> Bool { freshness.failFetch(number) }

  /// Posts the list, which was fetched and is not current, to the subscribers that there were when the fetch began.
  /// Later ones may have a newer state, and so may those whose updates were held back then.
  ///
  /// - Parameter version: the commit version that the list shows.
  func postOutdated(version: UInt64, _ deliveries: inout Deliveries) {
    let update = ObservationSubscriber.Update.result(ResultUpdate(list, nil), origin(version))
    for subscriber in freshness.audience { subscriber.post(update, &deliveries) }
  }
}
