import Dflat
import Dispatch
import GRDB
import RawSQLite
import SQLiteDflat

/// Deleting from four threads what `FourThreadsBenchmark` has inserted.
///
/// Each side begins with a file that was closed and is opened again, and has read what it deletes. That is not timed.
struct FourThreadsDeletion {
  let count: Int
  static let job = "delete from four threads, four types"
  private var job: String { Self.job }

  init(count: Int) {
    self.count = count
  }

  func raw(_ path: String, _ timings: inout Timings) throws {
    var tables = (0..<4).map { raw_open(path, "line\($0)", 0, 0) }
    defer {
      for table in tables { raw_close(table.database) }
    }
    for index in tables.indices {
      guard tables[index].database != nil, raw_touch(&tables[index]) == 0 else {
        throw BenchmarkError(description: "SQLite cannot read what was inserted")
      }
    }
    let code = timings.measure("raw \(job)") { raw_delete_from_threads(tables, Int32(count), Int32(tables.count)) }
    guard code == 0 else { throw BenchmarkError(description: "SQLite cannot do its part (\(code))") }
    for index in tables.indices {
      guard raw_holds(&tables[index], nil, 0) == 1 else {
        throw BenchmarkError(description: "SQLite kept what was deleted")
      }
    }
  }

  func store(_ path: String, _ timings: inout Timings) async throws {
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    let a = workspace.fetch(for: LineA.self).all()
    let b = workspace.fetch(for: LineB.self).all()
    let c = workspace.fetch(for: LineC.self).all()
    let d = workspace.fetch(for: LineD.self).all()
    guard [a.count, b.count, c.count, d.count] == [count, count, count, count] else {
      throw BenchmarkError(description: "the store cannot read what was inserted")
    }
    let done = DispatchGroup()
    timings.measure(job) {
      performOnThreads(4) { thread in
        done.enter()
        let completion: @Sendable (Bool) -> Void = { _ in done.leave() }
        switch thread {
        case 0:
          workspace.performChanges([LineA.self]) { transaction in
            for line in a {
              guard let request = LineAChangeRequest.deletionRequest(line) else { continue }
              transaction.try(submit: request)
            }
          } completionHandler: {
            completion($0)
          }
        case 1:
          workspace.performChanges([LineB.self]) { transaction in
            for line in b {
              guard let request = LineBChangeRequest.deletionRequest(line) else { continue }
              transaction.try(submit: request)
            }
          } completionHandler: {
            completion($0)
          }
        case 2:
          workspace.performChanges([LineC.self]) { transaction in
            for line in c {
              guard let request = LineCChangeRequest.deletionRequest(line) else { continue }
              transaction.try(submit: request)
            }
          } completionHandler: {
            completion($0)
          }
        default:
          workspace.performChanges([LineD.self]) { transaction in
            for line in d {
              guard let request = LineDChangeRequest.deletionRequest(line) else { continue }
              transaction.try(submit: request)
            }
          } completionHandler: {
            completion($0)
          }
        }
      }
      done.wait()
    }
    guard workspace.fetch(for: LineA.self).all().isEmpty, workspace.fetch(for: LineB.self).all().isEmpty,
      workspace.fetch(for: LineC.self).all().isEmpty, workspace.fetch(for: LineD.self).all().isEmpty
    else { throw BenchmarkError(description: "the store kept what was deleted") }
    await workspace.shutdown()
  }

  func grdb(_ path: String, _ timings: inout Timings) throws {
    let pool = try DatabasePool.benchmarked(path: path)
    let deletions: [@Sendable (DatabasePool) throws -> Void] = [
      deleting(try pool.read { try GRDBLine<GRDBLineTagA>.fetchAll($0) }),
      deleting(try pool.read { try GRDBLine<GRDBLineTagB>.fetchAll($0) }),
      deleting(try pool.read { try GRDBLine<GRDBLineTagC>.fetchAll($0) }),
      deleting(try pool.read { try GRDBLine<GRDBLineTagD>.fetchAll($0) }),
    ]
    timings.measure(Timings.grdb + job) {
      performOnThreads(deletions.count) { thread in
        do {
          try deletions[thread](pool)
        } catch {
          print("GRDB cannot delete: \(error)")
        }
      }
    }
    for table in [GRDBLineTagA.table, GRDBLineTagB.table, GRDBLineTagC.table, GRDBLineTagD.table] {
      guard try pool.read({ try Table(table).fetchCount($0) }) == 0 else {
        throw BenchmarkError(description: "GRDB kept what was deleted")
      }
    }
    try pool.close()
  }

  private func deleting<Tag: GRDBLineTag>(_ lines: [GRDBLine<Tag>]) -> @Sendable (DatabasePool) throws -> Void {
    { pool in
      try pool.write { database in
        for line in lines { _ = try line.delete(database) }
      }
    }
  }
}
