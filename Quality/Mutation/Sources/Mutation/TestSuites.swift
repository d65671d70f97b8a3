import Foundation

/// A suite of tests, with the mutants that it comes upon.
struct TestSuite: Sendable {
  let name: String
  var seconds = 0.0
  var reached: Set<Int> = []

  /// The regular expression that chooses its tests and no others.
  var filter: String { "^" + NSRegularExpression.escapedPattern(for: name) + "/" }
}

/// The tests of the copy, each suite in a process of its own.
struct TestSuites: Sendable {
  let program: String
  let folder: URL
  /// Some tests are shorter then, or left out.
  let isSanitized: Bool

  private func test(_ filter: String, _ environment: [String: String], limit: Double) throws -> Ending {
    try run(
      [program, "--testing-library", "swift-testing", "--filter", filter], in: folder,
      environment: environment.merging(
        ["DFLAT_ADDED_MODULE": "Mutants"].merging(isSanitized ? ["DFLAT_SANITIZED": "1"] : [:]) { $1 }
      ) { $1 },
      limit: limit)
  }

  /// The suites of some modules.
  func all(of modules: [String]) throws -> [TestSuite] {
    let list = try run([program, "--testing-library", "swift-testing", "--list-tests"], in: folder)
    guard list.isSuccess else { throw MutationError("the tests cannot be listed: \(list.output.suffix(1000))") }
    var names: Set<String> = []
    for line in list.output.split(separator: "\n") {
      // Such as `Module.Suite/test()`.
      guard let slash = line.firstIndex(of: "/"), let dot = line.firstIndex(of: "."), dot < slash else { continue }
      let module = String(line[..<dot])
      if modules.isEmpty || modules.contains(module) {
        names.insert(String(line[..<slash]))
      }
    }
    return names.sorted().map { TestSuite(name: $0) }
  }

  /// Runs a suite with no mutant on. Nil if it fails then, since it can say nothing.
  func measured(_ suite: TestSuite, mutants count: Int) throws -> TestSuite? {
    let marks = FileManager.default.temporaryDirectory.appendingPathComponent("dflat-marks-\(UUID().uuidString)")
    try Data(count: count + 1).write(to: marks)
    defer { try? FileManager.default.removeItem(at: marks) }  // What is left there is the system's to remove.
    let start = Date()
    let ending = try test(suite.filter, ["DFLAT_MUTANT_MARKS": marks.path], limit: 1800)
    guard ending.isSuccess else { return nil }
    var result = suite
    result.seconds = Date().timeIntervalSince(start)
    for (number, mark) in try Data(contentsOf: marks).enumerated() where mark != 0 { result.reached.insert(number) }
    return result
  }

  /// What the tests say of a mutant.
  enum Verdict: Sendable, Equatable {
    /// The first test that failed, or how the process ended.
    case noticed(String)
    case survived(suites: Int, seconds: Double)
    case unreached
  }

  /// Runs the suites that come upon a mutant, the quickest first, until one fails.
  ///
  /// - Parameter patience: suites that take longer together, with no mutant, are left out.
  func verdict(on number: Int, _ suites: [TestSuite], patience: Double) throws -> Verdict {
    var waiting = suites.filter { $0.reached.contains(number) }.sorted { $0.seconds < $1.seconds }[...]
    guard !waiting.isEmpty else { return .unreached }
    var (tried, spent) = (0, 0.0)
    while let first = waiting.first, tried == 0 || spent + first.seconds <= patience {
      // Several in one process, as many as take about twice as long as all so far.
      var (batch, seconds) = ([TestSuite](), 0.0)
      while let next = waiting.first, batch.isEmpty || seconds + next.seconds <= max(4, 2 * spent),
        batch.isEmpty || spent + seconds + next.seconds <= patience
      {
        batch.append(next)
        seconds += next.seconds
        waiting.removeFirst()
      }
      let filter = batch.map(\.filter).joined(separator: "|")
      let ending = try test(filter, ["DFLAT_MUTANT": "\(number)"], limit: 60 + 10 * seconds)
      if let reason = Self.failure(ending) { return .noticed(reason) }
      tried += batch.count
      spent += seconds
    }
    return .survived(suites: tried, seconds: spent)
  }

  private static func failure(_ ending: Ending) -> String? {
    if ending.isSuccess { return nil }
    if ending.hasHung { return "does not end" }
    for line in ending.output.split(separator: "\n") where line.contains("✘ ") || line.contains("✘\u{1B}") {
      if let start = line.range(of: "Test "), let end = line.range(of: " recorded an issue") {
        return String(line[start.upperBound..<end.lowerBound])
      }
    }
    if let line = ending.output.split(separator: "\n").first(where: { $0.contains("Fatal error") }) {
      return String(line.suffix(120))
    }
    return "ends with \(ending.isKilled ? "signal" : "status") \(ending.status)"
  }
}
