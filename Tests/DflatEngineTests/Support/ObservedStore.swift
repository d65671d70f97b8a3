import Dflat
import DflatEngine
import Dispatch
import EngineTestSupport
import Golden_post

/// A store of one post, which each commit of another process changes. The reads for its subscribers wait and fail as a
/// test says.
final class ObservedStore: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private final class Feed: ChangeFeed, ForeignCommitSource {
    let commits = Locked<UInt64>(1)
    let listener = Locked<(any ChangeFeedListener)?>(nil)
    /// Whether there was a commit that the listener has not been told of.
    let isBehind = Locked(false)
    /// The version of the commit that is being published; 0 if there is none.
    let published = Locked<UInt64>(0)
    /// The title of the post that a read finds; nil if it is the version.
    let title = Locked<String?>(nil)

    var version: UInt64 { commits.value }
    var versionBeingPublished: UInt64 { published.value }
    func setListener(_ listener: (any ChangeFeedListener)?) { self.listener.value = listener }
    func isOwn(_ version: UInt64) -> Bool { true }
    func isUnchanged(_ type: ObjectIdentifier, _ rowid: Int64, since version: UInt64) -> Bool { false }
    func start() {}
    func stop() {}

    func tell() {
      isBehind.value = false
      listener.value?.othersHaveCommitted(version: version)
    }
  }

  /// The version of the last commit.
  var version: UInt64 { feed.version }
  /// The descriptions of the errors that were reported.
  let errors = Collected<String>()
  private let feed = Feed()
  private let completions: Completions
  private let observation: Observation
  private let access: ObservedType.Access

  /// - Parameters:
  ///   - queue: where subscribers are told, and read for; nil for threads of their own.
  ///   - willRead: called before each fetch, read of a row and look-up of an object, with the number of reads so far. The
  ///     read fails if it throws.
  init(on queue: DispatchQueue? = nil, willRead: @escaping @Sendable (_ number: Int) throws -> Void) {
    let count = Locked(0)
    let read: @Sendable () throws -> Void = {
      let number = count.change { count in
        count += 1
        return count
      }
      try willRead(number)
    }
    completions = Completions(targetQueue: queue, reporter: ErrorReporter { _ in })
    observation = Observation(
      feed: feed, completions: completions, watcher: feed, report: { [errors] in errors.append("\($0)") })
    access = ObservedType.Access(
      fetch: { [feed] _ in
        try read()
        var rows = StandingQuery.Rows()
        rows.version = feed.version
        rows.objects = [Post(title: "\(rows.version)")]
        rows.rowids = [1]
        return rows
      },
      object: { [feed] _ in
        try read()
        let version = feed.version
        return (Post(title: feed.title.value ?? "\(version)"), version)
      },
      row: { _ in
        try read()
        return 1
      }, isSame: { ($0 as? Post) == ($1 as? Post) },
      waitUntilTold: { [feed] in if feed.isBehind.value { feed.tell() } })
  }

  /// Another process commits.
  func commit() {
    let version = feed.commits.change { commits in
      commits += 1
      return commits
    }
    feed.listener.value?.othersHaveCommitted(version: version)
  }

  /// Another process commits. Subscribers are told when one waits for that, or at the next commit.
  func commitWithoutTelling() {
    feed.commits.change { $0 += 1 }
    feed.isBehind.value = true
  }

  /// A commit of this workspace shows, which has set the title of the post. Subscribers are not told yet.
  ///
  /// - Returns: its version.
  func beginPublishing(title: String) -> UInt64 {
    let version = feed.version + 1
    feed.title.value = title
    feed.published.value = version
    return version
  }

  /// Tells subscribers of the commit that is being published.
  ///
  /// - Parameter titles: the titles that its transactions have set, in their order; nil if these were not collected.
  func endPublishing(_ version: UInt64, titles: [String]?) {
    feed.commits.change { $0 = max($0, version) }
    if let titles {
      let transactions = titles.map { title in
        let transaction = CommittedTransaction()
        // No query is asked for the bytes.
        transaction.append(
          .updated, Post._record, 1, Post(title: title), keptBytes: UnsafeRawBufferPointer(start: nil, count: 0))
        return transaction
      }
      feed.listener.value?.transactionsHaveCommitted(transactions, version: version)
    } else {
      feed.listener.value?.unknownTransactionsHaveCommitted(version: version)
    }
    feed.published.value = 0
    completions.makeCallsInBackground()
  }

  /// Ends the publication without a commit of this workspace: what was seen is a commit of another process.
  func cancelPublishing() { feed.published.value = 0 }

  /// Tells subscribers of a commit of another process, which leaves the post as it is.
  func tellOfOthers(version: UInt64) { feed.listener.value?.othersHaveCommitted(version: version) }

  /// Subscribes to the present result of all posts.
  ///
  /// - Parameter tell: gets the title of the post in each later result.
  func subscribeToPresent(_ tell: @escaping @Sendable (String) -> Void) -> ObservationSubscription {
    var rows = StandingQuery.Rows()
    rows.objects = [Post(title: "\(feed.version)")]
    rows.rowids = [1]
    let origin = FetchOrigin(
      source: ObjectIdentifier(self), request: FetchRequest(predicate: nil), version: 0, isExact: false)
    let subscriber = ObservationSubscriber(
      .callback { update in
        if case .result(let result, _) = update, let post = result.list.object(at: 0) as? Post { tell(post.title) }
      }, buffering: .unbounded, from: ObjectList(rows.objects, rows.rowids, []), isSame: access.isSame)
    return observation.subscribe(subscriber, to: rows, origin, Post._record, access)
  }

  /// Subscribes to an empty result of all posts.
  func subscribeToAll(limit: Limit = .noLimit, _ tell: @escaping @Sendable () -> Void) -> ObservationSubscription {
    let request = FetchRequest(predicate: nil, limit: limit)
    let origin = FetchOrigin(source: ObjectIdentifier(self), request: request, version: 0, isExact: false)
    return observation.subscribe(
      subscriber(tell), to: StandingQuery.Rows(), origin, Post._record, access)
  }

  /// Subscribes to an older state of the post.
  func subscribeToPost(_ tell: @escaping @Sendable () -> Void) -> ObservationSubscription {
    observation.subscribe(
      subscriber(tell), to: Post(title: "old"), Post._record, access, source: ObjectIdentifier(self))
  }

  /// Subscribes to the post.
  ///
  /// - Parameters:
  ///   - title: the title of the state that is subscribed to.
  ///   - tell: gets the title of each later state.
  func subscribeToPost(
    titled title: String, _ tell: @escaping @Sendable (String) -> Void
  ) -> ObservationSubscription {
    let subscriber = ObservationSubscriber(
      .callback { update in
        if case .object(let object) = update, let post = object as? Post { tell(post.title) }
      }, buffering: .unbounded, isSame: access.isSame)
    return observation.subscribe(
      subscriber, to: Post(title: title), Post._record, access, source: ObjectIdentifier(self))
  }

  private func subscriber(_ tell: @escaping @Sendable () -> Void) -> ObservationSubscriber {
    ObservationSubscriber(.callback { _ in tell() }, buffering: .unbounded, isSame: access.isSame)
  }
}
