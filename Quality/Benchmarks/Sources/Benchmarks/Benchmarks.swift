import ArgumentParser
import Foundation

/// Prints figures, and writes a report of them.
@main
struct Benchmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure dflat beside others that do the same work in the same run.",
    discussion: """
      Figures are ratios, since machines differ and are noisy. Every job is run several times, in turn with what it is compared \
      with.

      GROUPS:
      \(Group.allCases.map { "  " + $0.rawValue.padding(toLength: 14, withPad: " ", startingAt: 0) + $0.abstract }
        .joined(separator: "\n"))
      """)

  @Argument(help: ArgumentHelp("What to measure; without it, all groups but `package`.", valueName: "group"))
  var groups: [Group] = []

  @Option(help: "How often each job is run.")
  var rounds: Int?

  @Flag(help: "Measure what takes less than two minutes in all: the main jobs, with fewer rounds.")
  var quick = false

  @Option(help: ArgumentHelp("The dflatc to measure.", valueName: "path"))
  var compiler = "../../.build/release/dflatc"

  @Option(help: ArgumentHelp("Write REPORT.md and its plots into this folder.", valueName: "folder"))
  var report: String?

  @Option(help: ArgumentHelp("Draw what the group matching measures into this file.", valueName: "path"))
  var svg: String?

  @Flag(help: "Measure under one memory policy only. Without it, the groups that depend on it are run under each.")
  var memory: MemoryPolicy?

  /// For processes that a run starts for one group.
  @Option(help: .hidden)
  var record: String?

  /// For processes that make one fetch and end.
  @Option(help: .hidden)
  var firstFetch: FirstFetchBenchmark.Fetch.Side?

  @Option(help: .hidden)
  var file: String?

  func validate() throws {
    if let rounds, rounds < 1 { throw ValidationError("--rounds \(rounds) would measure nothing. Give it 1 or more.") }
  }

  func run() async throws {
    if let firstFetch, let file {
      memory?.apply()
      return try await FirstFetchBenchmark.Fetch(side: firstFetch, path: file).run()
    }
    let chosen = groups.isEmpty ? Group.allCases.filter { quick ? $0.isQuick : !$0.isOnlyByName } : groups
    if report != nil || chosen.contains(where: \.usesCompiler) { try findCompiler() }
    let folder = FileManager.default.temporaryDirectory.appending(path: "dflat-benchmarks-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { remove(folder) }
    let record = record ?? report.map { _ in folder.appending(path: "figures.jsonl").path }
    let measurement = try Measurement(
      folder: folder, extent: quick ? .quick : .full, rounds: rounds ?? (quick ? 3 : 5), compiler: compiler,
      memory: memory, svg: svg, reporter: Reporter(appendingTo: record))
    guard let report, let record else {
      for group in chosen { try await group.run(measurement) }
      return
    }
    let machine = try Machine(compiler: compiler, folder: folder)
    let use = ProcessorUse()
    for group in chosen { try await group.run(measurement) }
    let document = ReportDocument(
      machine: machine, othersUse: use.shareOfOthers(), isQuick: quick, rounds: measurement.rounds,
      records: try Reporter.records(at: record))
    let place = URL(fileURLWithPath: report)
    try document.write(to: place)
    print("The report is \(place.appending(path: "REPORT.md").path).")
  }

  private func findCompiler() throws {
    guard !FileManager.default.isExecutableFile(atPath: compiler) else { return }
    let path = URL(fileURLWithPath: compiler).standardizedFileURL.path
    throw ValidationError(
      "There is no dflatc at \(path). 'swift build -c release --product dflatc' builds it; --compiler names another.")
  }

  private func remove(_ folder: URL) {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      print("Could not remove \(folder.path): \(error)")
    }
  }

  /// The path of this program.
  static var program: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }
}

extension MemoryPolicy: EnumerableFlag {
  static func name(for value: MemoryPolicy) -> NameSpecification { .customLong(value.option) }
}

extension FirstFetchBenchmark.Fetch.Side: ExpressibleByArgument {}
