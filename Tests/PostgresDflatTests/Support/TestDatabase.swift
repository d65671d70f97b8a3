import Dflat
import DflatEngine
import Dispatch
import EngineTestSupport
import Foundation
import TestSupport
import Testing

@testable import PostgresDflat

/// A workspace in a database of its own, which goes away with it.
final class TestDatabase: Sendable {
  let server: PostgresServer
  let name: String
  let workspace: PostgresWorkspace
  let errors = Collected<any Error>()
  private let reportsDelays: Bool

  private static let count = Locked(0)

  /// - Parameters:
  ///   - own: the server; nil for that which the tests share.
  ///   - reportsDelays: whether a stream of commits that begins late, or a long wait for a lock, is an error.
  ///   - configure: changes how the workspace uses the server.
  init(
    on own: PostgresServer? = nil, reportsDelays: Bool = false,
    _ configure: (inout PostgresOptions) -> Void = { _ in }
  ) throws {
    server = try own ?? PostgresServer.shared.get()
    self.reportsDelays = reportsDelays
    let number = TestDatabase.count.change { count in
      count += 1
      return count
    }
    name = "test\(number)"
    try server.psql("CREATE DATABASE \(name)")
    var options = PostgresOptions(connection: server.connection(to: name))
    configure(&options)
    workspace = PostgresWorkspace(options, errorHandler: TestDatabase.collecting(errors, reportsDelays: reportsDelays))
    workspace.waitForCallbacks()
  }

  /// An error handler that collects all errors but those of a stream of commits that begins late, and of a long wait for a lock. The
  /// stream begins once the transactions that other tests have open on the server have ended, which takes seconds on a busy machine.
  static func collecting(
    _ errors: Collected<any Error>, reportsDelays: Bool = false
  ) -> @Sendable (any Error) -> Void {
    { error in
      let message = (error as? PostgresError)?.message ?? ""
      let delays = ["the stream of commits has not begun after", "it still waits, after"]
      let isDelay = delays.contains { message.hasPrefix($0) }
      if reportsDelays || !isDelay { errors.append(error) }
    }
  }

  deinit {
    workspace.shutdown()
    // The server notices a moment later that who has observed the database is gone.
    if !eventually(within: 300, { (try? server.psql("DROP DATABASE \(name) WITH (FORCE)")) != nil }) {
      Issue.record("the database \(name) cannot be dropped")
    }
  }

  /// The error handler of workspaces in the database.
  var errorHandler: @Sendable (any Error) -> Void { Self.collecting(errors, reportsDelays: reportsDelays) }

  /// Another workspace in the same database, such as one of another process.
  func other(_ configure: (inout PostgresOptions) -> Void = { _ in }) -> PostgresWorkspace {
    var options = PostgresOptions(connection: server.connection(to: name))
    configure(&options)
    let workspace = PostgresWorkspace(options, errorHandler: errorHandler)
    workspace.waitForCallbacks()
    return workspace
  }

  /// Runs a transaction, waits for it, and checks how it completes.
  func perform(
    _ types: [Any.Type], in other: PostgresWorkspace? = nil, completing expected: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation, _ changes: @escaping (any TransactionContext) -> Void
  ) {
    let outcome = TestDatabase.perform(types, in: other ?? workspace, changes)
    #expect(outcome == expected, "\(errors.values)", sourceLocation: sourceLocation)
  }

  /// Runs a transaction, and waits for it.
  static func perform(
    _ types: [Any.Type], in workspace: any Workspace, _ changes: @escaping (any TransactionContext) -> Void
  ) -> Bool {
    let done = DispatchSemaphore(value: 0)
    let outcome = Locked(false)
    // The test waits until the closure has run, so what the closure uses is not used by two at once.
    nonisolated(unsafe) let changes = changes
    workspace.performChanges(types, changesHandler: { changes($0) }) {
      outcome.value = $0
      done.signal()
    }
    done.wait()
    return outcome.value
  }

  /// What plain SQL gives, a line for each row. Of several statements, psql 14 prints the rows of the last one only.
  @discardableResult
  func sql(_ sql: String) throws -> String { try server.psql(sql, in: name) }

  /// The rows of all statements of a script, a line for each.
  func runScript(_ script: String) throws -> String { try server.runScript(script, in: name) }
}

extension PostgresWorkspace {
  /// Has completions wait for callbacks, and for the error handler, for longer than any machine keeps a thread waiting.
  func waitForCallbacks() { core.completions.setLongestWait(.seconds(Int(patience))) }
}
