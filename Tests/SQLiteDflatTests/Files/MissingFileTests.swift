import Dflat
import EngineTestSupport
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A store makes its file when something is stored, and not before")
struct MissingFileTests {
  private let store: TestStore
  private var workspace: SQLiteWorkspace { store.workspace }
  private var hasFile: Bool { FileManager.default.fileExists(atPath: store.path) }

  init() throws { store = try TestStore() }

  @Test("To wait for the indexes of a type makes no file, and is told that all is done")
  func waitingForIndexes() async throws {
    let shares = Collected<Double>()
    try await workspace.waitForIndexes(of: Post.self) { shares.append($0) }
    #expect(shares.values == [1])
    #expect(!hasFile)
    #expect(store.errors.values.isEmpty)
  }

  @Test("To remove keys makes no file, whether they were set before or not", arguments: [false, true])
  func removingKeys(isSet: Bool) {
    let dictionary = workspace.dictionary
    workspace.whileCommitsWait {
      if isSet { dictionary["a"] = 1 }
      dictionary["a", Int.self] = nil
      dictionary["b", Int.self] = nil
    }
    #expect(dictionary.synchronize())
    #expect(dictionary["a", Int.self] == nil && dictionary.keys.isEmpty)
    workspace.shutdown()
    #expect(!hasFile)
    #expect(store.errors.values.isEmpty)
    // A reader refuses that, although there is nothing to remove.
    let errors = Collected<any Error>()
    let reader = SQLiteWorkspace(readOnly: store.path, errorHandler: { errors.append($0) })
    reader.dictionary["a", Int.self] = nil
    #expect(eventually { errors.count == 1 })
    reader.shutdown()
    #expect(!hasFile)
  }

  @Test("Keys that another workspace stores in a new file are seen, though they were removed before there was one")
  func fileOfOthers() {
    let (own, other) = (workspace.dictionary, store.reopened())
    for key in ["a", "b", "c"] { own[key, Int.self] = nil }
    #expect(own.synchronize())
    #expect(!hasFile)
    for key in ["a", "b"] { other.dictionary[key] = 1 }
    #expect(other.dictionary.synchronize())
    // The first look-up opens the file.
    #expect(own["a"] == 1 && own["b"] == 1 && own["c", Int.self] == nil)
    own["a", Int.self] = nil
    #expect(own.synchronize())
    #expect(other.dictionary["a", Int.self] == nil && other.dictionary.keys == ["b"])
    other.shutdown()
    #expect(store.errors.values.isEmpty)
  }
}
