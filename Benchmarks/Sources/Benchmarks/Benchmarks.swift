import Foundation
import RawSQLite

/// Prints the figures, each as a ratio to the same work done another way in the same run, since machines differ and are
/// noisy. Every job is run several times, in turn with what it is compared with, and the medians are compared.
///
///     Benchmarks [--rounds N] [--compiler PATH] [compiler] [generated] [check] [wire] [store] [fetch] [writing] [memory]
@main
struct Benchmarks {
  static func main() async throws {
    let arguments = Arguments(CommandLine.arguments.dropFirst())
    let folder = FileManager.default.temporaryDirectory.appending(path: "dflat-benchmarks-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { remove(folder) }
    if arguments.wants("compiler") {
      try CompilerBenchmark(compiler: arguments.compiler, folder: folder, rounds: arguments.rounds).run()
    }
    if arguments.wants("generated") {
      try GeneratedCodeBenchmark(compiler: arguments.compiler, folder: folder, rounds: arguments.rounds).run()
    }
    if arguments.wants("check") {
      try EvolutionBenchmark(compiler: arguments.compiler, folder: folder, rounds: arguments.rounds).run()
    }
    if arguments.wants("wire") {
      try WireFormatBenchmark(rounds: arguments.rounds).run()
    }
    if arguments.wants("memory") {
      try await MemoryBenchmark(folder: folder).run()
    }
    // From here on: what memory is given back is a part of the job before.
    raw_keep_memory()
    if arguments.wants("store") {
      try await StoreBenchmark(folder: folder, rounds: arguments.rounds).run()
    }
    if arguments.wants("fetch") {
      try await FetchBenchmark(folder: folder, rounds: arguments.rounds).run()
    }
    if arguments.wants("writing") {
      try await WritingBenchmark(folder: folder, rounds: arguments.rounds).run()
    }
  }

  private static func remove(_ folder: URL) {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      print("Could not remove \(folder.path): \(error)")
    }
  }
}

/// The command line.
struct Arguments {
  var rounds = 5
  var compiler = "../.build/release/dflatc"
  private var jobs: Set<String> = []

  init(_ arguments: some Sequence<String>) {
    var iterator = arguments.makeIterator()
    while let argument = iterator.next() {
      switch argument {
      case "--rounds": rounds = iterator.next().flatMap(Int.init) ?? rounds
      case "--compiler": compiler = iterator.next() ?? compiler
      default: jobs.insert(argument)
      }
    }
  }

  func wants(_ job: String) -> Bool { jobs.isEmpty || jobs.contains(job) }
}

/// Seconds that jobs took, by name, in the order in which they were first run.
struct Timings {
  private var seconds: [String: [Double]] = [:]

  /// Runs and times `body`.
  mutating func measure<T>(_ name: String, _ body: () throws -> T) rethrows -> T {
    let start = ContinuousClock.now
    let result = try body()
    record(name, ContinuousClock.now - start)
    return result
  }

  /// Runs and times `body`.
  mutating func measure<T>(_ name: String, _ body: () async throws -> T) async rethrows -> T {
    let start = ContinuousClock.now
    let result = try await body()
    record(name, ContinuousClock.now - start)
    return result
  }

  private mutating func record(_ name: String, _ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.seconds[name, default: []].append(Double(seconds) + Double(attoseconds) * 1e-18)
  }

  /// The median time of a job.
  func median(_ name: String) -> Double {
    let sorted = (seconds[name] ?? []).sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
  }

  /// Stands before the names of jobs that GRDB does.
  static let grdb = "GRDB: "

  /// Prints a job's median, and its ratio to another's; then GRDB's ratio to that, if it has done the job, too. The
  /// other is printed by its name, or as it is `called`.
  func report(_ name: String, to other: String, called: String? = nil) {
    var line = "  \(name): \(milliseconds(name)) ms, \(called ?? other): \(milliseconds(other)) ms"
    line += ", ratio \(ratio(name, to: other))"
    if seconds[Timings.grdb + name] != nil { line += ", GRDB \(ratio(Timings.grdb + name, to: other))" }
    print(line)
  }

  private func ratio(_ name: String, to other: String) -> String {
    String(format: "%.2f", median(name) / median(other))
  }

  func milliseconds(_ name: String) -> String { String(format: "%.1f", median(name) * 1000) }
}
