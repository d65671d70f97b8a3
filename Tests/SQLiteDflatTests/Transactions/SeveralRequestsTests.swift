import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import Golden_scalars
import SQLiteDflat
import Testing

/// What the second request did not set keeps what the first one has set; or else the second submission throws.
@Suite("A request never undoes another one for its object silently")
struct SeveralRequestsTests {
  /// What the transaction does between the two submissions.
  enum Between: CaseIterable {
    case nothing
    case fetch
    case manySubmissions
  }

  /// How a transaction went.
  private struct Run {
    /// Whether the second submission threw.
    let hasThrown: Bool
    let isCommitted: Bool
    let posts: [Post]
  }

  private static let old = Post(title: "a", color: .blue, tag: "old", priority: 1)

  /// Runs two steps in a transaction on a file with one post.
  private func run(
    _ between: Between,
    _ body: @escaping @Sendable (_ context: any TransactionContext, _ pause: () -> Void) throws -> Void
  ) throws -> Run {
    let store = try TestStore()
    let workspace = store.workspace
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(SeveralRequestsTests.old)) }
    let hasThrown = Locked(false)
    let transaction = PendingTransaction([Post.self], in: workspace) { context in
      do {
        try body(context) {
          switch between {
          case .nothing: break
          case .fetch: _ = workspace.fetch(for: Post.self).where(Post.priority >= 0).count
          case .manySubmissions:
            for number in 0..<200 {
              context.try(submit: PostChangeRequest.creationRequest(Post(title: "filler \(number)", priority: -1)))
            }
          }
        }
      } catch {
        hasThrown.value = true
      }
    }
    let isCommitted = try #require(transaction.outcome() as Bool?)
    let reader = store.reopened()
    defer { reader.shutdown() }
    let posts = reader.fetch(for: Post.self).where(Post.priority >= 0)
    // The index has what the objects have.
    #expect(posts.count == reader.fetch(for: Post.self).all().count { $0.priority >= 0 })
    #expect(isCommitted || hasThrown.value, "fails without a reason")
    if !isCommitted { #expect(Array(posts) == [SeveralRequestsTests.old]) }
    return Run(hasThrown: hasThrown.value, isCommitted: isCommitted, posts: Array(posts))
  }

  /// - Parameters:
  ///   - first: what the first request alone leaves.
  ///   - both: what both leave.
  private func check(_ run: Run, first: [Post], both: [Post], sourceLocation: SourceLocation = #_sourceLocation) {
    guard run.isCommitted else { return }
    #expect(run.posts == (run.hasThrown ? first : both), sourceLocation: sourceLocation)
  }

  private static func request(_ title: String = "a") throws -> PostChangeRequest {
    try #require(PostChangeRequest.changeRequest(Post(title: title)))
  }

  @Test("Two changes of different fields both stand, or the second throws", arguments: Between.allCases)
  func twoChanges(between: Between) throws {
    let run = try run(between) { context, pause in
      let (a, b) = (try Self.request(), try Self.request())
      a.priority = 5
      try context.submit(a)
      pause()
      b.tag = "x"
      try context.submit(b)
    }
    check(
      run, first: [Post(title: "a", color: .blue, tag: "old", priority: 5)],
      both: [Post(title: "a", color: .blue, tag: "x", priority: 5)])
  }

  @Test("A field that the first change has made absent stays so, or the second throws", arguments: Between.allCases)
  func absentField(between: Between) throws {
    let run = try run(between) { context, pause in
      let (a, b) = (try Self.request(), try Self.request())
      a.tag = nil
      a.content = .textContent(TextContent(text: "t"))
      try context.submit(a)
      pause()
      b.priority = 5
      try context.submit(b)
    }
    let content = Content.textContent(TextContent(text: "t"))
    check(
      run, first: [Post(title: "a", color: .blue, tag: nil, priority: 1, content: content)],
      both: [Post(title: "a", color: .blue, tag: nil, priority: 5, content: content)])
  }

  @Test("A key that the first change has given stays, or the second throws", arguments: Between.allCases)
  func changedKey(between: Between) throws {
    let run = try run(between) { context, pause in
      let (a, b) = (try Self.request(), try Self.request())
      a.title = "b"
      try context.submit(a)
      pause()
      b.priority = 5
      try context.submit(b)
    }
    check(
      run, first: [Post(title: "b", color: .blue, tag: "old", priority: 1)],
      both: [Post(title: "b", color: .blue, tag: "old", priority: 5)])
  }

  @Test("If two requests change one field, the later one counts, or throws", arguments: Between.allCases)
  func sameField(between: Between) throws {
    let run = try run(between) { context, pause in
      let (a, b) = (try Self.request(), try Self.request())
      a.priority = 5
      try context.submit(a)
      pause()
      b.priority = 6
      try context.submit(b)
    }
    check(
      run, first: [Post(title: "a", color: .blue, tag: "old", priority: 5)],
      both: [Post(title: "a", color: .blue, tag: "old", priority: 6)])
  }

  @Test("A change of nothing does not undo an earlier change", arguments: Between.allCases)
  func changeOfNothing(between: Between) throws {
    let run = try run(between) { context, pause in
      let (a, b) = (try Self.request(), try Self.request())
      a.priority = 5
      try context.submit(a)
      pause()
      try context.submit(b)
    }
    let changed = Post(title: "a", color: .blue, tag: "old", priority: 5)
    check(run, first: [changed], both: [changed])
  }

  @Test("A change that was asked for before an upsert does not undo it", arguments: Between.allCases)
  func upsertThenChange(between: Between) throws {
    let run = try run(between) { context, pause in
      let b = try Self.request()
      try context.submit(PostChangeRequest.upsertRequest(Post(title: "a", color: .green, priority: 5)))
      pause()
      b.tag = "x"
      try context.submit(b)
    }
    check(
      run, first: [Post(title: "a", color: .green, tag: nil, priority: 5)],
      both: [Post(title: "a", color: .green, tag: "x", priority: 5)])
  }

  @Test("An upsert after a change leaves the object that it was given", arguments: Between.allCases)
  func changeThenUpsert(between: Between) throws {
    let upserted = Post(title: "a", color: .green, priority: 5)
    let run = try run(between) { context, pause in
      let (a, b) = (try Self.request(), PostChangeRequest.upsertRequest(upserted))
      a.tag = "x"
      try context.submit(a)
      pause()
      try context.submit(b)
    }
    check(run, first: [Post(title: "a", color: .blue, tag: "x", priority: 1)], both: [upserted])
  }

  @Test("A change that was asked for before a deletion throws", arguments: Between.allCases)
  func deletionThenChange(between: Between) throws {
    let run = try run(between) { context, pause in
      let b = try Self.request()
      let deletion = try #require(PostChangeRequest.deletionRequest(Post(title: "a")))
      try context.submit(deletion)
      pause()
      b.priority = 5
      try context.submit(b)
    }
    #expect(run.hasThrown)
    check(run, first: [], both: [])
  }

  @Test("A deletion that was asked for before a change deletes, or throws", arguments: Between.allCases)
  func changeThenDeletion(between: Between) throws {
    let run = try run(between) { context, pause in
      let a = try Self.request()
      let deletion = try #require(PostChangeRequest.deletionRequest(Post(title: "a")))
      a.priority = 5
      try context.submit(a)
      pause()
      try context.submit(deletion)
    }
    check(run, first: [Post(title: "a", color: .blue, tag: "old", priority: 5)], both: [])
  }

  @Test("A change that was asked for before the object was deleted and its key used again throws")
  func deletionAndCreationThenChange() throws {
    let created = Post(title: "a", tag: "new", priority: 7)
    let run = try run(.nothing) { context, _ in
      let first = try #require(PostChangeRequest.deletionRequest(Post(title: "a")))
      let change = try Self.request()
      try context.submit(first)
      try context.submit(PostChangeRequest.creationRequest(created))
      change.priority = 5
      // The object that this one is for is gone: the new one is another, in another row.
      try context.submit(change)
    }
    #expect(run.hasThrown)
    check(run, first: [created], both: [])
  }

  @Test("Two changes of an object that the transaction has created both stand, or the second throws")
  func creationThenTwoChanges() throws {
    for between in Between.allCases {
      let run = try run(between) { context, pause in
        try context.submit(PostChangeRequest.creationRequest(Post(title: "b", priority: 2)))
        let (a, b) = (try Self.request("b"), try Self.request("b"))
        a.priority = 5
        try context.submit(a)
        pause()
        b.tag = "x"
        try context.submit(b)
      }
      check(
        run, first: [SeveralRequestsTests.old, Post(title: "b", priority: 5)],
        both: [SeveralRequestsTests.old, Post(title: "b", tag: "x", priority: 5)])
    }
  }

  // MARK: Values that are not equal to themselves, or absent

  @Test(
    "Fields that are NaN or absent survive two changes, or the second throws", arguments: [Double.nan, 2], [nil, 3.0])
  func unusualValues(precise: Double, maybePrecise: Double?) throws {
    let store = try TestStore()
    let start = Sample(
      sensorId: 1, level: .middle, name: "n", ratio: .nan, precise: precise, maybePrecise: maybePrecise)
    store.perform([Sample.self]) { $0.try(submit: SampleChangeRequest.creationRequest(start)) }
    let hasThrown = Locked(false)
    let transaction = PendingTransaction([Sample.self], in: store.workspace) { context in
      guard let a = SampleChangeRequest.changeRequest(start), let b = SampleChangeRequest.changeRequest(start),
        let c = SampleChangeRequest.changeRequest(start)
      else {
        Issue.record("not stored")
        return
      }
      do {
        a.precise = .nan
        a.maybePrecise = maybePrecise == nil ? .nan : nil
        a.maybeNumber = 4
        try context.submit(a)
        b.maybeFlag = true
        b.numbers = [1, 2]
        try context.submit(b)
        c.maybeNumber = 5
        c.words = ["w"]
        try context.submit(c)
      } catch {
        hasThrown.value = true
      }
    }
    let isCommitted = try #require(transaction.outcome() as Bool?)
    #expect(isCommitted || hasThrown.value)
    guard isCommitted else { return }
    let stored = try #require(store.workspace.fetch(for: Sample.self).first())
    #expect(stored.ratio.isNaN && stored.precise.isNaN)
    #expect(maybePrecise == nil ? stored.maybePrecise?.isNaN == true : stored.maybePrecise == nil)
    // That one of the later two has thrown is said, and may have kept what it would have set from being stored.
    if hasThrown.value { return }
    #expect(stored.maybeFlag == true && stored.numbers == [1, 2])
    #expect(stored.maybeNumber == 5 && stored.words == ["w"])
  }
}
