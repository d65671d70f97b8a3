import Emitters
import FBSDiagnostics
import FBSSchema

/// A client's session with the server: a value that messages drive. It reads files through its host and has no other
/// effects.
///
///     session.enqueue(body)
///     while session.hasWork { for body in session.step() { send(body) } }
///
/// Messages are handled one at a time and in order, so that every answer is about the text between two changes.
/// Diagnostics are computed when no message waits. A session belongs to one thread.
public struct LanguageServerSession<Host: LanguageServerHost> {
  enum State: Equatable {
    case new, running, shutDown
    case exited(Int32)
  }

  let host: Host
  var state = State.new
  var client = ClientTraits()
  var options = ServerOptions()
  /// The paths of the workspace's folders.
  var folders: [String] = []
  var documents = DocumentStore()
  var compiler = IncrementalCompiler()
  var checker = IncrementalChecker()
  /// The current analyses of open documents, by URI.
  var analyses: [String: DocumentAnalysis] = [:]
  /// The last analyses without errors of open documents, for names that a text has lost while it is being edited.
  var validAnalyses: [String: DocumentAnalysis] = [:]
  /// The findings in open documents compared with their earlier versions, by URI. A document that is still to be
  /// compared has none.
  var evolutions: [String: [Diagnostic]] = [:]
  /// The schemas of the workspace; nil after a change.
  var workspace: WorkspaceSymbols?
  var publishing = DiagnosticPublishing()
  /// The mistakes of configurations.
  var configurationMistakes = ReportedMistakes()
  /// The reasons why documents could not be compared with their earlier versions.
  var comparisonMistakes = ReportedMistakes()

  private var queue = MessageQueue()
  private var outgoing: [[UInt8]] = []
  private var nextRequestID = 1

  /// The log since it was last taken: the messages received and sent, and the errors. Filled only if `isLogging`.
  public private(set) var log: [String] = []
  private let isLogging: Bool

  /// Creates a session that awaits its first message.
  public init(host: Host, isLogging: Bool = false) {
    self.host = host
    self.isLogging = isLogging
  }

  /// The exit code of the process: 0 if the client asked it to exit after `shutdown`, 1 if without. Nil before the
  /// client has asked.
  public var exitCode: Int32? { if case .exited(let code) = state { code } else { nil } }

  /// Whether a message waits to be handled or sent, or diagnostics have to be computed.
  public var hasWork: Bool {
    guard exitCode == nil else { return !outgoing.isEmpty }
    return !queue.isEmpty || !outgoing.isEmpty || state == .running && publishing.hasWork
  }

  /// Whether a message waits to be handled or sent. Other work is pointless for a client that is gone.
  public var hasMessages: Bool { exitCode == nil && !queue.isEmpty || !outgoing.isEmpty }

  /// Whether the only work is to compare documents with their earlier versions. This takes long and cannot be
  /// interrupted, so that it should wait until the client is quiet.
  public var hasOnlyComparisons: Bool {
    exitCode == nil && queue.isEmpty && outgoing.isEmpty && state == .running && publishing.waiting.isEmpty
      && !publishing.comparing.isEmpty
  }

  /// Returns the lines of the log, and clears it.
  public mutating func takeLog() -> [String] {
    defer { log = [] }
    return log
  }

  /// Adds a message to the queue. If the message cancels waiting requests, answers these at once.
  public mutating func enqueue(_ body: [UInt8]) {
    let body = SurrogateEscapes.replacingUnpaired(in: body)
    let message: IncomingMessage
    do {
      message = try RPCCoding.decode(IncomingMessage.self, from: body)
    } catch {
      note("! \(String(decoding: body.prefix(200), as: UTF8.self)): \(error)")
      // `try?` only chooses between two errors, one of which is sent.
      let isJSON = (try? RPCCoding.decode(AnyJSON.self, from: body)) != nil
      return send(ErrorMessage(id: nil, error: isJSON ? .invalidRequest : .parseError))
    }
    note("> \(message.method ?? "answer") \(message.id.map { "\($0)" } ?? "") \(body.count) bytes")
    switch message.method {
    case "$/cancelRequest":
      do {
        let id = try RPCCoding.decode(IncomingParams<CancelParams>.self, from: body).params.id
        if queue.cancel(id) { send(ErrorMessage(id: id, error: .cancelled)) }
      } catch {
        // A notification has no answer.
        note("! $/cancelRequest: \(error)")
      }
      return
    case "textDocument/didChange":
      if let uri = message.uri {
        for id in queue.removeRequests(overtakenByChangeOf: uri) {
          send(ErrorMessage(id: id, error: .contentModified))
        }
      }
    case MessageQueue.pull:
      if let uri = message.uri {
        for id in queue.removePulls(repeatedFor: uri) { send(ErrorMessage(id: id, error: .repeated)) }
      }
    default: break
    }
    queue.append(.init(message: message, body: body))
  }

  /// Handles one message or, if none waits, computes the diagnostics of one document.
  /// - Returns: the bodies of the messages to send.
  public mutating func step() -> [[UInt8]] {
    if exitCode == nil {
      if let entry = queue.popFirst() {
        handle(entry)
      } else if state == .running {
        if publishing.waiting.isEmpty, !publishing.comparing.isEmpty { compareNext() } else { publishNext() }
      }
    }
    defer { outgoing = [] }
    return outgoing
  }

  private mutating func handle(_ entry: MessageQueue.Entry) {
    guard let method = entry.message.method else {
      // This is an answer to a request of the server, whose result is not needed. Anything else is no message.
      if entry.message.id == nil { send(ErrorMessage(id: nil, error: .invalidRequest)) }
      return
    }
    guard let id = entry.message.id else {
      do {
        try receive(notification: method, entry.body)
      } catch {
        note("! \(method): \(error)")
      }
      return
    }
    do {
      let answer = try answer(request: method, id, entry.body)
      outgoing.append(answer)
      note("< \(id) \(answer.count) bytes")
    } catch let error as RPCError {
      send(ErrorMessage(id: id, error: error))
    } catch {
      send(ErrorMessage(id: id, error: .invalidParams("the parameters of \(method) are malformed: \(error)")))
    }
  }

  // MARK: Sending

  mutating func send(_ message: some Encodable) {
    do {
      let body = try RPCCoding.encode(message)
      outgoing.append(body)
      note("< \(String(decoding: body.prefix(200), as: UTF8.self))")
    } catch {
      // Strings and integers can always be encoded.
      note("! cannot encode a message: \(error)")
    }
  }

  mutating func notify(_ method: String, _ params: some Encodable) {
    send(OutgoingMessage(method: method, params: params))
  }

  mutating func request(_ method: String, _ params: some Encodable) {
    send(OutgoingMessage(id: .string("dflatc-\(nextRequestID)"), method: method, params: params))
    nextRequestID += 1
  }

  mutating func note(_ line: @autoclosure () -> String) {
    if isLogging { log.append(line()) }
  }
}

/// The client's capabilities that matter to the server.
struct ClientTraits {
  var encoding = PositionEncoding.utf16
  var pullsDiagnostics = false
  var takesRelatedDocuments = false
  var refreshesDiagnostics = false
  var watchesFiles = false
}

/// Any JSON value. It tells a message of an unexpected form from a text that is not JSON.
private struct AnyJSON: Decodable {
  init(from decoder: any Decoder) throws {}
}
