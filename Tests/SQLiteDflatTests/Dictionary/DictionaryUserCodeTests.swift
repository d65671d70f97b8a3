import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

/// A value whose coding and comparison use the dictionary that it is stored in.
private struct Nosy: Codable, Equatable {
  nonisolated(unsafe) static var dictionary: (any WorkspaceDictionary)?
  static let calls = Locked(0)
  var value = 1

  init(_ value: Int) { self.value = value }

  private static func use() {
    calls.change { $0 += 1 }
    guard let dictionary else { return }
    dictionary["used", default: 0] += 1
    _ = dictionary["nosy", Int.self]
    _ = dictionary.keys
    // Another thread is not kept waiting either.
    let isDone = Gate()
    Thread.detachNewThread {
      dictionary["by another thread"] = calls.value
      _ = dictionary["nosy", Bool.self]
      isDone.open()
    }
    #expect(isDone.wait())
  }

  init(from decoder: any Decoder) throws {
    Nosy.use()
    value = try decoder.singleValueContainer().decode([Int].self)[0]
  }

  func encode(to encoder: any Encoder) throws {
    Nosy.use()
    var container = encoder.singleValueContainer()
    try container.encode([value])
  }

  static func == (lhs: Nosy, rhs: Nosy) -> Bool {
    use()
    return lhs.value == rhs.value
  }
}

@Suite("While code of the user runs, no lock is held", .serialized)
struct DictionaryUserCodeTests {
  @Test("Encoding, decoding, comparing and callbacks may use the dictionary, and other threads meanwhile")
  func reentrancy() throws {
    let store = try TestStore()
    let dictionary = store.workspace.dictionary
    Nosy.dictionary = dictionary
    defer { Nosy.dictionary = nil }
    let subscription = dictionary.subscribe("nosy", of: Nosy.self) { _ in
      dictionary["told", default: 0] += 1
      dictionary.synchronize()
    }
    dictionary["nosy"] = Nosy(1)
    dictionary["nosy"] = Nosy(1)
    dictionary["nosy"] = Nosy(2)
    dictionary.synchronize()
    store.perform([Post.self]) { $0.dictionary["nosy"] = Nosy(3) }
    #expect(eventually { dictionary["told"] == 4 })
    let other = store.reopened()
    Nosy.dictionary = other.dictionary
    #expect(other.dictionary["nosy", Nosy.self]?.value == 3)
    other.dictionary["nosy"] = Nosy(3)
    #expect(Nosy.calls.value > 5)
    other.shutdown()
    subscription.cancel()
  }

  @Test("A value is encoded once when it is set, and not at all if it equals the one that is stored")
  func encodedOnce() throws {
    let store = try TestStore()
    let dictionary = store.workspace.dictionary
    dictionary["k"] = Counted(1)
    #expect(Counted.encodings.value == 1)
    dictionary["k"] = Counted(1)
    dictionary.synchronize()
    dictionary["k"] = Counted(1)
    for _ in 0..<5 { #expect(dictionary["k", Counted.self]?.value == 1) }
    #expect(Counted.encodings.value == 1 && Counted.decodings.value == 0)
    let other = store.reopened()
    other.dictionary["k"] = Counted(1)
    for _ in 0..<5 { #expect(other.dictionary["k", Counted.self]?.value == 1) }
    #expect(Counted.encodings.value == 1 && Counted.decodings.value == 1)
    other.shutdown()
  }

  private struct Counted: Codable, Equatable {
    static let encodings = Locked(0)
    static let decodings = Locked(0)
    var value: Int

    init(_ value: Int) { self.value = value }

    init(from decoder: any Decoder) throws {
      Counted.decodings.change { $0 += 1 }
      value = try decoder.singleValueContainer().decode([Int].self)[0]
    }

    func encode(to encoder: any Encoder) throws {
      Counted.encodings.change { $0 += 1 }
      var container = encoder.singleValueContainer()
      try container.encode([value])
    }
  }

  @Test("Each read of an object of the user's own class gives another instance")
  func classes() throws {
    let store = try TestStore()
    let dictionary = store.workspace.dictionary
    let note = Note("a")
    dictionary["k"] = note
    note.text = "changed, and not set"
    #expect(dictionary["k", Note.self]?.text == "a")
    #expect(dictionary["k", Note.self] !== dictionary["k", Note.self])
  }

  private final class Note: Codable, Equatable {
    var text: String

    init(_ text: String) { self.text = text }

    static func == (lhs: Note, rhs: Note) -> Bool { lhs.text == rhs.text }
  }
}
