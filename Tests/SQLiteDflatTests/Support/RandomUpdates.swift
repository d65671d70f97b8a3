import EngineTestSupport
import Dflat
import EngineTestSupport
import Golden_post
import SQLiteDflat
import TestSupport
import Testing

/// Random transactions with long runs of updates, and what the store ought to hold then, kept in two dictionaries.
final class RandomUpdates {
  private let store: TestStore
  /// Another workspace of the same file: now and then, it is the one that writes.
  private let other: SQLiteWorkspace
  private var random: SeededGenerator
  private var things: [Int64: Thing] = [:]
  private var posts: [Int64: Post] = [:]
  /// The workspace of the transaction that is running, and what was fetched before it.
  private var workspace: SQLiteWorkspace
  private var fetchedThings: [Int64: Thing] = [:]
  private var fetchedPosts: [Int64: Post] = [:]
  private var label = ""
  /// How many of a hundred changes are of what mostly stays: the key, the unique value, and how many bytes an object takes.
  private var unrest = 12

  init(seed: Int) throws {
    store = try TestStore()
    other = store.reopened()
    workspace = store.workspace
    random = SeededGenerator(seed: UInt64(seed))
    label = "seed \(seed)"
  }

  func run(rounds: Int) throws {
    let name = label
    for round in 0..<rounds {
      label = "\(name), round \(round)"
      transaction()
      try check()
    }
    other.shutdown()
    #expect(store.errors.values.isEmpty, "\(label): \(store.errors.values)")
  }

  // MARK: Choosing

  private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  private func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }
  private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private func digits(_ range: ClosedRange<Int>) -> String { String("\(10_000 + number(range))".dropFirst()) }

  /// A thing of which most values take as many bytes as those of the others.
  private func thing(from old: Thing?) -> Thing {
    guard let old else {
      return Thing(
        id: Int64(number(1...60)), name: pick(["aa", "bb"]), big: pick([1, 7, .max]), ratio: 1.5, flag: true,
        note: digits(0...120))
    }
    let isOther = chance(unrest)
    return Thing(
      id: chance(unrest) ? Int64(number(1...60)) : old.id,
      name: chance(unrest / 2) ? pick(["aa", "bb", "a\0"]) : old.name,
      big: chance(50) ? pick(isOther ? [0, 1] : [1, 2, 1 << 63 - 1, 1 << 63, .max]) : old.big,
      ratio: chance(40) ? pick(isOther ? [0, 0.5] : [1.5, -2.25, -0.0, .nan, .infinity, 1e300]) : old.ratio,
      flag: isOther ? chance(50) : old.flag,
      note: isOther ? pick([nil, "", "longer \(digits(0...9))"]) : chance(2 * unrest) ? digits(0...120) : old.note)
  }

  private func post(from old: Post?) -> Post {
    guard let old else { return Post(title: digits(0...80), color: .green, tag: "aaaa", priority: 1) }
    let isOther = chance(unrest)
    return Post(
      title: chance(unrest) ? digits(0...80) : old.title, color: chance(30) ? pick([.green, .blue]) : old.color,
      tag: isOther
        ? pick([nil, "", String(repeating: "t", count: number(0...6000))])
        : chance(40) ? old.tag.map { String(repeating: pick(["x", "y"]), count: $0.utf8.count) } : old.tag,
      priority: chance(40) ? pick(isOther ? [0, 1] : [1, -1, .max, .min]) : old.priority, content: old.content)
  }

  // MARK: A transaction

  private func transaction() {
    let (thingsBefore, postsBefore) = (things, posts)
    workspace = chance(80) ? store.workspace : other
    let isAborted = chance(15)
    if chance(50) { fetch() } else { (fetchedThings, fetchedPosts) = ([:], [:]) }
    store.perform([Thing.self, Post.self], in: workspace, completing: !isAborted) { context in
      while self.things.count < 15 { self.submit(thing: self.thing(from: nil), context) }
      while self.posts.count < 15 { self.submit(post: self.post(from: nil), context) }
      for _ in 0..<self.number(2...6) { self.segment(context) }
      if isAborted { #expect(context.abort()) }
    }
    if isAborted { (things, posts) = (thingsBefore, postsBefore) }
  }

  private func segment(_ context: any TransactionContext) {
    unrest = pick([2, 2, 12])
    switch number(0...10) {
    case 0...3: updates(number(5...40), context, isThing: chance(50))
    case 4: for index in 0..<number(5...20) { updates(1, context, isThing: index % 2 == 0) }
    case 5...6:
      for _ in 0..<number(1...40) {
        if chance(50) { submit(thing: thing(from: nil), context) } else { submit(post: post(from: nil), context) }
      }
    case 7:
      for _ in 0..<number(1...20) {
        if chance(50) { upsertThing(context) } else { upsertPost(context) }
      }
    case 8...9: for _ in 0..<number(1...3) { delete(context) }
    default: fetch()
    }
  }

  /// Fetches all, and expects what the dictionaries hold.
  private func fetch() {
    let (things, posts) = (workspace.fetch(for: Thing.self).all(), workspace.fetch(for: Post.self).all())
    fetchedThings = Dictionary(uniqueKeysWithValues: things.map { ($0._rowid, $0) })
    fetchedPosts = Dictionary(uniqueKeysWithValues: posts.map { ($0._rowid, $0) })
    #expect(fetchedThings == self.things && fetchedPosts == self.posts, "\(label)")
    #expect(
      workspace.fetch(for: Thing.self).where(Thing.big > 1).map(\._rowid)
        == self.things.values.filter { $0.big > 1 }.map(\._rowid).sorted(), "\(label)")
    #expect(
      workspace.fetch(for: Post.self).where(Post.priority < 1).map(\._rowid)
        == self.posts.values.filter { $0.priority < 1 }.map(\._rowid).sorted(), "\(label)")
  }

  /// Updates objects one after the other: each its own, or some more than once.
  private func updates(_ count: Int, _ context: any TransactionContext, isThing: Bool) {
    let rowids = isThing ? things.keys.sorted() : posts.keys.sorted()
    guard !rowids.isEmpty else { return }
    let isInOrder = chance(50)
    var rowid = pick(rowids)
    for index in 0..<count {
      if isInOrder { rowid = rowids[index % rowids.count] } else if chance(80) { rowid = pick(rowids) }
      if isThing { update(thing: rowid, context) } else { update(post: rowid, context) }
      if chance(3) { fetch() }
    }
  }

  private func update(thing rowid: Int64, _ context: any TransactionContext) {
    guard let old = things[rowid] else { return }
    // An object fetched before is what the change is asked for with; the change begins with what is stored.
    guard let request = ThingChangeRequest.change(fetchedThings[rowid] ?? old), request.thing == old else {
      Issue.record("\(label): \(old) is gone, or is not what is stored")
      return
    }
    let new = thing(from: old)
    request.thing = new
    submit(request, isTaken: isTaken(new, except: rowid), isSame: new == old, context) { self.things[$0._rowid] = $0 }
  }

  private func update(post rowid: Int64, _ context: any TransactionContext) {
    guard let old = posts[rowid] else { return }
    guard let request = PostChangeRequest.changeRequest(fetchedPosts[rowid] ?? old),
      request._object(_rowid: rowid) == old
    else {
      Issue.record("\(label): \(old) is gone, or is not what is stored")
      return
    }
    let new = post(from: old)
    (request.title, request.color, request.tag) = (new.title, new.color, new.tag)
    request.priority = new.priority
    submit(request, isTaken: isTaken(new, except: rowid), isSame: new == old, context) { self.posts[$0._rowid] = $0 }
  }

  private func isTaken(_ thing: Thing, except rowid: Int64?) -> Bool {
    things.values.contains {
      $0._rowid != rowid && ($0.id == thing.id && $0.name == thing.name || $0.note != nil && $0.note == thing.note)
    }
  }

  private func isTaken(_ post: Post, except rowid: Int64?) -> Bool {
    posts.values.contains { $0._rowid != rowid && $0.title == post.title }
  }

  private func submit(thing: Thing, _ context: any TransactionContext) {
    let request = ThingChangeRequest.creation(thing)
    submit(request, isTaken: isTaken(thing, except: nil), isSame: false, context) { self.things[$0._rowid] = $0 }
  }

  private func submit(post: Post, _ context: any TransactionContext) {
    let request = PostChangeRequest.creationRequest(post)
    submit(request, isTaken: isTaken(post, except: nil), isSame: false, context) { self.posts[$0._rowid] = $0 }
  }

  private func upsertThing(_ context: any TransactionContext) {
    let new = thing(from: things.isEmpty ? nil : things[pick(things.keys.sorted())])
    let old = things.values.first { $0.id == new.id && $0.name == new.name }
    submit(
      ThingChangeRequest.upsert(new), isTaken: isTaken(new, except: old?._rowid), isSame: new == old, context
    ) { self.things[$0._rowid] = $0 }
  }

  private func upsertPost(_ context: any TransactionContext) {
    let new = post(from: posts.isEmpty ? nil : posts[pick(posts.keys.sorted())])
    let old = posts.values.first { $0.title == new.title }
    submit(PostChangeRequest.upsertRequest(new), isTaken: false, isSame: new == old, context) {
      self.posts[$0._rowid] = $0
    }
  }

  /// Deletes objects, mostly one behind the other, which the store does at once; with something else in between.
  private func delete(_ context: any TransactionContext) {
    let isThing = chance(50)
    let rowids = isThing ? things.keys.sorted() : posts.keys.sorted()
    guard !rowids.isEmpty else { return }
    var index = number(0...rowids.count - 1)
    for _ in 0..<number(1...9) where index < rowids.count {
      let (oldThing, oldPost) = (things[rowids[index]], posts[rowids[index]])
      if isThing { delete(thing: rowids[index], context) } else { delete(post: rowids[index], context) }
      switch number(0...19) {
      case 0: fetch()
      case 1:
        // The same key and unique value again, in another row.
        if isThing, let oldThing { submit(thing: oldThing, context) }
        if !isThing, let oldPost { submit(post: oldPost, context) }
      case 2: if isThing { upsertThing(context) } else { upsertPost(context) }
      case 3: updates(1, context, isThing: isThing)
      case 4: if isThing { submit(post: post(from: nil), context) } else { submit(thing: thing(from: nil), context) }
      default: break
      }
      index += chance(90) ? 1 : 2
    }
  }

  private func delete(thing rowid: Int64, _ context: any TransactionContext) {
    guard let old = things[rowid] else { return }
    guard let request = ThingChangeRequest.deletion(old), case .deleted(rowid)? = context.try(submit: request) else {
      Issue.record("\(label): \(old) is not deleted")
      return
    }
    things[rowid] = nil
    #expect(ThingChangeRequest.change(old) == nil, "\(label)")
  }

  private func delete(post rowid: Int64, _ context: any TransactionContext) {
    guard let old = posts[rowid] else { return }
    guard let request = PostChangeRequest.deletionRequest(old), case .deleted(rowid)? = context.try(submit: request)
    else {
      Issue.record("\(label): \(old) is not deleted")
      return
    }
    posts[rowid] = nil
    #expect(PostChangeRequest.changeRequest(old) == nil, "\(label)")
  }

  private func submit<Request: ChangeRequest>(
    _ request: Request, isTaken: Bool, isSame: Bool, _ context: any TransactionContext,
    _ store: (Request.Element) -> Void
  ) {
    do throws(TransactionError) {
      switch try context.typedSubmit(request) {
      case .inserted(let object as Request.Element), .updated(let object as Request.Element):
        #expect(!isTaken && !isSame, "\(label)")
        store(object)
      case .identity: #expect(isSame, "\(label)")
      default: Issue.record("\(label): wrong result")
      }
    } catch {
      #expect(error == .objectAlreadyExists && isTaken, "\(label)")
    }
  }

  // MARK: Checking

  private func check() throws {
    let comment = Comment(rawValue: label)
    if !things.isEmpty { try StoredRows.expect(things, StoredRows.things, in: store.path, comment) }
    if !posts.isEmpty { try StoredRows.expect(posts, StoredRows.posts, in: store.path, comment) }
    for workspace in [store.workspace, other] {
      self.workspace = workspace
      fetch()
    }
  }
}
