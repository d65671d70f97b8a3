import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import TestSupport
import Testing

@testable import SQLiteDflat

/// Random calls on the dictionary, of several threads at a time, against a Swift dictionary for each thread.
@Suite("The dictionary does what Swift's dictionary does")
struct DictionaryModelTests {
  /// What a thread does. It owns its keys, so it knows what each of them holds; the file and the cache are shared by all.
  private struct Actor {
    let number: Int
    let workspace: SQLiteWorkspace
    var generator: SeededGenerator
    /// Texts that stand for the values.
    var model: [String: String] = [:]

    private var dictionary: any WorkspaceDictionary { workspace.dictionary.namespace("thread \(number % 2)") }

    private mutating func randomKey() -> String { "\(number).\(Int.random(in: 0..<12, using: &generator))" }

    /// Sets a key to a random value of a random type.
    ///
    /// - Returns: the value as a text.
    private mutating func set(_ key: String, in dictionary: any DictionaryAccess) -> String? {
      let value = Int.random(in: 0..<5, using: &generator)
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: dictionary[key] = value
      case 1: dictionary[key] = "\(value)"
      case 2: dictionary[key] = Double(value) / 4
      case 3: dictionary[key] = Profile(name: "\(value)")
      case 4: dictionary[key] = Post(title: "\(value)")
      case 5: dictionary[key] = value % 2 == 0
      default: dictionary[key] = nil
      }
      return text(key, in: dictionary)
    }

    /// The value of a key as a text, whatever its type.
    func text(_ key: String, in dictionary: any DictionaryAccess) -> String? {
      switch dictionary._storedValue(forKey: key) {
      case nil: nil
      case .integer: dictionary[key, Int.self].map { "int \($0)" }
      case .string: dictionary[key, String.self].map { "string \($0)" }
      case .double: dictionary[key, Double.self].map { "double \($0)" }
      case .bool: dictionary[key, Bool.self].map { "bool \($0)" }
      case .encoded(let value) where value.kind == .propertyList:
        dictionary[key, Profile.self].map { "profile \($0.name)" }
      case .encoded: dictionary[key, Post.self].map { "post \($0.title)" }
      default: "something else"
      }
    }

    mutating func step() -> String? {
      let key = randomKey()
      switch Int.random(in: 0..<20, using: &generator) {
      case 0..<8: model[key] = set(key, in: dictionary)
      case 8..<14: return check(key)
      case 14: return checkKeys()
      case 15: dictionary.synchronize()
      case 16, 17: return transaction(aborts: Bool.random(using: &generator))
      case 18:
        // A snapshot shows what was set before it, also after the key is set.
        let before = model[key]
        var found: String?
        workspace.fetchWithinASnapshot {
          model[key] = set(key, inSnapshotOf: dictionary)
          found = text(key, in: dictionary)
        }
        if found != before { return "in a snapshot \(key) is \(found ?? "nil") instead of \(before ?? "nil")" }
      default: dictionary.load()
      }
      return check(key)
    }

    private mutating func set(_ key: String, inSnapshotOf dictionary: any WorkspaceDictionary) -> String? {
      let value = Int.random(in: 0..<5, using: &generator)
      dictionary[key] = value
      return "int \(value)"
    }

    private func check(_ key: String) -> String? {
      let found = text(key, in: dictionary)
      return found == model[key] ? nil : "\(key) is \(found ?? "nil") instead of \(model[key] ?? "nil")"
    }

    private func checkKeys() -> String? {
      let found = Set(dictionary.keys.filter { $0.hasPrefix("\(number).") })
      return found == Set(model.keys) ? nil : "the keys are \(found) instead of \(model.keys)"
    }

    private mutating func transaction(aborts: Bool) -> String? {
      // The thread waits for the transaction, so the two never use the actor at once.
      let (copy, failure) = (Locked(self), Locked<String?>(nil))
      let namespace = "thread \(number % 2)"
      let transaction = PendingTransaction(number % 3 == 0 ? [Post.self] : [Thing.self], in: workspace) { context in
        let keys = context.dictionary.namespace(namespace)
        var actor = copy.value
        for _ in 0..<Int.random(in: 1..<5, using: &actor.generator) {
          let key = actor.randomKey()
          if Bool.random(using: &actor.generator) {
            let found = actor.text(key, in: keys)
            if found != actor.model[key] {
              failure.value = "a transaction sees \(found ?? "nil") for \(key) instead of \(actor.model[key] ?? "nil")"
            }
          }
          actor.model[key] = actor.set(key, in: keys)
        }
        copy.value = actor
        if aborts { context.abort() }
      }
      let isStored = transaction.outcome()
      generator = copy.value.generator
      if isStored == true { model = copy.value.model }
      return failure.value ?? (isStored == !aborts ? nil : "a transaction has completed with \(isStored ?? false)")
    }

    /// What is on disk, and what another workspace finds.
    func checkDisk(_ other: SQLiteWorkspace) -> String? {
      let dictionary = other.dictionary.namespace("thread \(number % 2)")
      for index in 0..<12 {
        let key = "\(number).\(index)"
        let found = text(key, in: dictionary)
        if found != model[key] { return "on disk \(key) is \(found ?? "nil") instead of \(model[key] ?? "nil")" }
      }
      return nil
    }
  }

  @Test(
    "Random calls of many threads leave the same keys as a Swift dictionary, also after reopening",
    arguments: LongForm.seeds(4))
  func randomCalls(_ seed: Int) throws {
    let store = try TestStore()
    let actors = Locked<[Actor]>([])
    for number in 0..<4 {
      actors.change {
        $0.append(
          Actor(
            number: number, workspace: store.workspace, generator: SeededGenerator(seed: seed * 10 + number)))
      }
    }
    for round in 0..<3 {
      let workspace = round == 0 ? store.workspace : store.reopened()
      let failures = Collected<String>()
      let threads = BackgroundThreads(4) { number in
        var actor = actors.value[number]
        actor = Actor(number: number, workspace: workspace, generator: actor.generator, model: actor.model)
        for step in 0..<LongForm.dictionarySteps.size {
          guard let failure = actor.step() else { continue }
          failures.append("thread \(number), round \(round), step \(step): \(failure)")
          break
        }
        let result = actor
        actors.change { $0[number] = result }
      }
      #expect(threads.end())
      try #require(failures.values.isEmpty, "seed \(seed): \(failures.values)")
      if round % 2 == 0 { #expect(workspace.dictionary.synchronize()) } else { workspace.shutdown() }
      let other = store.reopened()
      for actor in actors.value {
        let failure = actor.checkDisk(other)
        #expect(failure == nil, "seed \(seed), round \(round)")
      }
      other.shutdown()
      if round == 2 { workspace.shutdown() }
    }
    #expect(store.errors.count == 0)
    LongForm.record(4 * 3 * LongForm.dictionarySteps.size, "calls on the dictionary, beside a model")
  }
}
