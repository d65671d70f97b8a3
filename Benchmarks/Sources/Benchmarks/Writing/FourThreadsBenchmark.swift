import Dflat
import Dispatch
import Foundation
import GRDB
import RawSQLite
import SQLiteDflat

/// Inserting from four threads, each into a table of its own in the same file, beside SQLite's C API and GRDB; then
/// deleting. Each side begins to insert without a file, and opening it is timed; closing it is not.
struct FourThreadsBenchmark {
  let folder: URL
  let rounds: Int
  let memory: MemoryPolicy
  let count: Int
  private let job = "insert from four threads, four types"

  func run() async throws {
    let lines = (0..<count).map { LineA(title: "line number \($0)", tag: "tag \($0 % 100)", priority: Int32($0)) }
    let rows = try RawRows(lines, title: \.title, priority: \.priority)
    let deletion = FourThreadsDeletion(count: count)
    var timings = Timings(memory)
    for round in 0..<rounds {
      try raw(rows.rows, path("raw", round), &timings)
      try await store(path("store", round), &timings)
      try grdb(path("grdb", round), &timings)
      try deletion.raw(path("raw", round), &timings)
      try await deletion.store(path("store", round), &timings)
      try deletion.grdb(path("grdb", round), &timings)
    }
    for job in [job, FourThreadsDeletion.job] { timings.report(job, to: "raw \(job)", called: "raw") }
  }

  private func path(_ name: String, _ round: Int) -> String {
    folder.appending(path: "lines-\(name)-\(round).sqlite3").path
  }

  private func raw(_ rows: [raw_row], _ path: String, _ timings: inout Timings) throws {
    var databases: [UnsafeMutableRawPointer?] = Array(repeating: nil, count: 4)
    let code = timings.measure("raw \(job)") {
      raw_insert_from_threads(path, rows, Int32(count), Int32(databases.count), &databases)
    }
    for database in databases { raw_close(database) }
    guard code == 0 else { throw BenchmarkError(description: "SQLite cannot do its part (\(code))") }
    for number in databases.indices {
      var table = raw_open(path, "line\(number)", 0, 0)
      defer { raw_close(table.database) }
      guard table.database != nil, raw_holds(&table, rows, Int32(rows.count)) == 1 else {
        throw BenchmarkError(description: "SQLite did not keep what was inserted")
      }
    }
  }

  private func store(_ path: String, _ timings: inout Timings) async throws {
    let objects = (0..<count).map { number in
      (title: "line number \(number)", tag: "tag \(number % 100)", priority: Int32(number))
    }
    let a = objects.map { LineA(title: $0.title, tag: $0.tag, priority: $0.priority) }
    let b = objects.map { LineB(title: $0.title, tag: $0.tag, priority: $0.priority) }
    let c = objects.map { LineC(title: $0.title, tag: $0.tag, priority: $0.priority) }
    let d = objects.map { LineD(title: $0.title, tag: $0.tag, priority: $0.priority) }
    let done = DispatchGroup()
    let workspace = timings.measure(job) {
      let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        done.enter()
        let completion: @Sendable (Bool) -> Void = { _ in done.leave() }
        switch thread {
        case 0:
          workspace.performChanges([LineA.self]) { transaction in
            for line in a { transaction.try(submit: LineAChangeRequest.creationRequest(line)) }
          } completionHandler: {
            completion($0)
          }
        case 1:
          workspace.performChanges([LineB.self]) { transaction in
            for line in b { transaction.try(submit: LineBChangeRequest.creationRequest(line)) }
          } completionHandler: {
            completion($0)
          }
        case 2:
          workspace.performChanges([LineC.self]) { transaction in
            for line in c { transaction.try(submit: LineCChangeRequest.creationRequest(line)) }
          } completionHandler: {
            completion($0)
          }
        default:
          workspace.performChanges([LineD.self]) { transaction in
            for line in d { transaction.try(submit: LineDChangeRequest.creationRequest(line)) }
          } completionHandler: {
            completion($0)
          }
        }
      }
      done.wait()
      return workspace
    }
    guard Array(workspace.fetch(for: LineA.self).all()) == a, Array(workspace.fetch(for: LineB.self).all()) == b,
      Array(workspace.fetch(for: LineC.self).all()) == c, Array(workspace.fetch(for: LineD.self).all()) == d
    else { throw BenchmarkError(description: "the store did not keep what was inserted") }
    await workspace.shutdown()
  }

  private func grdb(_ path: String, _ timings: inout Timings) throws {
    let numbers = 0..<count
    let inserts: [@Sendable (DatabasePool) throws -> Void] = [
      inserting(numbers.map { GRDBLine<GRDBLineTagA>($0) }),
      inserting(numbers.map { GRDBLine<GRDBLineTagB>($0) }),
      inserting(numbers.map { GRDBLine<GRDBLineTagC>($0) }),
      inserting(numbers.map { GRDBLine<GRDBLineTagD>($0) }),
    ]
    let pool = try timings.measure(Timings.grdb + job) {
      let pool = try DatabasePool.benchmarked(path: path)
      DispatchQueue.concurrentPerform(iterations: inserts.count) { thread in
        do {
          try inserts[thread](pool)
        } catch {
          print("GRDB cannot insert: \(error)")
        }
      }
      return pool
    }
    for table in [GRDBLineTagA.table, GRDBLineTagB.table, GRDBLineTagC.table, GRDBLineTagD.table] {
      guard try pool.read({ try Table(table).fetchCount($0) }) == count else {
        throw BenchmarkError(description: "GRDB did not keep what was inserted")
      }
    }
    try pool.closeWithEmptyLog()
  }

  private func inserting<Tag: GRDBLineTag>(_ lines: [GRDBLine<Tag>]) -> @Sendable (DatabasePool) throws -> Void {
    { pool in
      try pool.write { database in
        try GRDBLine<Tag>.createTable(in: database)
        for var line in lines { try line.insert(database) }
      }
    }
  }
}
