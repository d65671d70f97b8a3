import ConformanceSupport
import FBSSchema
import Foundation
import LanguageServer
import SchemaLinting
import Testing

/// The files of a server, in memory, with what a team has set.
final class MemoryHost: LanguageServerHost {
  var files: SchemaTexts
  var settings = HostConfiguration()
  /// What is set for some schemas, by their paths, instead of `settings`.
  var ownSettings: [String: HostConfiguration] = [:]
  let version = "test"
  var pages: String?
  /// The findings about files against their earlier version, by their paths.
  var answers: [String: EvolutionAnswer] = [:]
  /// Compares a file of given texts with its earlier version, instead of `answers`.
  var comparison: ((_ path: String, _ texts: SchemaTexts) -> EvolutionAnswer)?
  /// The paths of the files that were compared.
  private(set) var compared: [String] = []
  /// The number of reads of files.
  private(set) var readCount = 0
  /// The targets of folders that are links. As on a disk, the path of a file that does not exist stays as it is.
  var links: [String: String] = [:]

  init(_ files: [String: String] = [:]) { self.files = SchemaTexts(files) }

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    readCount += 1
    return try files.read(links.isEmpty ? path : identity(of: path))
  }
  func identity(of path: String) -> String {
    let plain = files.identity(of: path)
    for (link, target) in links where plain.hasPrefix(link + "/") {
      let resolved = target + plain.dropFirst(link.count)
      if files.files[resolved] != nil { return resolved }
    }
    return plain
  }
  func schemas(below folder: String) -> [String] {
    files.files.keys.filter { $0.hasPrefix(folder + "/") && $0.hasSuffix(".fbs") }.sorted()
  }
  func entries(of folder: String) -> [String] {
    let start = identity(of: folder) + "/"
    let names = files.files.keys.filter { $0.hasPrefix(start) }.map { path -> String in
      let rest = path.dropFirst(start.count)
      return rest.firstIndex(of: "/").map { String(rest[...$0]) } ?? String(rest)
    }
    return Set(names).sorted()
  }
  func findings(
    about path: String, in folders: [String], includePaths: [String], texts: [String: [UInt8]]
  ) -> EvolutionAnswer? {
    compared.append(path)
    guard let comparison else { return answers[path] }
    return comparison(path, SchemaTexts(bytes: files.files.merging(texts) { $1 }))
  }
  func configuration(for path: String) -> HostConfiguration { ownSettings[path] ?? settings }
}

/// An editor: it talks to a session in messages alone.
struct EditorClient {
  var session: LanguageServerSession<MemoryHost>
  let host: MemoryHost
  /// All that the server has sent, but for the answers that `request` has returned.
  var received: [[String: Any]] = []
  private var nextID = 1

  /// A client that has said hello, in a workspace with these files below `/w`.
  init(
    _ files: [String: String] = [:], options: [String: Any] = [:], capabilities: [String: Any] = [:],
    isInitialized: Bool = true
  ) throws {
    host = MemoryHost(files)
    session = LanguageServerSession(host: host)
    guard isInitialized else { return }
    _ = try request(
      "initialize",
      [
        "processId": NSNull(), "rootUri": "file:///w", "capabilities": capabilities,
        "initializationOptions": options,
      ])
    notify("initialized", [:])
    run()
  }

  /// Sends a message without waiting for what it leads to.
  mutating func enqueue(_ message: [String: Any]) {
    do {
      session.enqueue(Array(try JSONSerialization.data(withJSONObject: message)))
    } catch {
      Issue.record("no JSON: \(error)")
    }
  }

  mutating func notify(_ method: String, _ params: [String: Any]) {
    enqueue(["jsonrpc": "2.0", "method": method, "params": params])
  }

  /// Sends a request and gives its id.
  mutating func send(_ method: String, _ params: [String: Any]) -> Int {
    nextID += 1
    enqueue(["jsonrpc": "2.0", "id": nextID, "method": method, "params": params])
    return nextID
  }

  /// Has the session do all its work.
  mutating func run() {
    while session.hasWork { take(session.step()) }
  }

  /// Has the session do all its work but the comparisons with earlier versions.
  mutating func runUntilComparisons() {
    while session.hasWork, !session.hasOnlyComparisons { take(session.step()) }
  }

  private mutating func take(_ bodies: [[UInt8]]) {
    for body in bodies {
      do {
        let value = try JSONSerialization.jsonObject(with: Data(body))
        received.append(try #require(value as? [String: Any]))
      } catch {
        Issue.record("the server sends no JSON object: \(error)")
      }
    }
  }

  /// The whole answer to a request.
  mutating func answer(_ method: String, _ params: [String: Any]) throws -> [String: Any] {
    let id = send(method, params)
    run()
    return try takeAnswer(id)
  }

  mutating func takeAnswer(_ id: Int) throws -> [String: Any] {
    let index = try #require(received.firstIndex { $0["id"] as? Int == id && $0["method"] == nil }, "no answer")
    return received.remove(at: index)
  }

  /// The result of a request.
  mutating func request(_ method: String, _ params: [String: Any]) throws -> Any {
    let answer = try answer(method, params)
    return try #require(answer["result"], "\(method): \(answer)")
  }

  /// The code of the error of a request that cannot be answered.
  mutating func errorCode(_ method: String, _ params: [String: Any]) throws -> Int {
    let answer = try answer(method, params)
    let error = try #require(answer["error"] as? [String: Any], "\(method): \(answer)")
    #expect((error["message"] as? String)?.isEmpty == false)
    return try #require(error["code"] as? Int)
  }

  // MARK: Documents

  mutating func open(_ path: String, _ text: String? = nil) {
    let content = text ?? String(decoding: host.files.files[path] ?? [], as: UTF8.self)
    notify(
      "textDocument/didOpen",
      ["textDocument": ["uri": DocumentURI.uri(path), "languageId": "fbs", "version": 1, "text": content]])
  }

  mutating func change(_ path: String, to text: String, version: Int = 2) {
    notify(
      "textDocument/didChange",
      [
        "textDocument": ["uri": DocumentURI.uri(path), "version": version], "contentChanges": [["text": text]],
      ])
  }

  mutating func close(_ path: String) { notify("textDocument/didClose", document(path)) }

  func document(_ path: String) -> [String: Any] { ["textDocument": ["uri": DocumentURI.uri(path)]] }

  func place(_ path: String, _ line: Int, _ character: Int) -> [String: Any] {
    document(path).merging(["position": ["line": line, "character": character]]) { $1 }
  }

  /// The last diagnostics that were sent about a file; nil if none were.
  func diagnostics(_ path: String) -> [[String: Any]]? {
    let uri = DocumentURI.uri(path)
    return received.last {
      $0["method"] as? String == "textDocument/publishDiagnostics"
        && ($0["params"] as? [String: Any])?["uri"] as? String == uri
    }.flatMap { ($0["params"] as? [String: Any])?["diagnostics"] as? [[String: Any]] }
  }

  /// The codes of the last diagnostics of a file.
  func codes(_ path: String) -> [String]? { diagnostics(path)?.compactMap { $0["code"] as? String } }
}

extension [String: Any] {
  /// A member of a member, and so on.
  func value(_ path: String...) -> Any? {
    var value: Any? = self
    for name in path { value = (value as? [String: Any])?[name] }
    return value
  }

  /// A range as `line:character-line:character`.
  var rangeText: String? {
    guard let line = value("start", "line") as? Int, let character = value("start", "character") as? Int,
      let endLine = value("end", "line") as? Int, let end = value("end", "character") as? Int
    else { return nil }
    return "\(line):\(character)-\(endLine):\(end)"
  }
}

/// A text with edits as a client makes them: from the last to the first.
func apply(_ edits: [[String: Any]], to text: String, _ encoding: PositionEncoding = .utf16) throws -> String {
  var document = DocumentText(Array(text.utf8), encoding)
  let ordered = try edits.map { edit -> (TextRange, String) in
    let range = try JSONDecoder().decode(
      TextRange.self, from: try JSONSerialization.data(withJSONObject: try #require(edit["range"])))
    return (range, try #require(edit["newText"] as? String))
  }.enumerated().sorted { ($0.element.0.start, $0.offset) > ($1.element.0.start, $1.offset) }
  for (_, (range, text)) in ordered { document.replace(range, with: text) }
  return String(decoding: document.bytes, as: UTF8.self)
}
