import Foundation

/// Inserting from four threads, each into a table of its own in the same file, beside SQLite's C API and GRDB; then
/// deleting.
struct FourThreadsBenchmark {
  private let measurement: Measurement
  private let memory: MemoryPolicy
  private let count: Int

  init(_ measurement: Measurement, _ memory: MemoryPolicy, count: Int) {
    self.measurement = measurement
    self.memory = memory
    self.count = count
  }

  func run() async throws {
    let insertion = try LineInsertion(folder: measurement.folder, threads: 4, count: count)
    let deletion = FourThreadsDeletion(count: count)
    let inserting = "insert from four threads, four types"
    let deleting = FourThreadsDeletion.job
    var timings = Timings(.threads, memory)
    for round in 0..<measurement.rounds {
      try await insertion.run(inserting, round, isBesideGRDB: measurement.isBesideGRDB, &timings)
      try deletion.raw(insertion.path(.raw, round), &timings)
      try await deletion.store(insertion.path(.store, round), &timings)
      if measurement.isBesideGRDB { try deletion.grdb(insertion.path(.grdb, round), &timings) }
    }
    try measurement.reporter.add(timings.row(inserting, to: "raw \(inserting)", called: "raw", reach: 1.35))
    try measurement.reporter.add(timings.row(deleting, to: "raw \(deleting)", called: "raw", reach: 1.05))
  }
}
