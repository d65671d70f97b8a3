import Foundation

/// What `dflatc compile` takes for inputs that are no schemas, or huge ones: time, and memory per byte of input, each for an
/// input and for one four times as long. Time in proportion to the length is a ratio of about 4, quadratic time one of 16.
struct BadInputBenchmark {
  private let compiler: String
  private let folder: URL
  private let rounds: Int
  private let reporter: Reporter

  /// A text that is repeated between two others.
  private struct Input {
    let name: String
    var start = ""
    let unit: String
    var end = ""
    /// The length of the longer one.
    var bytes = 10_000_000

    func text(of count: Int) -> Data {
      var data = Data(start.utf8)
      let unit = Data(unit.utf8)
      // Repeated by doubling: most units are a byte.
      var body = unit
      while body.count < count { body += body }
      data += body.prefix(count / unit.count * unit.count)
      return data + Data(end.utf8)
    }
  }

  private let inputs = [
    Input(name: "zeros", unit: "\0", bytes: 100_000_000),
    Input(name: "a name", start: "table ", unit: "a", end: " { x: int; }"),
    Input(name: "a string", start: "attribute \"", unit: "a", end: "\";"),
    Input(name: "a string that is not closed", start: "attribute \"", unit: "a"),
    Input(name: "a comment", start: "/*", unit: "a"),
    Input(name: "a number", start: "enum E: int { A = ", unit: "1", end: " }"),
    Input(name: "doc comments", unit: "///\n", end: "table T { x: int; }"),
    Input(name: "braces", unit: "{"),
    Input(name: "brackets", start: "table T { x: ", unit: "["),
    Input(name: "nested JSON", start: "table T { x: int; } root_type T; ", unit: "{x:"),
    Input(name: "keywords", unit: "table "),
    Input(name: "empty tables of one name", unit: "table T {}\n"),
    Input(name: "fields without a type", start: "table T {", unit: "x;"),
    Input(name: "fields of one name", start: "table T {", unit: "x:int;", end: "}"),
    Input(name: "includes of one file", unit: "include \"a\";\n"),
    Input(name: "a path of a type", start: "table T { x: a", unit: ".a"),
    Input(name: "control characters", unit: "\u{7F}"),
  ]

  init(_ measurement: Measurement) {
    compiler = measurement.compiler
    folder = measurement.folder
    rounds = measurement.rounds
    reporter = measurement.reporter
  }

  func run() throws {
    reporter.print("bad input: dflatc compile --emit json, the shorter and the longer input")
    let small = try measure(Data("table T { x: int; }".utf8))
    for input in inputs {
      let figures = try [input.bytes / 4, input.bytes].map { try (count: $0, measure(input.text(of: $0))) }
      let perByte = figures.map { Double(max(0, $0.1.memory - small.memory)) / Double($0.count) }
      let times = figures.map(\.1.seconds)
      let name = "\(input.name), \(input.bytes / 1_000_000) MB"
      var time = ReportRow(.badInput, "\(name): time", .seconds, [times[1]])
      time.reach = 2
      time.note = String(format: "%.1f times that of a quarter of it", times[1] / times[0])
      try reporter.add(time)
      var memory = ReportRow(.badInput, "\(name): memory", .bytesPerByte, [perByte[1]])
      memory.reach = 64
      memory.note = String(format: "%.1f for a quarter of it", perByte[0])
      try reporter.add(memory)
    }
  }

  /// The least time of several runs, and the peak resident size in bytes.
  private func measure(_ text: Data) throws -> (seconds: Double, memory: Int) {
    let file = folder.appending(path: "bad-input.fbs")
    try text.write(to: file)
    defer { unlink(file.path) }
    let arguments = ["compile", "--emit", "json", "-o", folder.path + "/bad-input", file.path]
    var best = (seconds: Double.infinity, memory: 0)
    for _ in 0..<rounds {
      let start = ContinuousClock.now
      guard let memory = try peakMemory(of: compiler, arguments) else {
        throw BenchmarkError(description: "There is no /usr/bin/time that tells how much memory a program takes.")
      }
      best = (min(best.seconds, (ContinuousClock.now - start) / .seconds(1)), max(best.memory, memory))
    }
    return best
  }
}
