import FBSSchema
import Foundation
import FuzzSupport
import LanguageServer

/// The files of a server, in memory.
final class MemoryFiles: LanguageServerHost {
  var texts: [String: [UInt8]]
  let version = "fuzz"
  let pages: String? = nil

  init(_ texts: [String: [UInt8]]) { self.texts = texts }

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    guard let bytes = texts[path] ?? texts[identity(of: path)] else { throw .notFound }
    return bytes
  }

  func schemas(below folder: String) -> [String] {
    texts.keys.filter { $0.hasPrefix(folder + "/") && $0.hasSuffix(".fbs") }.sorted()
  }

  func entries(of folder: String) -> [String] {
    let start = identity(of: folder) + "/"
    return texts.keys.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }.sorted()
  }

  func configuration(for path: String) -> HostConfiguration { HostConfiguration() }
}

/// A diagnostic as the server sends it.
struct ShownDiagnostic: Decodable {
  struct Position: Decodable {
    var line: Int
    var character: Int
  }
  struct Range: Decodable {
    var start: Position
    var end: Position
  }
  var range: Range
  var code: String?
  var severity: Int?
  var message: String
}

/// A message of the server, as far as the client looks at it. `JSONSerialization` would leave U+FEFF out of its texts.
private struct ServerMessage: Decodable {
  struct Diagnostics: Decodable {
    var uri: String
    var diagnostics: [ShownDiagnostic]
  }
  let id: Int?
  let method: String?
  let published: Diagnostics?
  let hasResult: Bool
  let hasError: Bool

  private enum Key: CodingKey { case id, method, params, result, error }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    method = try container.decodeIfPresent(String.self, forKey: .method)
    hasResult = container.contains(.result)
    hasError = container.contains(.error)
    // The ids of the server's own requests are texts.
    id = method == nil ? try container.decodeIfPresent(Int.self, forKey: .id) : nil
    let isPublished = method == "textDocument/publishDiagnostics"
    published = isPublished ? try container.decode(Diagnostics.self, forKey: .params) : nil
  }
}

/// A session with a client that counts the answers to its requests.
struct FuzzedServer {
  let files: MemoryFiles
  /// The last diagnostics that were sent, by URI.
  private(set) var diagnostics: [String: [ShownDiagnostic]] = [:]
  /// The number of answers about messages whose id was not understood.
  private(set) var answersWithoutID = 0
  private var session: LanguageServerSession<MemoryFiles>
  private var unanswered: Set<Int> = []
  private var nextID = 1

  init(_ texts: [String: [UInt8]]) {
    files = MemoryFiles(texts)
    session = LanguageServerSession(host: files)
  }

  /// Initializes the session, in a workspace with the folder `/w`.
  mutating func start() throws(Mistake) {
    request("initialize", params: #"{"capabilities":{},"rootUri":"file:///w"}"#)
    notify("initialized", params: "{}")
    try run()
  }

  mutating func notify(_ method: String, params: String) { notify(method, params: Array(params.utf8)) }

  mutating func notify(_ method: String, params: [UInt8]) {
    enqueue(Array(#"{"jsonrpc":"2.0","method":"\#(method)","params":"#.utf8) + params + [UInt8(ascii: "}")])
  }

  mutating func request(_ method: String, params: String) {
    request(method, params: Array(params.utf8))
  }

  /// Sends a request, to which one answer must come, with its id.
  @discardableResult
  mutating func request(_ method: String, params: [UInt8]) -> Int {
    nextID += 1
    unanswered.insert(nextID)
    enqueue(
      Array(#"{"jsonrpc":"2.0","id":\#(nextID),"method":"\#(method)","params":"#.utf8) + params + [UInt8(ascii: "}")])
    return nextID
  }

  mutating func enqueue(_ body: [UInt8]) { session.enqueue(body) }

  /// Has the session do all its work.
  ///
  /// - Throws: what no server may send.
  mutating func run() throws(Mistake) {
    while session.hasWork {
      for body in session.step() { try take(body) }
    }
  }

  /// Does all work, and expects that every request was answered.
  mutating func finish() throws(Mistake) {
    try run()
    guard unanswered.isEmpty else { throw Mistake("the requests \(unanswered.sorted()) have no answer") }
  }

  private mutating func take(_ body: [UInt8]) throws(Mistake) {
    let message: ServerMessage
    do {
      message = try JSONDecoder().decode(ServerMessage.self, from: Data(body))
    } catch {
      throw Mistake("the server sends what is no message: \(error)")
    }
    if let published = message.published { diagnostics[published.uri] = published.diagnostics }
    guard message.method == nil else { return }
    guard message.hasResult != message.hasError else {
      throw Mistake("an answer has a result and an error, or neither")
    }
    guard let id = message.id else {
      answersWithoutID += 1
      return
    }
    guard unanswered.remove(id) != nil else { throw Mistake("request \(id) is answered again, or was not made") }
  }
}
