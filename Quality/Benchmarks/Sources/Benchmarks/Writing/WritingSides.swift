import Dflat
import Foundation
import GRDB
import RawSQLite
import SQLiteDflat

/// A job of writing, and what is stored when it is done.
struct WritingTask<Object: WrittenObject> {
  enum Job: String {
    case insert
    /// In a transaction for each object.
    case insertEach
    case update
    /// With a tag of another length, so that the objects change their size.
    case updateSize
    /// In a transaction for each object.
    case updateEach
    /// The same, and each waits until it is on the disk.
    case updateEachFull
    case delete

    /// Whether the job begins without a file, and opening one is a part of it.
    var makesFile: Bool { self == .insert || self == .insertEach }

    /// The most that its time may be, as a ratio to SQLite's C API.
    var reach: Double? {
      switch self {
      case .insert: 1.35
      case .insertEach: nil
      case .update, .updateSize: 1.6
      case .updateEach: 0.35
      case .updateEachFull: 0.1
      case .delete: 1.05
      }
    }

    /// Whether SQLite's C API locks the file, or waits for the disk, for each object.
    var dependsOnSystemCalls: Bool { self == .insertEach || self == .updateEach || self == .updateEachFull }
  }

  let job: Job
  /// Says which priorities an update gives, and none has before.
  let step: Int32
  let objects: [Object]
  /// The bytes of the objects, for SQLite's C API.
  let rows: RawRows

  init(_ job: Job, step: Int32, count: Int) throws {
    self.job = job
    self.step = step
    objects = (0..<(job == .delete ? 0 : count)).map { number in
      Object.sample(
        number, priority: job.makesFile ? Int32(number) : updatedPriority(number, step),
        tag: job == .updateSize ? resizedTag(number) : nil)
    }
    rows = try RawRows(objects, title: \.title, priority: \.priority)
  }

  var name: String {
    switch job {
    case .insert: "insert \(Object.plural), one transaction"
    case .insertEach: "insert \(Object.plural), a transaction each"
    case .update: "update \(Object.plural), one transaction"
    case .updateSize: "update \(Object.plural), one transaction, other size"
    case .updateEach: "update \(Object.plural), a transaction each"
    case .updateEachFull: "update \(Object.plural), a transaction each, full"
    case .delete: "delete \(Object.plural), one transaction"
    }
  }
}

/// One of those who are timed, with a file of its own.
protocol WritingSide<Object> {
  associatedtype Object: WrittenObject
  /// Stands before the names of the jobs that it does.
  static var label: String { get }
  var path: String { get }

  /// Opens the file, or makes one.
  func open(full: Bool) throws
  /// Reads the objects that are to be changed, or at least one row: the file is in use when a job begins.
  func prepare() throws
  func perform(_ task: WritingTask<Object>) async throws
  /// Whether what the task says is stored, and nothing else.
  func holds(_ task: WritingTask<Object>) throws -> Bool
  /// Closes the file, and has its log put into it.
  func close() async throws
}

extension Timings {
  /// Has a side do a task, times that, checks what it has stored, and closes its file.
  mutating func measure<Side: WritingSide>(_ task: WritingTask<Side.Object>, by side: Side) async throws {
    let name = Side.label + task.name
    if task.job.makesFile {
      // The store opens its file when it is first used, so that opening is timed for each side.
      try await measure(name) {
        try side.open(full: false)
        try await side.perform(task)
      }
    } else {
      try side.open(full: task.job == .updateEachFull)
      try side.prepare()
      try await measure(name) { try await side.perform(task) }
    }
    guard try side.holds(task) else {
      throw BenchmarkError(description: "\(name): it has not done what it was told to")
    }
    try await side.close()
  }
}

/// The store.
final class StoreSide<Object: WrittenObject>: WritingSide {
  static var label: String { "" }
  let path: String
  private var workspace: SQLiteWorkspace?
  private var stored = FetchedResult<Object>()

  init(path: String) {
    self.path = path
  }

  func open(full: Bool) {
    workspace = SQLiteWorkspace(
      filePath: path, fileProtectionLevel: .noProtection, synchronous: full ? .full : .normal)
  }

  func prepare() throws { stored = try opened().fetch(for: Object.self).all() }

  func perform(_ task: WritingTask<Object>) async throws {
    let workspace = try opened()
    let isDone =
      switch task.job {
      case .insert: await Object.insert(task.objects, into: workspace)
      case .insertEach: insertEach(task.objects, in: workspace)
      case .update: await Object.update(stored, task.step, in: workspace)
      case .updateSize: await Object.updateSize(stored, task.step, in: workspace)
      case .updateEach, .updateEachFull: updateEach(task.step, in: workspace)
      case .delete: await Object.delete(stored, in: workspace)
      }
    if !isDone { throw BenchmarkError(description: "the store does not store") }
  }

  // Whether each of them is stored shows when they are read again.

  private func insertEach(_ objects: [Object], in workspace: SQLiteWorkspace) -> Bool {
    Object.insertEach(objects, into: workspace)
    return true
  }

  private func updateEach(_ step: Int32, in workspace: SQLiteWorkspace) -> Bool {
    Object.updateEach(stored, step, in: workspace)
    return true
  }

  func holds(_ task: WritingTask<Object>) throws -> Bool {
    try Array(opened().fetch(for: Object.self).all()) == task.objects
  }

  func close() async throws {
    stored = FetchedResult()
    try await opened().shutdown()
    workspace = nil
  }

  private func opened() throws -> SQLiteWorkspace {
    guard let workspace else { throw BenchmarkError(description: "the store has not opened its file") }
    return workspace
  }
}

/// SQLite's C API.
final class RawSide<Object: WrittenObject>: WritingSide {
  static var label: String { "raw " }
  let path: String
  private var table = raw_table()
  private let count: Int32

  init(path: String, count: Int) {
    self.path = path
    self.count = Int32(count)
  }

  func open(full: Bool) throws {
    table = raw_open(path, Object.table, Object.hasIndex ? 1 : 0, full ? 1 : 0)
    if table.database == nil { throw BenchmarkError(description: "SQLite cannot open its file") }
  }

  func prepare() throws { try check(raw_touch(&table)) }

  func perform(_ task: WritingTask<Object>) throws {
    switch task.job {
    case .insert: try check(raw_insert(&table, task.rows.rows, count, 1))
    case .insertEach: try check(raw_insert(&table, task.rows.rows, count, 0))
    case .update, .updateSize: try check(raw_update(&table, task.rows.rows, count, 1))
    case .updateEach, .updateEachFull: try check(raw_update(&table, task.rows.rows, count, 0))
    case .delete: try check(raw_delete(&table, count))
    }
  }

  func holds(_ task: WritingTask<Object>) -> Bool {
    raw_holds(&table, task.rows.rows, Int32(task.rows.rows.count)) == 1
  }

  func close() {
    raw_close(table.database)
    table.database = nil
  }

  private func check(_ code: Int32) throws {
    if code != 0 { throw BenchmarkError(description: "SQLite cannot do its part (\(code))") }
  }
}

/// GRDB.
final class GRDBSide<Record: WrittenRecord>: WritingSide {
  static var label: String { Timings.grdb }
  let path: String
  private var pool: DatabasePool?
  private var stored: [Record] = []
  /// What is inserted: an app has its records.
  private let records: [Record]

  init(path: String, inserting objects: [Record.Object]) {
    self.path = path
    records = objects.map { Record($0) }
  }

  func open(full: Bool) throws { pool = try .benchmarked(path: path, full: full) }

  func prepare() throws { stored = try opened().read { try Record.fetchAll($0) } }

  func perform(_ task: WritingTask<Record.Object>) throws {
    switch task.job {
    case .insert: try Record.insert(records, into: opened())
    case .insertEach: try Record.insertEach(records, into: opened())
    case .update: try Record.update(&stored, task.step, in: opened())
    case .updateSize: try Record.updateSize(&stored, task.step, in: opened())
    case .updateEach, .updateEachFull: try Record.updateEach(&stored, task.step, in: opened())
    case .delete: try Record.delete(stored, in: opened())
    }
  }

  func holds(_ task: WritingTask<Record.Object>) throws -> Bool {
    try opened().read { try Record.fetchAll($0) }
      == task.objects.enumerated().map { number, object in
        var record = Record(object)
        record.id = Int64(number + 1)
        return record
      }
  }

  func close() throws {
    stored = []
    try opened().closeWithEmptyLog()
    pool = nil
  }

  private func opened() throws -> DatabasePool {
    guard let pool else { throw BenchmarkError(description: "GRDB has not opened its file") }
    return pool
  }
}
