import Foundation

/// Inserting, updating and deleting through the store, beside the SQLite C API doing the same with the same bytes, and
/// GRDB with records of its own.
///
/// What a job takes must not depend on those before it, such as by the log that they left behind, which may have to be
/// put into the file. So each begins with a file that was closed, which has put its log into it, and was opened again and
/// read from; only inserting begins without one, and opening it is timed.
struct WritingBenchmark {
  private let measurement: Measurement
  private let memory: MemoryPolicy
  private let count = 10_000

  init(_ measurement: Measurement, _ memory: MemoryPolicy) {
    self.measurement = measurement
    self.memory = memory
  }

  func run() async throws {
    let others = "SQLite's C API" + (measurement.isBesideGRDB ? " and GRDB" : "")
    measurement.reporter.print("writing: \(count) objects of a kind, beside \(others); \(memory.label)")
    try await time(GRDBDoc.self, [.insert, .update, .updateEach, .updateEachFull, .delete])
    try await time(GRDBDoc.self, [.updateSize], after: .insert)
    try await time(GRDBDoc.self, [.insertEach])
    try await time(GRDBPost.self, [.insert, .update, .updateEach, .delete])
    try await time(GRDBPost.self, [.updateSize], after: .insert)
    try await time(GRDBPost.self, [.insertEach])
    try await FourThreadsBenchmark(measurement, memory, count: count).run()
  }

  /// Times jobs in turn on one file for each side, and prints a row for each. The job `first` makes the file for them, and
  /// has no row.
  private func time<Record: WrittenRecord>(
    _: Record.Type, _ jobs: [WritingTask<Record.Object>.Job], after first: WritingTask<Record.Object>.Job? = nil
  ) async throws {
    let tasks = try ((first.map { [$0] } ?? []) + jobs).enumerated().map { step, job in
      try WritingTask<Record.Object>(job, step: Int32(step), count: count)
    }
    let series = Record.Object.table + "-" + jobs.map(\.rawValue).joined(separator: "-")
    var timings = Timings(.crud, memory)
    for round in 0..<measurement.rounds {
      let raw = RawSide<Record.Object>(path: path("raw-\(series)", round), count: count)
      let store = StoreSide<Record.Object>(path: path("store-\(series)", round))
      let grdb =
        measurement.isBesideGRDB
        ? GRDBSide<Record>(path: path("grdb-\(series)", round), inserting: tasks[0].objects) : nil
      for task in tasks {
        try await time(task, raw, &timings)
        try await time(task, store, &timings)
        if let grdb { try await time(task, grdb, &timings) }
      }
    }
    for task in tasks where task.job != first {
      try measurement.reporter.add(
        timings.row(
          task.name, to: "raw \(task.name)", called: "raw", reach: task.job.reach,
          dependsOnSystemCalls: task.job.dependsOnSystemCalls))
    }
  }

  private func path(_ name: String, _ round: Int) -> String {
    measurement.folder.appending(path: "writing-\(name)-\(round).sqlite3").path
  }

  private func time<Side: WritingSide>(
    _ task: WritingTask<Side.Object>, _ side: Side, _ timings: inout Timings
  ) async throws {
    try await timings.measure(task, by: side)
    let log = URL(fileURLWithPath: side.path + "-wal")
    guard try !FileManager.default.fileExists(atPath: log.path) || Data(contentsOf: log).isEmpty else {
      throw BenchmarkError(description: "\(Side.label + task.name): there is a log after all is closed")
    }
  }
}
