import Dflat
import Dispatch
import Foundation
import GRDB
import RawSQLite
import SQLiteDflat

/// Inserting from up to four threads, each into a table of its own in the same file, by the store, SQLite's C API and GRDB. Each
/// side begins without a file, and opening it is timed; closing it is not.
struct LineInsertion {
  let folder: URL
  let threads: Int
  /// How many objects each thread inserts.
  let count: Int
  private let rows: RawRows

  init(folder: URL, threads: Int, count: Int) throws {
    precondition((1...4).contains(threads), "there are four types of lines")
    self.folder = folder
    self.threads = threads
    self.count = count
    let lines = (0..<count).map { LineA(title: "line number \($0)", tag: "tag \($0 % 100)", priority: Int32($0)) }
    rows = try RawRows(lines, title: \.title, priority: \.priority)
  }

  /// The file that a side has made in a round.
  func path(_ side: Side, _ round: Int) -> String {
    folder.appending(path: "lines-\(threads)-\(side)-\(round).sqlite3").path
  }

  enum Side { case raw, store, grdb }

  /// Has each side do the work once.
  func run(_ job: String, _ round: Int, isBesideGRDB: Bool = true, _ timings: inout Timings) async throws {
    try raw(job, path(.raw, round), &timings)
    try await store(job, path(.store, round), &timings)
    if isBesideGRDB { try grdb(job, path(.grdb, round), &timings) }
  }

  private func raw(_ job: String, _ path: String, _ timings: inout Timings) throws {
    var databases: [UnsafeMutableRawPointer?] = Array(repeating: nil, count: threads)
    let code = timings.measure("raw \(job)") {
      raw_insert_from_threads(path, rows.rows, Int32(count), Int32(databases.count), &databases)
    }
    for database in databases { raw_close(database) }
    guard code == 0 else { throw BenchmarkError(description: "SQLite cannot do its part (\(code))") }
    for number in databases.indices {
      var table = raw_open(path, "line\(number)", 0, 0)
      defer { raw_close(table.database) }
      guard table.database != nil, raw_holds(&table, rows.rows, Int32(count)) == 1 else {
        throw BenchmarkError(description: "SQLite did not keep what was inserted")
      }
    }
  }

  private func store(_ job: String, _ path: String, _ timings: inout Timings) async throws {
    let lines = (0..<threads).map { StoredLines(type: $0, count: count) }
    let done = DispatchGroup()
    let workspace = timings.measure(job) {
      let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
      performOnThreads(threads) { thread in
        done.enter()
        lines[thread].insert(workspace) { _ in done.leave() }
      }
      done.wait()
      return workspace
    }
    guard lines.allSatisfy({ $0.areStored(workspace) }) else {
      throw BenchmarkError(description: "the store did not keep what was inserted")
    }
    await workspace.shutdown()
  }

  private func grdb(_ job: String, _ path: String, _ timings: inout Timings) throws {
    let lines = (0..<threads).map { GRDBLines(type: $0, count: count) }
    let pool = try timings.measure(Timings.grdb + job) {
      let pool = try DatabasePool.benchmarked(path: path)
      performOnThreads(threads) { thread in
        do {
          try lines[thread].insert(pool)
        } catch {
          print("GRDB cannot insert: \(error)")
        }
      }
      return pool
    }
    for table in lines.map(\.table) {
      guard try pool.read({ try Table(table).fetchCount($0) }) == count else {
        throw BenchmarkError(description: "GRDB did not keep what was inserted")
      }
    }
    try pool.closeWithEmptyLog()
  }
}

/// Objects of one of the four types of lines.
private struct StoredLines: Sendable {
  let insert: @Sendable (SQLiteWorkspace, @escaping @Sendable (Bool) -> Void) -> Void
  let areStored: @Sendable (SQLiteWorkspace) -> Bool

  init(type: Int, count: Int) {
    func make<Line>(_ line: (_ title: String, _ tag: String, _ priority: Int32) -> Line) -> [Line] {
      (0..<count).map { line("line number \($0)", "tag \($0 % 100)", Int32($0)) }
    }
    switch type {
    case 0:
      let lines = make { LineA(title: $0, tag: $1, priority: $2) }
      insert = { workspace, completion in
        workspace.performChanges([LineA.self]) { transaction in
          for line in lines { transaction.try(submit: LineAChangeRequest.creationRequest(line)) }
        } completionHandler: {
          completion($0)
        }
      }
      areStored = { Array($0.fetch(for: LineA.self).all()) == lines }
    case 1:
      let lines = make { LineB(title: $0, tag: $1, priority: $2) }
      insert = { workspace, completion in
        workspace.performChanges([LineB.self]) { transaction in
          for line in lines { transaction.try(submit: LineBChangeRequest.creationRequest(line)) }
        } completionHandler: {
          completion($0)
        }
      }
      areStored = { Array($0.fetch(for: LineB.self).all()) == lines }
    case 2:
      let lines = make { LineC(title: $0, tag: $1, priority: $2) }
      insert = { workspace, completion in
        workspace.performChanges([LineC.self]) { transaction in
          for line in lines { transaction.try(submit: LineCChangeRequest.creationRequest(line)) }
        } completionHandler: {
          completion($0)
        }
      }
      areStored = { Array($0.fetch(for: LineC.self).all()) == lines }
    default:
      let lines = make { LineD(title: $0, tag: $1, priority: $2) }
      insert = { workspace, completion in
        workspace.performChanges([LineD.self]) { transaction in
          for line in lines { transaction.try(submit: LineDChangeRequest.creationRequest(line)) }
        } completionHandler: {
          completion($0)
        }
      }
      areStored = { Array($0.fetch(for: LineD.self).all()) == lines }
    }
  }
}

/// The same for GRDB.
private struct GRDBLines: Sendable {
  let table: String
  let insert: @Sendable (DatabasePool) throws -> Void

  init(type: Int, count: Int) {
    switch type {
    case 0: self.init(GRDBLineTagA.self, count)
    case 1: self.init(GRDBLineTagB.self, count)
    case 2: self.init(GRDBLineTagC.self, count)
    default: self.init(GRDBLineTagD.self, count)
    }
  }

  private init<Tag: GRDBLineTag>(_ tag: Tag.Type, _ count: Int) {
    table = tag.table
    let lines = (0..<count).map { GRDBLine<Tag>($0) }
    insert = { pool in
      try pool.write { database in
        try GRDBLine<Tag>.createTable(in: database)
        for var line in lines { try line.insert(database) }
      }
    }
  }
}
