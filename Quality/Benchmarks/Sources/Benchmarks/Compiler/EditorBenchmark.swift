import Foundation

/// `dflatc lsp`: from a key stroke to the diagnostics of the document, beside `dflatc compile` of the same files.
struct EditorBenchmark {
  private let compiler: String
  private let folder: URL
  private let strokes: Int
  private let rounds: Int
  private let reporter: Reporter

  init(_ measurement: Measurement) {
    compiler = measurement.compiler
    folder = measurement.folder
    rounds = measurement.rounds
    reporter = measurement.reporter
    strokes = measurement.extent == .full ? 100 : 30
  }

  func run() throws {
    reporter.print("lsp: \(strokes) key strokes")
    let tables = (0..<910).map(Self.table).joined()
    let large = ["all.fbs": Self.kind + tables + Self.root(0..<10)]
    try measure("a file of 10,000 lines", large, reach: 0.020)
    // All other tables move.
    try measure("a file of 10,000 lines, in its first table", large, field: "  field0: ", reach: 0.020)
    // The comparison with the commit must not delay the next stroke.
    try measure("a file of 10,000 lines in a git repository", large, isCommitted: true, reach: 0.020)
    var files = ["kind.fbs": Self.kind]
    for file in 0..<1_000 {
      files["f\(file).fbs"] =
        "include \"kind.fbs\";\n" + (0..<10).map { Self.table(file * 10 + $0) }.joined()
    }
    let includes = (0..<1_000).map { "include \"f\($0).fbs\";\n" }.joined()
    files["all.fbs"] = includes + Self.root((0..<1_000).map { $0 * 10 })
    try measure("a file that includes 1,000 of 10 tables", files, reach: 0.100)
  }

  private static let kind = "enum Kind : ubyte {\n  First,\n  Second,\n}\n"

  private static func table(_ number: Int) -> String {
    let types = ["int", "string", "double", "Kind", "[int]"]
    let fields = (0..<9).map { "  field\($0): \(types[$0 % 5]);\n" }.joined()
    return "table Table\(number) {\n\(fields)}\n"
  }

  private static func root(_ tables: some Sequence<Int>) -> String {
    let fields = tables.map { "  table\($0): Table\($0);\n" }.joined()
    return "table Root {\n  name: string (primary);\n\(fields)}\nroot_type Root;\n"
  }

  /// Measures strokes in `all.fbs`.
  ///
  /// - Parameters:
  ///   - field: how the line of the field begins whose name is changed.
  ///   - isCommitted: whether the files are in a commit of a git repository.
  private func measure(
    _ job: String, _ files: [String: String], field: String = "  name: ", isCommitted: Bool = false, reach: Double
  ) throws {
    let place = folder.appending(path: "lsp-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    for (name, text) in files { try Data(text.utf8).write(to: place.appending(path: name)) }
    if isCommitted {
      let git = ["git", "-C", place.path, "-c", "user.name=A", "-c", "user.email=a@example.com"]
      for command in [["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "first"]] {
        try launch("/usr/bin/env", git + command)
      }
    }
    let document = place.appending(path: "all.fbs")
    let text = files["all.fbs"] ?? ""
    let server = try EditorProcess(compiler, in: place)
    try server.open(document, text)
    // In the name of a field, so that every stroke changes what the schema means. By default, it is the root table's
    // first one.
    let line = text.components(separatedBy: "\n").firstIndex { $0.hasPrefix(field) } ?? 0
    var times: [Double] = []
    for stroke in 0..<strokes {
      let start = ContinuousClock.now
      try server.change(document, line: line, character: 6, removing: stroke % 2, inserting: stroke % 2 == 0 ? "x" : "")
      times.append((ContinuousClock.now - start) / .seconds(1))
    }
    let memory = try server.memory()
    try server.stop()
    times.sort()
    var timings = Timings(.lsp)
    let arguments = ["compile", "-o", place.path + "/out", document.path]
    for _ in 0..<rounds {
      _ = try timings.measure("compile") { try launch(compiler, arguments, isQuiet: true) }
    }
    var row = ReportRow(.lsp, "\(job): a key stroke", .seconds, times)
    row.reach = reach
    let last = times[min(times.count - 1, times.count * 99 / 100)]
    row.note =
      "p99 \(ReportRow.Unit.seconds.text(last)); a whole `dflatc compile` with its output takes "
      + ReportRow.Unit.seconds.text(timings.median("compile"))
    try reporter.add(row)
    let peak = try peakMemory(of: compiler, arguments).map { Double($0) / 1_048_576 }
    try reporter.add(
      ReportRow(
        .lsp, "\(job): memory", .mebibytes, [memory], besides: "dflatc compile", peak.map { [$0] } ?? []))
  }
}

/// A server, and the client's side of its protocol.
private final class EditorProcess {
  private let process = Process()
  private let sending = Pipe()
  private let receiving = Pipe()
  private var buffer = Data()
  private var version = 1

  struct Failure: Error { let message: String }

  init(_ compiler: String, in folder: URL) throws {
    process.executableURL = URL(fileURLWithPath: compiler)
    process.arguments = ["lsp"]
    process.standardInput = sending
    process.standardOutput = receiving
    try process.run()
    try send(["id": 1, "method": "initialize", "params": ["capabilities": [:], "rootUri": folder.absoluteString]])
    _ = try receive { $0["id"] as? Int == 1 }
    try send(["method": "initialized", "params": [:]])
  }

  func open(_ document: URL, _ text: String) throws {
    try send([
      "method": "textDocument/didOpen",
      "params": [
        "textDocument": ["uri": document.absoluteString, "languageId": "fbs", "version": version, "text": text]
      ],
    ])
    try waitForDiagnostics()
  }

  /// Makes an edit, and waits for the diagnostics of the text that it gives.
  func change(_ document: URL, line: Int, character: Int, removing count: Int, inserting text: String) throws {
    version += 1
    let range = [
      "start": ["line": line, "character": character], "end": ["line": line, "character": character + count],
    ]
    try send([
      "method": "textDocument/didChange",
      "params": [
        "textDocument": ["uri": document.absoluteString, "version": version],
        "contentChanges": [["range": range, "text": text]],
      ],
    ])
    try waitForDiagnostics()
  }

  /// The memory that is in use, in MiB.
  func memory() throws -> Double {
    let text = try output(of: "/bin/ps", ["-o", "rss=", "-p", "\(process.processIdentifier)"])
    return (Double(text.filter(\.isNumber)) ?? .nan) / 1_024
  }

  func stop() throws {
    try send(["id": 2, "method": "shutdown", "params": [:]])
    _ = try receive { $0["id"] as? Int == 2 }
    try send(["method": "exit", "params": [:]])
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(message: "dflatc lsp ends with an error") }
  }

  private func waitForDiagnostics() throws {
    _ = try receive { message in
      message["method"] as? String == "textDocument/publishDiagnostics"
        && (message["params"] as? [String: Any])?["version"] as? Int == version
    }
  }

  private func send(_ message: [String: Any]) throws {
    let body = try JSONSerialization.data(withJSONObject: message.merging(["jsonrpc": "2.0"]) { $1 })
    try sending.fileHandleForWriting.write(contentsOf: Data("Content-Length: \(body.count)\r\n\r\n".utf8) + body)
  }

  /// The next message that is the one waited for.
  private func receive(_ isWanted: ([String: Any]) -> Bool) throws -> [String: Any] {
    while true {
      if let message = try next() {
        if isWanted(message) { return message }
        continue
      }
      let chunk = receiving.fileHandleForReading.availableData
      guard !chunk.isEmpty else { throw Failure(message: "dflatc lsp is gone") }
      buffer.append(chunk)
    }
  }

  private func next() throws -> [String: Any]? {
    guard let headers = buffer.range(of: Data("\r\n\r\n".utf8)) else { return nil }
    let text = String(decoding: buffer[..<headers.lowerBound], as: UTF8.self)
    guard let length = Int(text.filter(\.isNumber)) else { throw Failure(message: "dflatc lsp sends \(text)") }
    guard buffer.endIndex - headers.upperBound >= length else { return nil }
    let body = buffer[headers.upperBound..<headers.upperBound + length]
    buffer = Data(buffer[(headers.upperBound + length)...])
    return try JSONSerialization.jsonObject(with: body) as? [String: Any]
  }
}
