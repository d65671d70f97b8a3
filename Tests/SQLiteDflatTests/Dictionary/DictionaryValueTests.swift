import Dflat
@testable import DflatEngine
import Foundation
import Golden_codable
import Golden_post
import Testing

@testable import SQLiteDflat

/// A value that encodes itself.
struct Profile: Codable, Equatable, Sendable {
  var name = "a"
  var age: Int? = 3
  var tags: [String] = ["x", "y"]
}

/// A value that a property list cannot hold by itself.
enum Theme: String, Codable, Sendable { case light, dark }

@Suite("Values of every type are stored under their keys, and read as what they were")
struct DictionaryValueTests {
  private let store: TestStore
  private var dictionary: any WorkspaceDictionary { store.workspace.dictionary }

  init() throws { store = try TestStore() }

  /// Sets a key, and reads it back from memory and from the disk, through another workspace.
  private func check<Value: Equatable>(
    _ value: Value, _ set: (any WorkspaceDictionary, Value?) -> Void, _ get: (any WorkspaceDictionary) -> Value?
  ) {
    #expect(get(dictionary) == nil)
    set(dictionary, value)
    #expect(get(dictionary) == value)
    #expect(dictionary.synchronize())
    let other = store.reopened()
    #expect(get(other.dictionary) == value)
    // Of a row that was read, too, and not only of one that was set.
    #expect(get(other.dictionary) == value)
    set(dictionary, nil)
    #expect(get(dictionary) == nil)
    #expect(dictionary.synchronize())
    #expect(get(other.dictionary) == nil)
    other.shutdown()
    #expect(store.errors.count == 0)
  }

  @Test("A Bool is read as it was stored", arguments: [true, false])
  func bool(_ value: Bool) { check(value, { $0["k"] = $1 }, { $0["k"] }) }

  @Test("An Int is read as it was stored", arguments: [0, 1, -1, Int.min, Int.max])
  func int(_ value: Int) { check(value, { $0["k"] = $1 }, { $0["k"] }) }

  @Test("A UInt is read as it was stored", arguments: [0, 1, UInt.max])
  func uint(_ value: UInt) { check(value, { $0["k"] = $1 }, { $0["k"] }) }

  @Test(
    "A Float is read as it was stored",
    arguments: [0, -0.0, 1.5, .infinity, -.infinity, .leastNonzeroMagnitude] as [Float])
  func float(_ value: Float) {
    check(value.bitPattern, { $0["k"] = $1.map { Float(bitPattern: $0) } }, { ($0["k"] as Float?)?.bitPattern })
  }

  @Test(
    "A Double is read as it was stored, to the last bit",
    arguments: [0, -0.0, 0.1, .nan, .infinity, -.infinity] as [Double])
  func double(_ value: Double) {
    check(value.bitPattern, { $0["k"] = $1.map { Double(bitPattern: $0) } }, { ($0["k"] as Double?)?.bitPattern })
  }

  @Test(
    "A String is read as it was stored",
    arguments: ["", "a", "é", "e\u{301}", "\0", "a\0b", String(repeating: "ü", count: 100_000)])
  func string(_ value: String) {
    check(
      Array(value.utf8), { $0["k"] = $1.map { String(decoding: $0, as: UTF8.self) } },
      { ($0["k"] as String?).map { Array($0.utf8) } })
  }

  @Test("A Codable value is read as it was stored")
  func codable() {
    check(Profile(), { $0["k"] = $1 }, { $0["k"] })
    check([1, 2, 3], { $0["k"] = $1 }, { $0["k"] })
    check(["a": Profile()], { $0["k"] = $1 }, { $0["k"] })
    check(Data([1, 2]), { $0["k"] = $1 }, { $0["k"] })
  }

  @Test("A Codable value that encodes as a single string, number or date is stored")
  func codableFragments() {
    check(Theme.dark, { $0["k"] = $1 }, { $0["k"] })
    check(Date(timeIntervalSince1970: 1.5), { $0["k"] = $1 }, { $0["k"] })
    check(Int8(-7), { $0["k"] = $1 }, { $0["k"] })
    check(UInt64.max, { $0["k"] = $1 }, { $0["k"] })
    check(UUID(), { $0["k"] = $1 }, { $0["k"] })
  }

  @Test("A FlatBuffers value is read as it was stored")
  func flatBuffers() {
    check(Post(title: "a", priority: 3), { $0["k"] = $1 }, { $0["k"] })
  }

  /// A type of an app's own that is stored as a number.
  private struct UserID: DictionaryPrimitive {
    let number: Int

    init(_ number: Int) { self.number = number }

    var _stored: StoredDictionaryValue { .integer(Int64(number)) }

    init?(_stored: StoredDictionaryValue) {
      guard let number = Int(_stored: _stored) else { return nil }
      self.init(number)
    }
  }

  @Test("A type of the app's own is stored as a number once it conforms to DictionaryPrimitive")
  func ownPrimitive() {
    check(UserID(7), { $0["k"] = $1 }, { $0["k"] })
    dictionary["user"] = UserID(8)
    #expect(dictionary["user"] == 8)
  }

  @Test("A key can be read with its type or with a default, and reading stores no default")
  func forms() {
    dictionary["int", Int.self] = 4
    #expect(dictionary["int", Int.self] == 4)
    #expect(dictionary["none", default: 7] == 7)
    #expect(dictionary["none", default: 8] == 8)
    #expect(dictionary["none", default: Profile()] == Profile())
    #expect(dictionary["none", default: Post(title: "x")] == Post(title: "x"))
    #expect(dictionary["none", Int.self] == nil)
    dictionary["int", default: 0] += 1
    dictionary["counter", default: 10] += 1
    #expect(dictionary["int", default: 0] == 5 && dictionary["counter"] == 11)
    dictionary["profile", default: Profile()].tags.append("z")
    #expect(dictionary["profile", Profile.self]?.tags == ["x", "y", "z"])
  }

  @Test("Generic code stores and finds the same as any other")
  func genericCode() {
    func set<Value: Codable & Equatable>(_ value: Value, _ key: String) { dictionary[key] = value }
    func value<Value: Codable & Equatable>(_ key: String, _ type: Value.Type) -> Value? { dictionary[key] }
    set(1, "int")
    set("x", "string")
    set(Profile(), "profile")
    #expect(dictionary["int"] == 1 && dictionary["string"] == "x" && dictionary["profile"] == Profile())
    dictionary["other"] = 2.5
    #expect(value("other", Double.self) == 2.5 && value("int", Int.self) == 1 && value("int", String.self) == nil)
  }

  @Test("A key is removed by nil, whatever its type, or by name")
  func removal() {
    for key in ["a", "b", "c"] { dictionary[key] = 1 }
    dictionary["a"] = nil
    dictionary["b", Int.self] = nil
    dictionary.removeValue(forKey: "c")
    dictionary.removeValue(forKey: "never set")
    #expect(dictionary.keys.isEmpty)
  }

  @Test("Keys are those that have a value, in memory or on disk")
  func keys() {
    dictionary["disk"] = 1
    dictionary["removed"] = 2
    dictionary.synchronize()
    let other = store.reopened()
    other.dictionary["memory"] = "x"
    other.dictionary["removed"] = nil
    #expect(Set(other.dictionary.keys) == ["disk", "memory"])
    other.dictionary.synchronize()
    #expect(Set(other.dictionary.keys) == ["disk", "memory"])
    #expect(Set(dictionary.keys) == ["disk", "memory"])
    other.shutdown()
  }

  @Test("Removing all removes what is in memory and on disk, and nothing that is set later")
  func removeAll() {
    dictionary["disk"] = 1
    dictionary.synchronize()
    let other = store.reopened()
    other.dictionary["memory"] = 2
    other.dictionary.removeAll()
    #expect(other.dictionary.keys.isEmpty)
    #expect(other.dictionary["disk", Int.self] == nil && other.dictionary["memory", Int.self] == nil)
    other.dictionary["later"] = 3
    other.dictionary.synchronize()
    #expect(dictionary.keys == ["later"])
    #expect(dictionary["later"] == 3)
    other.shutdown()
  }

  @Test("Namespaces separate keys")
  func namespaces() throws {
    let (a, b) = (dictionary.namespace("a"), dictionary.namespace("b"))
    dictionary["k"] = 1
    a["k"] = 2
    b["k"] = "three"
    #expect(dictionary["k"] == 1 && a["k"] == 2 && b["k"] == "three")
    #expect(dictionary.namespace("").keys == ["k"] && dictionary.namespace("a")["k"] == 2)
    dictionary.synchronize()
    #expect(
      try store.sql("SELECT __pk0, __pk1 FROM dictitem_v_dflat_internal__ ORDER BY __pk1")
        == [["k", ""], ["k", "a"], ["k", "b"]])
    a.removeAll()
    #expect(a.keys.isEmpty && a["k", Int.self] == nil)
    #expect(dictionary["k"] == 1 && b["k"] == "three")
    #expect(b.synchronize())
    #expect(try store.sql("SELECT __pk1 FROM dictitem_v_dflat_internal__ ORDER BY __pk1") == [[""], ["b"]])
  }

  @Test("Keys are told apart by their bytes", arguments: [("é", "e\u{301}"), ("", "\0"), ("a", "a\0"), ("A", "a")])
  func keyBytes(_ lhs: String, _ rhs: String) {
    dictionary[lhs] = 1
    dictionary[rhs] = 2
    #expect(dictionary[lhs] == 1 && dictionary[rhs] == 2)
    dictionary.synchronize()
    let other = store.reopened()
    #expect(other.dictionary[lhs] == 1 && other.dictionary[rhs] == 2)
    #expect(Set(other.dictionary.keys.map { Array($0.utf8) }) == [Array(lhs.utf8), Array(rhs.utf8)])
    other.shutdown()
  }

  @Test("A key may be a megabyte long")
  func longKey() {
    let key = String(repeating: "k", count: 1 << 20)
    check(5, { $0[key] = $1 }, { $0[key] })
  }

  @Test("Loading a namespace makes all its keys known without another look at the disk")
  func load() throws {
    for number in 0..<100 { dictionary["\(number)"] = number }
    dictionary.synchronize()
    let other = store.reopened()
    other.dictionary.load()
    let cache = other.core.dictionary.cache
    let namespace = cache.namespace("")
    let unknown = (0..<100).filter { number in
      guard case .some(let value) = cache.known(DictionaryKey("\(number)"), of: namespace) else { return true }
      return !value.isIdentical(to: .integer(Int64(number)))
    }
    #expect(unknown.isEmpty)
    other.shutdown()
  }

  @Test(
    "A string and data of 500 MB are stored, and a value that no row can hold is refused",
    .enabled(if: ProcessInfo.processInfo.environment["DFLAT_LARGE"] != nil))
  func halfAGigabyte() {
    func text(_ count: Int) -> String {
      String(unsafeUninitializedCapacity: count) { bytes in
        bytes.initialize(repeating: 0x78)
        return count
      }
    }
    let (long, data) = (text(500_000_000), Data(repeating: 7, count: 500_000_000))
    dictionary["text"] = long
    dictionary["data"] = data
    #expect(dictionary.synchronize())
    dictionary["text"] = text(1_100_000_000)
    #expect(!dictionary.synchronize())
    #expect(store.errors.count == 1)
    let other = store.reopened()
    let stored = (text: other.dictionary["text", String.self], data: other.dictionary["data", Data.self])
    // Compared outside of the expectation, which would describe them.
    let isSame = stored.text == long && stored.data == data
    #expect(isSame)
    other.shutdown()
  }
}
