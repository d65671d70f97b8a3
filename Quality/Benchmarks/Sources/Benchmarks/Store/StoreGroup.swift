import Foundation

/// The groups that depend on the memory policy.
enum StoreGroup: String {
  case store, fetch, writing

  func run(_ measurement: Measurement) async throws {
    guard let memory = measurement.memory else { return try runInProcesses(measurement) }
    memory.apply()
    switch self {
    case .store:
      try await StoreBenchmark(measurement, memory).run()
      try await OpeningBenchmark(measurement, memory).run()
    case .fetch:
      try await FetchBenchmark(measurement, memory).run()
      try await IndexFetchBenchmark(measurement, memory).run()
      try await TextFetchBenchmark(measurement, memory).run()
      try await TextIndexBenchmark(measurement, memory).run()
      try await DateFetchBenchmark(measurement, memory).run()
      try await FirstFetchBenchmark(measurement, memory).run()
    case .writing: try await WritingBenchmark(measurement, memory).run()
    }
  }

  /// Runs the group under each memory policy, in a process of its own. A quick run measures only what apps have.
  private func runInProcesses(_ measurement: Measurement) throws {
    for memory in measurement.extent == .quick ? [.released] : MemoryPolicy.available {
      // The process prints after what this one has printed.
      fflush(nil)
      var arguments = [rawValue, "--rounds", String(measurement.rounds), "--" + memory.option]
      if measurement.extent == .quick { arguments.append("--quick") }
      if let record = measurement.reporter.path { arguments += ["--record", record] }
      try launch(Benchmarks.program, arguments)
    }
  }
}
