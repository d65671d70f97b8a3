import Dflat
import EngineTestSupport
import Foundation
import PostgresDflat
import TestSupport
import Testing

/// Keys that are set outside of transactions are written in the background. The moments at which that meets a transaction
/// cannot be chosen, so each test tries many.
@Suite("A key that is set before a transaction does not come after it on PostgreSQL")
struct PostgresKeyOrderTests {
  private let database: TestDatabase
  private var dictionary: any WorkspaceDictionary { database.workspace.dictionary }
  private static let attempts = 150

  init() throws {
    database = try TestDatabase()
    database.workspace.dictionary["other"] = 0
    #expect(database.workspace.dictionary.synchronize())
  }

  /// Another workspace reads what is stored.
  private func stored(_ key: String) -> Int? {
    #expect(dictionary.synchronize())
    let other = database.other()
    defer { other.shutdown() }
    return other.dictionary[key, Int.self]
  }

  @Test("A key that a transaction sets has the transaction's value afterwards", arguments: [false, true])
  func set(duringTheClosure: Bool) throws {
    for number in 1...Self.attempts {
      if !duringTheClosure { dictionary["key"] = -number }
      database.perform([]) { [dictionary] context in
        context.dictionary["key"] = number
        if duringTheClosure { dictionary["key"] = -number }
      }
      #expect(dictionary["key"] == number)
      #expect(dictionary.synchronize())
      #expect(dictionary["key"] == number)
    }
    #expect(stored("key") == Self.attempts)
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A key that the transaction removes has no value afterwards")
  func remove() throws {
    for number in 1...Self.attempts {
      dictionary["key \(number)"] = number
      database.perform([]) { context in
        // Its snapshot may be older than the row that it removes.
        _ = context.dictionary["other", Int.self]
        context.dictionary["key \(number)", Int.self] = nil
      }
      #expect(dictionary["key \(number)", Int.self] == nil)
      #expect(dictionary.synchronize())
      #expect(dictionary["key \(number)", Int.self] == nil)
    }
    #expect(stored("key 1") == nil)
    #expect(dictionary.keys == ["other"])
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A transaction sees the key, even if it is written after the transaction's snapshot was taken")
  func read() throws {
    for number in 1...Self.attempts {
      let seen = Locked<Int?>(nil)
      dictionary["key"] = number
      database.perform([]) { context in
        _ = context.dictionary["other", Int.self]
        usleep(UInt32(10 * (number % 100)))
        seen.value = context.dictionary["key"]
        context.dictionary["other"] = number
      }
      #expect(seen.value == number)
    }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }

  @Test("A transaction finds the key among all keys, even if it is written after its snapshot was taken")
  func keys() throws {
    for number in 1...Self.attempts {
      let seen = Locked<[String]>([])
      dictionary["key \(number)"] = number
      database.perform([]) { context in
        _ = context.dictionary["other", Int.self]
        usleep(UInt32(10 * (number % 100)))
        seen.value = context.dictionary.keys
        context.dictionary["other"] = number
      }
      #expect(seen.value.contains("key \(number)"))
    }
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
  }
}
