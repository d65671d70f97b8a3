import Dflat
import Foundation
import SQLiteDflat

/// How long it takes to open a store that is not there yet, and to store the first object in it: a temporary one, beside one in a file of
/// the app's.
struct OpeningBenchmark {
  private let folder: URL
  private let rounds: Int
  private let memory: MemoryPolicy
  private let reporter: Reporter
  private static let temporary = "open a temporary store, and store an object"
  private static let ordinary = "open a new file, and store an object"
  /// How often each side opens a store in a round: once takes a millisecond or two.
  private static let turns = 20

  init(_ measurement: Measurement, _ memory: MemoryPolicy) {
    folder = measurement.folder
    rounds = measurement.rounds
    reporter = measurement.reporter
    self.memory = memory
  }

  func run() async throws {
    var timings = Timings(.crud, memory)
    for round in 0..<rounds {
      for turn in 0..<Self.turns {
        let path = folder.appending(path: "new-\(round)-\(turn).sqlite3").path
        try await open(Self.ordinary, &timings) {
          SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
        }
        try await open(Self.temporary, &timings) { SQLiteWorkspace.temporary() }
      }
    }
    try reporter.add(timings.row(Self.temporary, to: Self.ordinary, reach: 1.2))
  }

  private func open(_ job: String, _ timings: inout Timings, _ workspace: () -> SQLiteWorkspace) async throws {
    let start = ContinuousClock.now
    let workspace = workspace()
    let isStored = await Post.insert([Post.sample(0, priority: 0)], into: workspace)
    timings.record(job, ContinuousClock.now - start)
    await workspace.shutdown()
    guard isStored else { throw BenchmarkError(description: "the object cannot be stored") }
  }
}
