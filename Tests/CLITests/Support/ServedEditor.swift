import Foundation
import TestSupport
import Testing

/// The messages of an editor, and what the server answers to them in one run.
struct ServedEditor {
  /// The messages in order, with the ids of requests.
  private var messages: [(id: Int?, bytes: Data)] = []
  private var nextID = 1
  /// What is done before a message is sent, by the index of the message.
  private var actions: [Int: () throws -> Void] = [:]

  /// - Parameters:
  ///   - options: the initialization options.
  ///   - saysAll: whether the rules of lint and of the default emitters hold, unless the options say otherwise.
  init(in folder: URL, options: [String: Any] = [:], saysAll: Bool = false) throws {
    let usual: [String: Any] = saysAll ? [:] : ["emit": ["accessors"], "lint": false]
    let options = usual.merging(options) { $1 }
    _ = try request(
      "initialize",
      [
        "rootUri": folder.absoluteString, "initializationOptions": options,
        "capabilities": ["textDocument": ["diagnostic": [:] as [String: Any]]],
      ])
  }

  mutating func send(_ message: [String: Any]) throws {
    let body = try JSONSerialization.data(withJSONObject: message.merging(["jsonrpc": "2.0"]) { $1 })
    let bytes = Data("Content-Length: \(body.count)\r\n\r\n".utf8) + body
    messages.append((message["id"] as? Int, bytes))
  }

  /// Has `action` done once all requests so far are answered, before the next message is sent.
  mutating func perform(_ action: @escaping () throws -> Void) { actions[messages.count] = action }

  mutating func notify(_ method: String, _ params: [String: Any]) throws {
    try send(["method": method, "params": params])
  }

  /// Sends a request and gives its id.
  mutating func request(_ method: String, _ params: [String: Any]) throws -> Int {
    nextID += 1
    try send(["id": nextID, "method": method, "params": params])
    return nextID
  }

  mutating func open(_ file: URL, _ text: String) throws {
    try notify(
      "textDocument/didOpen",
      ["textDocument": ["uri": file.absoluteString, "languageId": "fbs", "version": 1, "text": text]])
  }

  mutating func change(_ file: URL, to text: String) throws {
    try notify(
      "textDocument/didChange",
      ["textDocument": ["uri": file.absoluteString, "version": 2], "contentChanges": [["text": text]]])
  }

  mutating func pull(_ file: URL) throws -> Int {
    try request("textDocument/diagnostic", ["textDocument": ["uri": file.absoluteString]])
  }

  /// Runs the server. Gives the results by the ids of the requests.
  /// - Parameter environment: variables to be added to those of this process.
  mutating func run(in folder: URL, environment: [String: String] = [:]) throws -> [Int: [String: Any]] {
    _ = try request("shutdown", [:])
    try notify("exit", [:])
    let output = try Self.serve(messages, actions, in: folder, environment)
    var answers: [Int: [String: Any]] = [:]
    var rest = output[...]
    while let end = rest.firstRange(of: Data("\r\n\r\n".utf8)) {
      let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
      let count = try #require(head.split(separator: " ").last.flatMap { Int($0) })
      let body = rest[end.upperBound...].prefix(count)
      rest = rest[end.upperBound...].dropFirst(count)
      let message = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
      guard let message, let id = message["id"] as? Int else { continue }
      answers[id] = message["result"] as? [String: Any] ?? ["items": message["result"] as? [Any] ?? []]
    }
    return answers
  }

  /// Has a server handle messages, the last of which ends it, and gives what it writes. Each request is answered before
  /// the next message is sent: a server does not answer all that an editor sends it at once.
  private static func serve(
    _ messages: [(id: Int?, bytes: Data)], _ actions: [Int: () throws -> Void], in folder: URL,
    _ environment: [String: String]
  ) throws -> Data {
    try withFolder { scratch in
      let file = URL(fileURLWithPath: try scratch.write("", to: "output"))
      let process = Process()
      process.executableURL = productsFolder.appending(path: "dflatc")
      process.arguments = ["lsp"]
      process.currentDirectoryURL = folder
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      let input = Pipe()
      process.standardInput = input
      process.standardOutput = try FileHandle(forWritingTo: file)
      try process.run()
      let end = Date().addingTimeInterval(900)
      func wait(while isWaiting: () throws -> Bool) rethrows {
        while process.isRunning, Date() < end, try isWaiting() { Thread.sleep(forTimeInterval: 0.005) }
      }
      // The pipe stays open until the server has ended: at its end, the editor would be gone.
      for (index, message) in messages.enumerated() {
        try actions[index]?()
        try input.fileHandleForWriting.write(contentsOf: message.bytes)
        guard let id = message.id else { continue }
        let answer = Data("\"id\":\(id),".utf8)
        try wait { try Data(contentsOf: file).range(of: answer) == nil }
      }
      wait { true }
      guard !process.isRunning else {
        endGroup(of: process)
        throw ProgramFailure("the server does not end")
      }
      #expect(process.terminationStatus == 0)
      try input.fileHandleForWriting.close()
      return try Data(contentsOf: file)
    }
  }
}
