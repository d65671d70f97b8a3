import TestSupport

/// What large transactions have to leave in a store: posts by title, things by number, and keys of the dictionary.
struct LargeModel: Equatable {
  struct PostValue: Equatable {
    var priority: Int32
    var tag: String
  }

  struct ThingValue: Equatable {
    var big: UInt64
    var note: String
  }

  var posts: [String: PostValue] = [:]
  var things: [Int64: ThingValue] = [:]
  var keys: [String: Int] = [:]

  /// The key that holds the number of the last transaction.
  static let lastKey = "last"

  /// The names of all keys that transactions set.
  static let keyNames = [lastKey] + (0..<8).map { "key \($0)" }

  /// What differs from another model, in few words.
  func differences(from other: LargeModel) -> String {
    func names<Key: Hashable, Value: Equatable>(_ own: [Key: Value], _ others: [Key: Value]) -> [String] {
      Set(own.keys).union(others.keys).filter { own[$0] != others[$0] }.map {
        "\($0): \(own[$0].map { "\($0)" } ?? "-") for \(others[$0].map { "\($0)" } ?? "-")"
      }
    }
    let all = names(posts, other.posts) + names(things, other.things) + names(keys, other.keys)
    return "\(all.count) differ: " + all.sorted().prefix(5).joined(separator: "; ")
  }
}

/// What a large transaction does. It depends only on the seed, the number and the state before, so that the process that is killed
/// and the one that checks make the same plan.
struct LargePlan {
  /// A change, or a fetch, and how it ends. A change that is refused meets a key or a unique value that an object has.
  enum Step {
    case createPost(String, LargeModel.PostValue, isRefused: Bool)
    case changePost(String, to: String, LargeModel.PostValue, isRefused: Bool)
    case deletePost(String)
    case createThing(Int64, LargeModel.ThingValue, isRefused: Bool)
    case changeThing(Int64, LargeModel.ThingValue, isRefused: Bool)
    case deleteThing(Int64)
    case setKey(String, Int?)
    /// How many posts have the priority.
    case countPosts(Int32, Int)
    /// What the post is.
    case findPost(String, LargeModel.PostValue?)
    /// The thing that has the note.
    case findThing(String, Int64?)
    case readKey(String, Int?)
  }

  let number: Int
  private(set) var steps: [Step] = []
  /// Whether it is aborted after its last step.
  let isAborted: Bool
  /// The state after its last step, whether it is aborted or not.
  private(set) var model: LargeModel

  private var random: SeededGenerator
  /// Titles and numbers that were there at some time.
  private var titles: [String]
  private var ids: [Int64]
  private var notes: Set<String>

  init(seed: Int, number: Int, after model: LargeModel) {
    self.number = number
    self.model = model
    random = SeededGenerator(seed: seed &* 1_000_003 &+ number)
    isAborted = random.chance(15)
    titles = model.posts.keys.sorted()
    ids = model.things.keys.sorted()
    notes = Set(model.things.values.map(\.note))
    // From 200 to 3,000 changes, more often fewer.
    let count = 200 + random.next(1 + random.next(1 + random.next(2_801)))
    // Some fetch often, and others only while much is waiting to be written.
    let fetchingEvery = random.pick([30, 200, 2_000])
    // The store stays of one size.
    let deletions = titles.count + ids.count > 3_000 ? 45 : 15
    for _ in 0..<count {
      addChange(deletions)
      if random.once(in: fetchingEvery) { addFetch() }
    }
    add(.setKey(LargeModel.lastKey, number))
    self.model.keys[LargeModel.lastKey] = number
  }

  private mutating func add(_ step: Step) { steps.append(step) }

  private mutating func addChange(_ deletions: Int) {
    let kind = random.next(100)
    let isOfPosts = random.chance(50)
    switch kind {
    case 0..<deletions: isOfPosts ? deletePost() : deleteThing()
    case deletions..<60: isOfPosts ? createPost() : createThing()
    case 60..<97: isOfPosts ? changePost() : changeThing()
    default:
      let key = LargeModel.keyNames[1 + random.next(LargeModel.keyNames.count - 1)]
      let value = random.chance(80) ? random.next(1_000_000) : nil
      add(.setKey(key, value))
      model.keys[key] = value
    }
  }

  private mutating func value() -> LargeModel.PostValue {
    LargeModel.PostValue(
      priority: Int32(random.next(200)), tag: String(repeating: "x", count: random.next(30)) + "\(number)")
  }

  private mutating func knownTitle() -> String? {
    guard !titles.isEmpty else { return nil }
    for _ in 0..<10 {
      let title = random.pick(titles)
      if model.posts[title] != nil { return title }
    }
    return nil
  }

  private mutating func knownID() -> Int64? {
    guard !ids.isEmpty else { return nil }
    for _ in 0..<10 {
      let id = random.pick(ids)
      if model.things[id] != nil { return id }
    }
    return nil
  }

  /// A title: mostly new, sometimes that of a post.
  private mutating func anyTitle() -> String {
    if random.chance(10), let title = knownTitle() { return title }
    return "post \(random.next(1_000_000))"
  }

  /// A note: mostly new, sometimes that of a thing.
  private mutating func anyNote() -> String {
    if random.chance(10), let id = knownID(), let note = model.things[id]?.note { return note }
    return "note \(random.next(1_000_000))"
  }

  private mutating func createPost() {
    let (title, value) = (anyTitle(), value())
    let isRefused = model.posts[title] != nil
    add(.createPost(title, value, isRefused: isRefused))
    guard !isRefused else { return }
    model.posts[title] = value
    titles.append(title)
  }

  private mutating func changePost() {
    guard let title = knownTitle() else { return createPost() }
    let value = value()
    let new = random.chance(25) ? anyTitle() : title
    let isRefused = new != title && model.posts[new] != nil
    add(.changePost(title, to: new, value, isRefused: isRefused))
    guard !isRefused else { return }
    model.posts[title] = nil
    model.posts[new] = value
    titles.append(new)
  }

  private mutating func deletePost() {
    guard let title = knownTitle() else { return createPost() }
    add(.deletePost(title))
    model.posts[title] = nil
  }

  private mutating func createThing() {
    let id = random.chance(10) ? knownID() ?? 0 : Int64(random.next(1_000_000))
    let value = LargeModel.ThingValue(big: UInt64(random.next(500)), note: anyNote())
    let isRefused = model.things[id] != nil || notes.contains(value.note)
    add(.createThing(id, value, isRefused: isRefused))
    guard !isRefused else { return }
    model.things[id] = value
    notes.insert(value.note)
    ids.append(id)
  }

  private mutating func changeThing() {
    guard let id = knownID(), let former = model.things[id] else { return createThing() }
    let note = random.chance(50) ? anyNote() : former.note
    let value = LargeModel.ThingValue(big: UInt64(random.next(500)), note: note)
    let isRefused = note != former.note && notes.contains(note)
    add(.changeThing(id, value, isRefused: isRefused))
    guard !isRefused else { return }
    model.things[id] = value
    notes.remove(former.note)
    notes.insert(note)
  }

  private mutating func deleteThing() {
    guard let id = knownID(), let former = model.things[id] else { return createThing() }
    add(.deleteThing(id))
    model.things[id] = nil
    notes.remove(former.note)
  }

  private mutating func addFetch() {
    switch random.next(4) {
    case 0:
      let priority = Int32(random.next(200))
      add(.countPosts(priority, model.posts.values.count { $0.priority == priority }))
    case 1:
      let title = random.chance(50) ? random.pick(titles + [""]) : "post \(random.next(1_000_000))"
      add(.findPost(title, model.posts[title]))
    case 2:
      let note = anyNote()
      add(.findThing(note, model.things.first { $0.value.note == note }?.key))
    default:
      let key = random.pick(LargeModel.keyNames)
      add(.readKey(key, model.keys[key]))
    }
  }
}
