import EngineTestSupport
import CSQLite
import Dflat
import DflatEngine
import Dispatch
import Foundation
import Testing

@testable import SQLiteDflat

/// A workspace in a folder of its own, which goes away with it.
final class TestStore: Sendable {
  let folder: String
  let path: String
  let workspace: SQLiteWorkspace
  /// What the error handler is told. It may be told of a failed commit just after the completion of the transaction.
  let errors = Collected<any Error>()

  /// - Parameter waitsForCallbacks: whether each completion waits for the callbacks that come before it, however long the machine
  ///   keeps their threads waiting. Otherwise it waits for a second, as in an app; a callback that waits for a completion needs that.
  init(
    writeConcurrency: SQLiteWorkspace.WriteConcurrency = .concurrent, waitsForCallbacks: Bool = true,
    prepare: (_ path: String) throws -> Void = { _ in }
  ) throws {
    folder = NSTemporaryDirectory() + "dflat-tests-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = folder + "/store.sqlite3"
    try prepare(path)
    workspace = TestStore.workspace(path, errors, writeConcurrency)
    if waitsForCallbacks { workspace.waitForCallbacks() }
  }

  private static func workspace(
    _ path: String, _ errors: Collected<any Error>, _ writeConcurrency: SQLiteWorkspace.WriteConcurrency = .concurrent
  ) -> SQLiteWorkspace {
    SQLiteWorkspace(
      filePath: path, fileProtectionLevel: .noProtection, writeConcurrency: writeConcurrency,
      errorHandler: { errors.append($0) })
  }

  /// Another workspace in the same file.
  func reopened() -> SQLiteWorkspace {
    let workspace = TestStore.workspace(path, errors)
    workspace.waitForCallbacks()
    return workspace
  }

  /// Lets the database have no page more than it has now; with nil, as many as it likes. Not in a transaction that has the
  /// writer.
  func limitPages(_ limit: Int? = 0) throws {
    try workspace.runAsWriter("PRAGMA max_page_count = \(limit.map { max($0, 1) } ?? 1_000_000)")
  }

  deinit {
    workspace.shutdown()
    do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record(error) }
  }

  /// Runs a transaction, waits for it, and checks how it completes.
  func perform(
    _ types: [Any.Type], in other: SQLiteWorkspace? = nil, completing expected: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation, _ changes: @escaping (any TransactionContext) -> Void
  ) {
    let done = DispatchSemaphore(value: 0)
    let result = Collected<Bool>()
    // The test waits until the closure has run, so what the closure uses is not used by two at once.
    nonisolated(unsafe) let changes = changes
    (other ?? workspace).performChanges(types, changesHandler: { changes($0) }) {
      result.append($0)
      done.signal()
    }
    done.wait()
    #expect(result.values == [expected], sourceLocation: sourceLocation)
  }

  /// The rows that plain SQL returns, their values as texts.
  @discardableResult
  func sql(_ sql: String) throws -> [[String?]] { try PlainSQL.run(sql, in: path) }

  /// Changes the file by SQL of which the store does not learn, as a damaged disk does.
  func damage(_ sql: String) throws { try PlainSQL.run(sql, in: path, firingTriggers: false) }
}

extension SQLiteWorkspace {
  /// Has completions wait for callbacks for longer than any machine keeps a thread waiting.
  func waitForCallbacks() { core.completions.setLongestWait(.seconds(Int(patience))) }

  /// Makes a trigger that fires for what the workspace writes: for its connections only temporary ones do.
  ///
  /// - Parameter sql: what follows `CREATE TEMP TRIGGER`.
  func addTrigger(_ sql: String) throws { try runAsWriter("CREATE TEMP TRIGGER " + sql) }

  func removeTrigger(_ name: String) throws { try runAsWriter("DROP TRIGGER temp.\(name)") }

  /// Runs SQL on the connection that writes, which the thread of the last commit may still be using after its completion.
  func runAsWriter(_ sql: String) throws {
    core.committer.acquireWriter(.transaction)
    defer { core.committer.releaseWriter() }
    try core.database.writer().connection.run(sql, for: "Testing")
  }
}

/// SQL without the store.
enum PlainSQL {
  struct Failure: Error {
    let message: String
  }

  /// How many milliseconds SQL waits for a lock that the store holds meanwhile.
  static let busyTimeout = Int32(patience) * 1000

  @discardableResult
  static func run(_ sql: String, in path: String, firingTriggers: Bool = true) throws -> [[String?]] {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure(message: "cannot open \(path)") }
    sqlite3_busy_timeout(handle, busyTimeout)
    guard firingTriggers || dflat_disable_triggers(handle) != 0 else { throw Failure(message: "triggers stay on") }
    return try run(sql, on: handle)
  }

  @discardableResult
  static func run(_ sql: String, on handle: OpaquePointer?) throws -> [[String?]] {
    var rows: [[String?]] = []
    var rest: String? = sql
    while let text = rest, !text.allSatisfy(\.isWhitespace) {
      var statement: OpaquePointer?
      let status = text.withCString { start in
        var tail: UnsafePointer<CChar>?
        let status = sqlite3_prepare_v2(handle, start, -1, &statement, &tail)
        rest = tail.map { String(cString: $0) }
        return status
      }
      defer { sqlite3_finalize(statement) }
      guard status == SQLITE_OK else { throw Failure(message: String(cString: sqlite3_errmsg(handle))) }
      guard statement != nil else { continue }
      while true {
        let status = sqlite3_step(statement)
        if status == SQLITE_DONE { break }
        guard status == SQLITE_ROW else { throw Failure(message: String(cString: sqlite3_errmsg(handle))) }
        rows.append(
          (0..<sqlite3_column_count(statement)).map { column in
            sqlite3_column_text(statement, column).map { String(cString: $0) }
          })
      }
    }
    return rows
  }
}
