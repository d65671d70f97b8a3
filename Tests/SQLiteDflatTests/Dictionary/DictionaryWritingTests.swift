import EngineTestSupport
import CSQLite
import Dflat
import DflatEngine
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("A key that is set is written once, or an error is reported")
struct DictionaryWritingTests {
  private let store: TestStore
  private var dictionary: any WorkspaceDictionary { store.workspace.dictionary }
  private var errors: [DictionaryError] { store.errors.values.compactMap { $0 as? DictionaryError } }

  init() throws { store = try TestStore() }

  /// How many commits the file's log counts, and what its last frame is.
  private func mark() throws -> WALIndex.CommitMark {
    try #require(store.workspace.core.database.writer().connection.walIndex).mark
  }

  @Test("A key that was set is written without a call of synchronize")
  func inBackground() throws {
    dictionary["k"] = 1
    let cache = store.workspace.core.dictionary.cache
    #expect(eventually { !cache.hasPending })
    #expect(try store.sql("SELECT __pk0 FROM dictitem_v_dflat_internal__") == [["k"]])
  }

  @Test("A value that equals the stored one writes nothing, in memory or not")
  func equalValues() throws {
    let post = Post(title: "a", priority: 4)
    func setAll(_ dictionary: any WorkspaceDictionary) {
      dictionary["bool"] = true
      dictionary["int"] = 5
      dictionary["double"] = Double.nan
      dictionary["string"] = "x"
      dictionary["codable"] = Profile()
      dictionary["flatbuffer"] = post
      dictionary["absent", Int.self] = nil
    }
    setAll(dictionary)
    dictionary.synchronize()
    let before = try mark()
    setAll(dictionary)
    #expect(!store.workspace.core.dictionary.cache.hasPending)
    dictionary.synchronize()
    #expect(try mark() == before)
    // Another workspace does not know what is stored.
    let other = store.reopened()
    setAll(other.dictionary)
    other.dictionary.synchronize()
    #expect(try mark() == before)
    other.shutdown()
  }

  @Test("Another Unicode form of a text, or -0.0 for 0.0, is a new value and is stored")
  func bits() throws {
    dictionary["string"] = "é"
    dictionary["string"] = "e\u{301}"
    dictionary["double"] = 0.0
    dictionary["double"] = -0.0
    dictionary.synchronize()
    let other = store.reopened()
    #expect(other.dictionary["string", String.self]?.utf8.count == 3)
    #expect(other.dictionary["double", Double.self]?.sign == .minus)
    other.shutdown()
  }

  @Test("A value that cannot be encoded is reported, and the key keeps its value")
  func encodingFails() throws {
    dictionary["k"] = Stubborn(value: 1)
    dictionary["k"] = Stubborn(value: 2, refusesToEncode: true)
    #expect(dictionary["k"] == Stubborn(value: 1))
    guard case .notEncoded(let error)? = errors.first?.reason else { throw Missing() }
    #expect("\(error)".contains("Refusal"))
    #expect(errors.count == 1 && errors[0].key == "k")
  }

  private struct Missing: Error {}

  @Test("A value that cannot be decoded is absent, is reported once, and stays stored")
  func decodingFails() throws {
    dictionary["k"] = Stubborn(refusesToDecode: true)
    dictionary.synchronize()
    let other = store.reopened()
    for _ in 0..<3 { #expect(other.dictionary["k", Stubborn.self] == nil) }
    #expect(errors.count == 1)
    #expect("\(errors[0])".contains("\"k\""))
    #expect(other.dictionary.keys == ["k"])
    other.shutdown()
    #expect(try store.sql("SELECT count(*) FROM dictitem_v_dflat_internal__") == [["1"]])
  }

  @Test("A value that is read as another type is absent, is reported once, and stays stored")
  func otherType() throws {
    dictionary["k"] = 1
    for _ in 0..<3 {
      #expect(dictionary["k", String.self] == nil)
      #expect(dictionary["k", UInt.self] == nil)
      #expect(dictionary["k", Profile.self] == nil)
      #expect(dictionary["k", Post.self] == nil)
    }
    #expect(errors.count == 1)
    #expect(dictionary["k"] == 1)
    // Once for each value that was set.
    dictionary["k"] = 2
    #expect(dictionary["k", String.self] == nil)
    #expect(errors.count == 2)
    dictionary["k"] = "now a string"
    #expect(dictionary["k"] == "now a string")
    #expect(errors.count == 2)
  }

  @Test(
    "Values that a full disk refuses stay in memory, are reported once, and are written when there is room")
  func fullDisk() throws {
    dictionary["small"] = 1
    dictionary.synchronize()
    try store.limitPages()
    let large = String(repeating: "x", count: 1 << 16)
    dictionary["large"] = large
    #expect(!dictionary.synchronize())
    #expect(!dictionary.synchronize())
    #expect(dictionary["large"] == large)
    // The thread of the background may have tried to write it.
    #expect(eventually { !errors.isEmpty })
    for error in errors {
      guard case .notWritten(let reason) = error.reason else {
        Issue.record("\(error)")
        continue
      }
      #expect((reason as? SQLiteError)?.code == SQLITE_FULL)
    }
    #expect(try store.sql("SELECT __pk0 FROM dictitem_v_dflat_internal__") == [["small"]])
    try store.limitPages(nil)
    // By itself.
    let cache = store.workspace.core.dictionary.cache
    #expect(eventually { !cache.hasPending })
    #expect(try store.sql("SELECT __pk0 FROM dictitem_v_dflat_internal__ ORDER BY 1") == [["large"], ["small"]])
    #expect(dictionary.synchronize())
  }

  @Test("A value that no row can hold is reported and taken back; others that were set with it are written")
  func tooLarge() throws {
    dictionary["k"] = "before"
    dictionary.synchronize()
    let connection = try store.workspace.core.database.writer().connection
    sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, 10_000)
    dictionary["a"] = 1
    dictionary["k"] = String(repeating: "x", count: 20_000)
    dictionary["b"] = 2
    dictionary.synchronize()
    #expect(dictionary["k"] == "before")
    #expect(dictionary["a"] == 1 && dictionary["b"] == 2)
    #expect(dictionary.synchronize())
    // The thread of the background may have tried to write it.
    #expect(eventually { !errors.isEmpty })
    #expect(errors.count == 1 && errors[0].key == "k")
    #expect(
      try store.sql("SELECT __pk0 FROM dictitem_v_dflat_internal__ ORDER BY 1") == [["a"], ["b"], ["k"]])
  }

  @Test("Each of many values that no row can hold is reported to the error handler")
  func manyTooLarge() throws {
    dictionary["k"] = 1
    dictionary.synchronize()
    let core = store.workspace.core
    let connection = try core.database.writer().connection
    sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, 10_000)
    let keys = (0..<5).map { "\($0)" }
    // All are pending before the first is refused.
    core.committer.acquireWriter(.transaction)
    for key in keys { dictionary[key] = String(repeating: "x", count: 20_000) }
    core.committer.releaseWriter()
    #expect(eventually { errors.count == keys.count })
    #expect(errors.compactMap(\.key).sorted() == keys)
  }

  @Test(
    "An error handler that sets a key which no row can hold is told of that once, and not for ever",
    arguments: [false, true])
  func settingErrorHandler(synchronizing isSynchronized: Bool) throws {
    let (held, count, returned) = (Locked<SQLiteWorkspace?>(nil), Locked(0), Locked(0))
    let workspace = SQLiteWorkspace(
      filePath: store.path, fileProtectionLevel: .noProtection,
      errorHandler: { _ in
        let number = count.change { count in
          count += 1
          return count
        }
        // Without an end, the test would have none either.
        guard number < 20, let workspace = held.value else { return }
        workspace.dictionary["errors"] = number
        workspace.dictionary["last error"] = "\(number)" + String(repeating: "x", count: 20_000)
        returned.change { $0 = max($0, number) }
      })
    held.value = workspace
    workspace.dictionary["errors"] = 0
    #expect(workspace.dictionary.synchronize())
    let connection = try workspace.core.database.writer().connection
    sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, 10_000)
    workspace.dictionary["last error"] = String(repeating: "x", count: 20_000)
    // It may write the handler's values, too.
    if isSynchronized { workspace.dictionary.synchronize() }
    #expect(eventually { returned.value >= 2 })
    // The last error goes to standard error. Long enough, as a rule, for more calls.
    usleep(300_000)
    #expect(eventually { !workspace.core.dictionary.cache.hasPending })
    #expect(count.value == 2)
    held.value = nil
    workspace.shutdown()
  }

  @Test("A wait until values are on disk ends although others set further values, all of which are refused")
  func refusedWithoutEnd() {
    let (held, count) = (Locked<SQLiteWorkspace?>(nil), Locked(0))
    let (isRefusing, isOver) = (Gate(), Gate())
    let workspace = SQLiteWorkspace(
      filePath: store.path, fileProtectionLevel: .noProtection, role: .reader,
      errorHandler: { error in
        guard (error as? DictionaryError)?.key != "first" else {
          // Keeps the background from writing what comes later.
          isRefusing.open()
          isOver.wait()
          return
        }
        let number = count.change { count in
          count += 1
          return count
        }
        // With an end, so that the test has one if the call has none.
        guard number < 100, !isOver.isOpen, let workspace = held.value else { return }
        let setter = BackgroundThreads { _ in workspace.dictionary["\(number)"] = number }
        #expect(setter.end())
      })
    held.value = workspace
    workspace.dictionary["first"] = 0
    #expect(isRefusing.wait())
    workspace.dictionary["second"] = 0
    #expect(!workspace.dictionary.synchronize())
    #expect(count.value == 1)
    isOver.open()
    held.value = nil
    workspace.shutdown()
  }

  #if compiler(>=6.3) && os(Linux)
    @Test("In a file that can only be read, values are reported and taken back")
    func readOnly() async throws {
      // The administrator may write everywhere: so in a program that is nobody's in particular.
      await #expect(processExitsWith: .success) {
        ReadOnlyTests.becomeNobody()
        try DictionaryWritingTests.setInReadOnlyFile()
      }
    }

    private static func setInReadOnlyFile() throws {
      let store = try TestStore()
      store.workspace.dictionary["k"] = 1
      store.workspace.shutdown()
      try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: store.path)
      let other = store.reopened()
      let told = Collected<SubscribedDictionaryValue<Int>>()
      #expect(other.dictionary["k"] == 1)
      let subscription = other.dictionary.subscribe("k", of: Int.self) { told.append($0) }
      other.dictionary["k"] = 2
      other.dictionary.synchronize()
      #expect(other.dictionary["k"] == 1)
      #expect(eventually { told.values == [.initial(1), .updated(2), .updated(1)] })
      // Errors are told by the thread that has written, which may be that of the background.
      #expect(eventually { !store.errors.values.isEmpty })
      let errors = store.errors.values.compactMap { $0 as? DictionaryError }
      #expect(errors.count == 1 && errors.first?.key == "k")
      guard case .refused(let error)? = errors.first?.reason else { throw Missing() }
      #expect((error as? SQLiteError)?.code == SQLITE_READONLY)
      subscription.cancel()
      other.shutdown()
    }
  #endif

  @Test("A key that is set again while synchronize writes it is written in the background")
  func setAgainDuringSynchronize() throws {
    let (dictionary, cache) = (store.workspace.dictionary, store.workspace.core.dictionary.cache)
    dictionary["k"] = 0
    #expect(dictionary.synchronize())
    #expect(eventually { !cache.state.withLock { $0.isWriteScheduled } })
    let hook = try BlockingCommitHook(store.workspace)
    // As if the background job had made its last write, and not ended yet.
    cache.state.withLock { $0.isWriteScheduled = true }
    dictionary["k"] = 1
    hook.blockNextCommit()
    let writer = BackgroundThreads { _ in _ = dictionary.synchronize() }
    #expect(hook.hasBlocked.wait())
    // The job ends, since all pending values were taken.
    #expect(!cache.mustGoOnWriting())
    dictionary["k"] = 2
    hook.mayGoOn.open()
    #expect(writer.end())
    #expect(eventually { !cache.hasPending })
    let other = store.reopened()
    #expect(other.dictionary["k"] == 2)
    other.shutdown()
    withExtendedLifetime(hook) { store.workspace.shutdown() }
    #expect(errors.isEmpty)
  }

  @Test("After a shutdown, all that was set before is on disk, and nothing is set or found")
  func shutdown() throws {
    for number in 0..<1000 { dictionary["\(number)"] = number }
    store.workspace.shutdown()
    #expect(try store.sql("SELECT count(*) FROM dictitem_v_dflat_internal__") == [["1000"]])
    #expect(dictionary["1", Int.self] == nil)
    #expect(dictionary.keys.isEmpty)
    #expect(errors.isEmpty)
    dictionary["1"] = 2
    dictionary.removeAll()
    #expect(dictionary.synchronize())
    for error in errors {
      guard case .shutDown = error.reason else {
        Issue.record("\(error)")
        continue
      }
    }
    #expect(errors.count == 2)
    let other = store.reopened()
    #expect(other.dictionary["1"] == 1)
    other.shutdown()
  }

  @Test("A value that cannot be written before a shutdown is reported as refused, not as tried again")
  func shutdownOnFullDisk() throws {
    dictionary["small"] = 1
    dictionary.synchronize()
    try store.limitPages()
    dictionary["large"] = String(repeating: "x", count: 1 << 16)
    store.workspace.shutdown()
    func refusedKeys() -> [String?] {
      errors.filter { if case .refused = $0.reason { true } else { false } }.map(\.key)
    }
    #expect(eventually { refusedKeys() == ["large"] })
    #expect(try store.sql("SELECT __pk0 FROM dictitem_v_dflat_internal__") == [["small"]])
  }

  @Test("A damaged value is refused with an error when it is set, and does no harm to others")
  func damagedValue() throws {
    dictionary["k"] = 1
    dictionary.synchronize()
    dictionary._setStoredValue(.damaged, forKey: "k")
    dictionary["other"] = 2
    dictionary.synchronize()
    #expect(dictionary["k"] == 1 && dictionary["other"] == 2)
    // The thread of the background may have tried to write it.
    #expect(eventually { !errors.isEmpty })
    guard errors.count == 1, case .refused(let error) = errors[0].reason else { throw Missing() }
    #expect(error is UnreadableDictionaryValue)
    store.perform([], completing: false) { $0.dictionary._setStoredValue(.damaged, forKey: "k") }
    #expect(dictionary["k"] == 1)
  }

  @Test("Synchronizing in a transaction that has begun to write fails at once instead of waiting for ever")
  func synchronizingInTransaction() throws {
    let workspace = store.workspace
    store.perform([Post.self]) { context in
      workspace.dictionary["outside"] = 1
      #expect(workspace.dictionary.synchronize())
      _ = context.dictionary["k", Int.self]
      workspace.dictionary["outside"] = 2
      #expect(!workspace.dictionary.synchronize())
    }
    #expect(dictionary.synchronize())
    #expect(errors.count == 1)
  }

  @Test("Reading and removing make no table")
  func noTable() throws {
    store.perform([Post.self]) { $0.try(submit: PostChangeRequest.creationRequest(Post(title: "a"))) }
    #expect(dictionary["k", Int.self] == nil)
    #expect(dictionary.keys.isEmpty)
    dictionary["k"] = nil
    dictionary.removeAll()
    dictionary.load()
    dictionary.synchronize()
    #expect(try store.sql("SELECT count(*) FROM sqlite_master WHERE name LIKE 'dict%'") == [["0"]])
  }
}
