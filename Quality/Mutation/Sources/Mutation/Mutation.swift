import ArgumentParser
import Foundation
import Synchronization

@main
struct Mutation: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Break the package in many small ways, and say which no test notices.",
    discussion: """
      Comparisons are moved or reversed, conditions negated, statements skipped, numbers off by one, locks not taken. All \
      mutants are built at once into a copy of the package, each behind a switch. Every suite of tests is run once, to see \
      what it reaches; then, for each mutant, those that reach it.

      Exit codes: 0 all are noticed or explained, 1 some are not, 64 wrong usage, and others when the package does not build.
      """)

  @Option(help: "How many mutants.")
  var mutants = 100

  @Option(help: "Where the choice of mutants begins: printed, so that a run can be repeated.")
  var seed = Int(Date().timeIntervalSince1970)

  @Option(parsing: .upToNextOption, help: "The files and folders to break.")
  var paths = ["Sources"]

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("The modules whose tests are run; all without it.", valueName: "module"))
  var tests: [String] = []

  @Option(parsing: .upToNextOption, help: ArgumentHelp("Which kinds of mutants; all without it.", valueName: "kind"))
  var kinds: [Mutant.Kind] = []

  @Option(help: "Build with a sanitizer: `thread` notices locks that are not taken.")
  var sanitize: Sanitizer?

  @Option(help: "For how many seconds of tests a mutant has to survive.")
  var patience = 120.0

  @Option(help: "How many tests run at once.")
  var workers = max(1, ProcessInfo.processInfo.activeProcessorCount)

  @Option(help: "The folder for the copy.")
  var folder = ".build-mutation"

  @Option(help: "A page with explanations of mutants that no test can notice.")
  var page = "Documentation/mutation.md"

  @Option(help: "A page that gets the table, between the lines <!-- mutation --> and <!-- end of mutation -->.")
  var record: String?

  @Flag(help: "Name the mutants, and do nothing.")
  var list = false

  func validate() throws {
    if mutants < 1 { throw ValidationError("--mutants \(mutants) would break nothing. Give it 1 or more.") }
    if workers < 1 { throw ValidationError("--workers \(workers) would run nothing. Give it 1 or more.") }
  }

  func run() throws {
    let package = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
    let tree = MutatedTree(
      package: package, folder: URL(fileURLWithPath: folder).standardizedFileURL, sanitizer: sanitize)
    let chosen = try choose(tree, package)
    if list {
      for mutant in chosen { print("\(mutant.place): \(mutant.kind.rawValue), \(mutant.change)\n    \(mutant.text)") }
      return
    }
    let recorded = try record.map { try RecordedRun(page: $0, package: package) }
    say("seed \(seed), \(chosen.count) mutants")
    let built = try tree.build(chosen, progress: say)
    let suites = TestSuites(program: tree.tests, folder: tree.folder, isSanitized: sanitize != nil)
    let measured = try measure(suites, mutants: chosen.count)
    let report = Report(
      seed: seed, verdicts: try judge(built, suites, measured),
      explanations: try FileManager.default.fileExists(atPath: page)
        ? Explanations(page: String(contentsOfFile: page, encoding: .utf8)) : Explanations())
    print("\n\(report.summary)\n\n\(report.table)")
    try recorded?.write(report, of: paths, patience: patience)
    if !report.open.isEmpty { print("\nTo be noticed by a test, or explained in \(page):") }
    for (mutant, verdict) in report.open { print(Report.line(mutant, verdict)) }
    if !report.open.isEmpty { throw ExitCode(1) }
  }

  private func say(_ text: String) {
    // Where nobody can read it, nothing is lost.
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }

  /// Mutants of all kinds in turn, so that a kind with many places does not leave the others out.
  private func choose(_ tree: MutatedTree, _ package: URL) throws -> [Mutant] {
    var random = SeededGenerator(seed: seed)
    var waiting: [Mutant.Kind: [Mutant]] = [:]
    for path in try tree.sources(below: paths) {
      let text = try String(contentsOf: package.appendingPathComponent(path), encoding: .utf8)
      for mutant in MutantFinder.mutants(in: text, path: path) where kinds.isEmpty || kinds.contains(mutant.kind) {
        waiting[mutant.kind, default: []].append(mutant)
      }
    }
    guard !waiting.isEmpty else {
      throw ValidationError("There is nothing to break in \(paths.joined(separator: ", ")).")
    }
    for kind in Mutant.Kind.allCases { waiting[kind]?.shuffle(using: &random) }
    // One of a line, so that no two overlap.
    var (lines, chosen) = (Set<String>(), [Mutant]())
    while chosen.count < mutants, waiting.values.contains(where: { !$0.isEmpty }) {
      for kind in Mutant.Kind.allCases {
        guard chosen.count < mutants, let mutant = waiting[kind]?.popLast() else { continue }
        if lines.insert(mutant.place).inserted { chosen.append(mutant) }
      }
    }
    return chosen
  }

  private func measure(_ suites: TestSuites, mutants: Int) throws -> [TestSuite] {
    let all = try suites.all(of: tests)
    guard !all.isEmpty else { throw ValidationError("There are no tests in \(tests.joined(separator: ", ")).") }
    let results = try inParallel(all) { suite in
      let result = try suites.measured(suite, mutants: mutants)
      if result == nil { say("without any mutant, \(suite.name) fails in the copy: it is left out") }
      return result
    }
    let passing = results.compactMap(\.self)
    say("\(passing.count) suites pass, in \(Int(passing.reduce(0) { $0 + $1.seconds })) s of tests")
    return passing
  }

  private func judge(
    _ mutants: [Int: Mutant], _ suites: TestSuites, _ measured: [TestSuite]
  ) throws -> [(mutant: Mutant, verdict: TestSuites.Verdict)] {
    let numbers = mutants.keys.sorted()
    let count = Mutex(0)
    return try inParallel(numbers) { number in
      guard let mutant = mutants[number] else { throw MutationError("there is no mutant \(number)") }
      let verdict = try suites.verdict(on: number, measured, patience: patience)
      let done = count.withLock { count in
        count += 1
        return count
      }
      say("\(done) of \(numbers.count): \(Report.line(mutant, verdict))")
      return (mutant, verdict)
    }
  }

  /// What `body` makes of each item, some at once, in their order.
  private func inParallel<Item: Sendable, Result: Sendable>(
    _ items: [Item], _ body: @escaping @Sendable (Item) throws -> Result
  ) throws -> [Result] {
    let state = Mutex((next: 0, results: [Int: Result](), error: (any Error)?.none))
    let group = DispatchGroup()
    for _ in 0..<min(workers, items.count) {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        while true {
          let index = state.withLock { state in
            defer { state.next += 1 }
            return state.error == nil ? state.next : items.count
          }
          guard index < items.count else { return }
          do {
            let result = try body(items[index])
            state.withLock { $0.results[index] = result }
          } catch {
            state.withLock { $0.error = error }
          }
        }
      }
    }
    group.wait()
    return try state.withLock { state in
      if let error = state.error { throw error }
      return items.indices.compactMap { state.results[$0] }
    }
  }
}

extension Sanitizer: ExpressibleByArgument {}

extension Mutant.Kind: ExpressibleByArgument {
  init?(argument: String) {
    guard let kind = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = kind
  }

  static var allValueStrings: [String] { allCases.map(\.name) }
}
