import Foundation

/// Prints the figures, each as a ratio to the same work done another way in the same run, since machines differ and are
/// noisy. Every job is run several times, in turn with what it is compared with, and the medians are compared.
///
///     Benchmarks [--rounds N] [--compiler PATH] [--keep-memory | --release-memory]
///       [compiler] [bad-input] [generated] [check] [dictionary] [wire] [matching [--svg PATH]] [memory] [observing] [store]
///       [fetch] [writing]
///
/// The group `matching` draws its figures in the file PATH, if it is given.
/// The groups `store`, `fetch` and `writing` are run once for each memory policy, or for the one that is given.
@main
struct Benchmarks {
  static func main() async throws {
    let arguments = Arguments(CommandLine.arguments.dropFirst())
    if let fetch = arguments.firstFetch {
      arguments.memory?.apply()
      return try await fetch.run()
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "dflat-benchmarks-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { remove(folder) }
    if arguments.wants("compiler") {
      try CompilerBenchmark(compiler: arguments.compiler, folder: folder, rounds: arguments.rounds).run()
    }
    if arguments.wants("bad-input") {
      try BadInputBenchmark(compiler: arguments.compiler, folder: folder, rounds: arguments.rounds).run()
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
    if arguments.wants("matching") {
      try MatchingBenchmark(rounds: arguments.rounds, svg: arguments.svg).run()
    }
    if arguments.wants("dictionary") {
      try await DictionaryBenchmark(folder: folder, rounds: arguments.rounds).run()
    }
    if arguments.wants("memory") {
      try await MemoryBenchmark(folder: folder).run()
    }
    if arguments.wants("observing") {
      try await ObservingBenchmark(folder: folder, rounds: arguments.rounds).run()
    }
    for group in StoreGroup.allCases where arguments.wants(group.rawValue) {
      if let memory = arguments.memory {
        memory.apply()
        try await group.run(folder: folder, rounds: arguments.rounds, memory: memory)
      } else {
        try group.runInProcesses(rounds: arguments.rounds)
      }
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
  /// The only memory policy to measure; nil when all are.
  var memory: MemoryPolicy?
  /// The file in which the group `matching` draws its figures.
  var svg: String?
  /// The one fetch that this process is started for.
  var firstFetch: FirstFetchBenchmark.Fetch?
  private var jobs: Set<String> = []

  init(_ arguments: some Sequence<String>) {
    var iterator = arguments.makeIterator()
    while let argument = iterator.next() {
      switch argument {
      case "--rounds": rounds = iterator.next().flatMap(Int.init) ?? rounds
      case "--compiler": compiler = iterator.next() ?? compiler
      case "--svg": svg = iterator.next()
      case FirstFetchBenchmark.Fetch.option:
        guard let side = iterator.next().flatMap(FirstFetchBenchmark.Fetch.Side.init), let path = iterator.next() else {
          break
        }
        firstFetch = .init(side: side, path: path)
      default:
        if let policy = MemoryPolicy(option: argument) {
          memory = policy
        } else {
          jobs.insert(argument)
        }
      }
    }
  }

  /// The path of this program.
  static var program: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }

  func wants(_ job: String) -> Bool { jobs.isEmpty || jobs.contains(job) }
}
