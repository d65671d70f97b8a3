import Foundation

/// Inserting from four threads, each into a table of its own in the same file, beside SQLite's C API and GRDB; then
/// deleting.
struct FourThreadsBenchmark {
  let folder: URL
  let rounds: Int
  let memory: MemoryPolicy
  let reporter: Reporter
  let count: Int

  func run() async throws {
    let insertion = try LineInsertion(folder: folder, threads: 4, count: count)
    let deletion = FourThreadsDeletion(count: count)
    let inserting = "insert from four threads, four types"
    let deleting = FourThreadsDeletion.job
    var timings = Timings(.threads, memory)
    for round in 0..<rounds {
      try await insertion.run(inserting, round, &timings)
      try deletion.raw(insertion.path(.raw, round), &timings)
      try await deletion.store(insertion.path(.store, round), &timings)
      try deletion.grdb(insertion.path(.grdb, round), &timings)
    }
    try reporter.add(timings.row(inserting, to: "raw \(inserting)", called: "raw", reach: 1.2))
    try reporter.add(timings.row(deleting, to: "raw \(deleting)", called: "raw", reach: 0.75))
  }
}
