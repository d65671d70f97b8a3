import Foundation
import FuzzSupport
import LanguageServer

/// Any bytes as messages to a language server: as its stream, if they begin with a header, or else as parameters.
///
/// A line of parameters begins with a letter, which names the method. It stands for the JSON that follows it. After a
/// capital letter, the message waits for the next one, so that requests can be cancelled and overtaken.
public enum ServerMessagesJob {
  private static let methods = [
    "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "textDocument/didSave",
    "$/cancelRequest", "workspace/didChangeConfiguration", "workspace/didChangeWorkspaceFolders",
    "textDocument/hover", "textDocument/completion", "textDocument/definition", "textDocument/references",
    "textDocument/rename", "textDocument/prepareRename", "textDocument/codeAction", "textDocument/formatting",
    "textDocument/rangeFormatting", "textDocument/onTypeFormatting", "textDocument/documentSymbol",
    "textDocument/selectionRange", "textDocument/semanticTokens/range", "textDocument/inlayHint",
    "textDocument/diagnostic", "textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls", "workspace/symbol",
  ]
  /// The number of notifications, which are the first methods.
  private static let notificationCount = 7
  private static let texts = [
    "/w/a.fbs": Array("table T {\n  a: int;\n}\nunion U { T }\n".utf8),
    "/w/b.fbs": Array("include \"a.fbs\";\nenum E : byte { A, B }\ntable V {\n  u: U;\n  e: E = B;\n}\n".utf8),
  ]

  /// Sends `bytes` to a server.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public static func run(_ bytes: [UInt8]) throws(Mistake) {
    if bytes.starts(with: "Content-Length".utf8) { try readStream(bytes) } else { try sendParameters(bytes) }
  }

  /// Reads a stream in two ways of cutting it into chunks, which must give the same messages, and handles them.
  private static func readStream(_ bytes: [UInt8]) throws(Mistake) {
    let (bodies, failure) = messages([bytes])
    let middle = bytes.count / 2
    let (again, failureAgain) = messages([bytes[..<middle].map { $0 }] + bytes[middle...].map { [$0] })
    guard failure == failureAgain, bodies == again else {
      throw Mistake("the messages of a stream depend on how it is cut")
    }
    var session = LanguageServerSession(host: MemoryFiles(texts))
    for body in bodies { session.enqueue(body) }
    var answers = 0
    while session.hasWork {
      answers += session.step().filter { !String(decoding: $0, as: UTF8.self).contains("\"method\":") }.count
    }
    guard answers <= bodies.count else { throw Mistake("more answers than messages") }
  }

  /// The messages before the first failure, if there is one.
  private static func messages(_ chunks: [[UInt8]]) -> ([[UInt8]], MessageFraming.Failure?) {
    var framing = MessageFraming()
    let bodies = chunks.flatMap { framing.append($0) }
    return (bodies, framing.failure)
  }

  /// Whether bytes are JSON of UTF-8. Foundation also reads other encodings, which it knows by a mark or by zeros.
  private static func isJSON(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first, first < 0x80, !bytes.contains(0) else { return false }
    return (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
  }

  private static func sendParameters(_ bytes: [UInt8]) throws(Mistake) {
    var server = FuzzedServer(texts)
    try server.start()
    var malformed = 0
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let letter = line.first else { continue }
      let method = Int(letter & 0x1F) % methods.count
      let params = Array(line.dropFirst())
      // A message of which only a part is parameters is sent as it is: at most one answer comes to it.
      guard isJSON(params) else {
        server.enqueue(params)
        malformed += 1
        continue
      }
      if method < notificationCount {
        server.notify(methods[method], params: params)
      } else {
        server.request(methods[method], params: params)
      }
      if letter & 0x20 != 0 { try server.run() }
    }
    try server.finish()
    guard server.answersWithoutID <= malformed else { throw Mistake("a message with an id is answered without it") }
  }
}
