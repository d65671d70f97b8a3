import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import Golden_scalars
import SQLiteDflat
import Testing

@Suite("An object is its primary key in its row")
struct ObjectIdentityTests {
  /// Where an object comes from that is not stored in the file.
  enum Origin: CaseIterable {
    case abortedTransaction
    case abortedTransactionOfAnotherWorkspace
    case objectDeletedByAnotherWorkspace
    case anotherFile
    case earlierOpening
  }

  /// What the transaction knows of the object in the row.
  enum Knowledge: CaseIterable {
    case nothing
    case fetchedBefore
    case fetchedInTheTransaction
    case changedInTheTransaction
  }

  @Test("An object whose row holds another key is not stored", arguments: Origin.allCases, Knowledge.allCases)
  func strangers(origin: Origin, knowledge: Knowledge) throws {
    try check(Post.self, origin, knowledge)
    try check(Sample.self, origin, knowledge)
  }

  private func check<Element: Numbered>(_ type: Element.Type, _ origin: Origin, _ knowledge: Knowledge) throws {
    let store = try TestStore()
    let workspace = store.workspace
    create(type, 0, in: store)
    let stranger = try stranger(type, origin, store)
    create(type, 2, in: store)
    try move(type, 2, to: stranger._rowid, in: store)
    if knowledge == .fetchedBefore { #expect(workspace.fetch(for: type).all().count == 2) }
    let found = Locked<[String]>([])
    store.perform([type]) { context in
      if knowledge == .fetchedInTheTransaction { #expect(workspace.fetch(for: type).all().count == 2) }
      if knowledge == .changedInTheTransaction { setValue(20, of: Element.make(2, value: 0), context) }
      if let request = Element.change(stranger) {
        found.value.append("change of \(request.keyNumber)")
        request.storedValue = 99
        _ = try? context.submit(request)
      }
      if let request = Element.deletion(stranger) {
        found.value.append("deletion of \(request.keyNumber)")
        _ = try? context.submit(request)
      }
    }
    #expect(found.value.isEmpty, "\(type)")
    #expect(contents(type, store) == [0: 10, 2: knowledge == .changedInTheTransaction ? 20 : 10], "\(type)")
    #expect(store.errors.values.isEmpty)
  }

  /// An object with the key 1, of which there is none in the file.
  private func stranger<Element: Numbered>(_ type: Element.Type, _ origin: Origin, _ store: TestStore) throws -> Element
  {
    let other = store.reopened()
    defer { other.shutdown() }
    switch origin {
    case .abortedTransaction: return try abortedCreation(type, in: store.workspace, store)
    case .abortedTransactionOfAnotherWorkspace: return try abortedCreation(type, in: other, store)
    case .anotherFile:
      let file = try TestStore()
      for number in [0, 1] { create(type, number, in: file) }
      return try #require(file.workspace.fetch(for: type).all().first { $0.keyNumber == 1 })
    case .objectDeletedByAnotherWorkspace, .earlierOpening:
      create(type, 1, in: store, other)
      let reader = origin == .earlierOpening ? other : store.workspace
      let object = try #require(reader.fetch(for: type).all().first { $0.keyNumber == 1 })
      store.perform([type], in: other) { context in
        if let request = Element.deletion(object) { context.try(submit: request) }
      }
      return object
    }
  }

  private func abortedCreation<Element: Numbered>(
    _ type: Element.Type, in workspace: SQLiteWorkspace, _ store: TestStore
  ) throws -> Element {
    let created = Locked<Element?>(nil)
    store.perform([type], in: workspace, completing: false) { context in
      if case .inserted(let object as Element)? = context.try(submit: Element.creation(.make(1, value: 10))) {
        created.value = object
      }
      context.abort()
    }
    return try #require(created.value)
  }

  /// Lets the object with a key have another row, as no other workspace but plain SQL can be made to.
  private func move<Element: Numbered>(_ type: Element.Type, _ key: Int, to row: Int64, in store: TestStore) throws {
    let finder = store.reopened()
    defer { finder.shutdown() }
    let object = try #require(finder.fetch(for: type).all().first { $0.keyNumber == key })
    guard object._rowid != row else { return }
    let table = type._record.table
    let tables = try store.sql(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND (name = '\(table)' OR name GLOB '\(table)__*')")
    for case let name? in tables.map({ $0[0] }) {
      try store.sql("UPDATE \(name) SET rowid = \(row) WHERE rowid = \(object._rowid)")
    }
  }

  @Test("An object that a transaction deletes does not lead to another one that it creates")
  func deletedAndCreatedInOneTransaction() throws {
    func check<Element: Numbered>(_ type: Element.Type) throws {
      let store = try TestStore()
      store.perform([type]) { context in
        guard case .inserted(let first as Element)? = context.try(submit: Element.creation(.make(1, value: 10))),
          let deletion = Element.deletion(first)
        else {
          Issue.record("not stored")
          return
        }
        context.try(submit: deletion)
        #expect(Element.change(first) == nil)
        context.try(submit: Element.creation(.make(2, value: 10)))
        #expect(Element.change(first) == nil && Element.deletion(first) == nil)
      }
      #expect(contents(type, store) == [2: 10])
    }
    try check(Post.self)
    try check(Sample.self)
  }

  @Test("An object leads to the stored object whose key was changed since", arguments: [false, true])
  func changedKeys(inOneTransaction: Bool) throws {
    func check<Element: Numbered>(_ type: Element.Type) throws {
      let store = try TestStore()
      for number in [1, 2] { create(type, number, in: store) }
      let old = try #require(store.workspace.fetch(for: type).all().first { $0.keyNumber == 1 })
      let follow: (any TransactionContext) -> Void = { context in
        guard let request = Element.change(old) else {
          Issue.record("\(type): taken for another object")
          return
        }
        #expect(request.keyNumber == 5)
        request.storedValue = 20
        context.try(submit: request)
        // The key is free again.
        #expect(Element.change(.make(1, value: 0)) == nil)
        context.try(submit: Element.creation(.make(1, value: 30)))
        #expect(Element.change(old)?.keyNumber == 5)
      }
      store.perform([type]) { context in
        setKey(5, of: old, context)
        if inOneTransaction { follow(context) }
      }
      if !inOneTransaction { store.perform([type], follow) }
      #expect(contents(type, store) == [1: 30, 2: 10, 5: 20])
      store.perform([type]) { context in
        if let request = Element.deletion(old) { context.try(submit: request) }
      }
      #expect(contents(type, store) == [1: 30, 2: 10], "\(type)")
      #expect(store.errors.values.isEmpty)
    }
    try check(Post.self)
    try check(Sample.self)
  }

  @Test("An object does not lead to a key that an aborted transaction gave it")
  func abortedChangeOfAKey() throws {
    func check<Element: Numbered>(_ type: Element.Type) throws {
      let store = try TestStore()
      create(type, 1, in: store)
      let old = try #require(store.workspace.fetch(for: type).first())
      let renamed = Locked<Element?>(nil)
      store.perform([type], completing: false) { context in
        guard let request = Element.change(old) else { return }
        request.keyNumber = 5
        if case .updated(let object as Element)? = context.try(submit: request) { renamed.value = object }
        context.abort()
      }
      let stranger = try #require(renamed.value)
      let found = Collected<Int?>()
      store.perform([type]) { _ in
        for object in [old, stranger] { found.append(Element.change(object)?.keyNumber) }
        found.append(Element.deletion(stranger)?.keyNumber)
      }
      #expect(found.values == [1, nil, nil], "\(type)")
      #expect(contents(type, store) == [1: 10])
    }
    try check(Post.self)
    try check(Sample.self)
  }

  // MARK: Objects

  private func create<Element: Numbered>(
    _ type: Element.Type, _ keyNumber: Int, in store: TestStore, _ workspace: SQLiteWorkspace? = nil
  ) {
    store.perform([type], in: workspace) { $0.try(submit: Element.creation(.make(keyNumber, value: 10))) }
  }

  private func setValue<Element: Numbered>(_ value: Int, of object: Element, _ context: any TransactionContext) {
    guard let request = Element.change(object) else {
      Issue.record("not stored")
      return
    }
    request.storedValue = value
    context.try(submit: request)
  }

  private func setKey<Element: Numbered>(_ number: Int, of object: Element, _ context: any TransactionContext) {
    guard let request = Element.change(object) else {
      Issue.record("not stored")
      return
    }
    request.keyNumber = number
    context.try(submit: request)
  }

  /// The values by the keys' numbers, as another workspace finds them.
  private func contents<Element: Numbered>(_ type: Element.Type, _ store: TestStore) -> [Int: Int] {
    let reader = store.reopened()
    defer { reader.shutdown() }
    let objects = reader.fetch(for: type).all()
    return Dictionary(objects.map { ($0.keyNumber, $0.storedValue) }) { first, _ in first }
  }
}

/// A stored type whose objects these tests tell from each other by a number, which is the primary key.
private protocol Numbered: Atom, FlatBuffersEncodable {
  associatedtype Request: NumberedRequest
  static var _record: RecordDescription { get }
  static func make(_ keyNumber: Int, value: Int) -> Self
  static func creation(_ object: Self) -> Request
  static func change(_ object: Self) -> Request?
  static func deletion(_ object: Self) -> Request?
  var keyNumber: Int { get }
  var storedValue: Int { get }
}

private protocol NumberedRequest: ChangeRequest {
  var keyNumber: Int { get set }
  var storedValue: Int { get set }
}

extension Post: Numbered {
  fileprivate static func make(_ keyNumber: Int, value: Int) -> Post {
    Post(title: "\(keyNumber)", priority: Int32(value))
  }
  fileprivate static func creation(_ object: Post) -> PostChangeRequest { .creationRequest(object) }
  fileprivate static func change(_ object: Post) -> PostChangeRequest? { .changeRequest(object) }
  fileprivate static func deletion(_ object: Post) -> PostChangeRequest? { .deletionRequest(object) }
  fileprivate var keyNumber: Int { Int(title) ?? -1 }
  fileprivate var storedValue: Int { Int(priority) }
}

extension PostChangeRequest: NumberedRequest {
  fileprivate var keyNumber: Int {
    get { Int(title) ?? -1 }
    set { title = "\(newValue)" }
  }
  fileprivate var storedValue: Int {
    get { Int(priority) }
    set { priority = Int32(newValue) }
  }
}

/// Two key columns: the first one is the same for three numbers that follow each other.
extension Sample: Numbered {
  fileprivate static let levels: [Level] = [.LOW, .middle, .HIGH]
  fileprivate static func make(_ keyNumber: Int, value: Int) -> Sample {
    Sample(
      sensorId: UInt64(keyNumber / 3), level: levels[keyNumber % 3], name: "", number: Int32(value),
      serial: UInt32(1000 * keyNumber + value))
  }
  fileprivate static func creation(_ object: Sample) -> SampleChangeRequest { .creationRequest(object) }
  fileprivate static func change(_ object: Sample) -> SampleChangeRequest? { .changeRequest(object) }
  fileprivate static func deletion(_ object: Sample) -> SampleChangeRequest? { .deletionRequest(object) }
  fileprivate var keyNumber: Int { Int(sensorId) * 3 + (Sample.levels.firstIndex(of: level) ?? 0) }
  fileprivate var storedValue: Int { Int(number) }
}

extension SampleChangeRequest: NumberedRequest {
  fileprivate var keyNumber: Int {
    get { Int(sensorId) * 3 + (Sample.levels.firstIndex(of: level) ?? 0) }
    set {
      sensorId = UInt64(newValue / 3)
      level = Sample.levels[newValue % 3]
    }
  }
  fileprivate var storedValue: Int {
    get { Int(number) }
    set { number = Int32(newValue) }
  }
}
