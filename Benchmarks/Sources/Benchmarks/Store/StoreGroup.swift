import Foundation

/// The groups of rows that depend on the memory policy.
enum StoreGroup: String, CaseIterable {
  case store, fetch, writing

  func run(folder: URL, rounds: Int, memory: MemoryPolicy) async throws {
    switch self {
    case .store: try await StoreBenchmark(folder: folder, rounds: rounds, memory: memory).run()
    case .fetch:
      try await FetchBenchmark(folder: folder, rounds: rounds, memory: memory).run()
      try await FirstFetchBenchmark(folder: folder, rounds: rounds, memory: memory).run()
    case .writing: try await WritingBenchmark(folder: folder, rounds: rounds, memory: memory).run()
    }
  }

  /// Runs the group under each memory policy, in a process of its own.
  func runInProcesses(rounds: Int) throws {
    for memory in MemoryPolicy.available {
      // The process prints after what this one has printed.
      fflush(nil)
      try launch(Arguments.program, [rawValue, "--rounds", String(rounds), memory.option])
    }
  }
}
