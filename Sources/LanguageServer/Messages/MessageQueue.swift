/// The messages that were received and not yet handled, in order.
///
/// A waiting request that is cancelled is answered at once. So is one whose answer would be about a text that has
/// changed meanwhile, and one that the client has repeated. So a client that sends faster than the server answers never
/// waits for answers that it does not need.
struct MessageQueue {
  struct Entry {
    let message: IncomingMessage
    let body: [UInt8]
  }

  private var entries: [Entry] = []
  private var next = 0

  var isEmpty: Bool { next == entries.count }

  /// The requests that clients make automatically after each change. They repeat them when they are told that the text
  /// has changed.
  ///
  /// Completion is not among them: VS Code filters the answer by what is typed meanwhile, and does not ask again.
  private static let repeatedMethods: Set<String> = [
    "textDocument/semanticTokens/full", "textDocument/semanticTokens/range", "textDocument/inlayHint",
    "textDocument/documentSymbol", "textDocument/foldingRange", "textDocument/documentLink",
    "textDocument/documentHighlight", "textDocument/codeAction",
  ]

  mutating func append(_ entry: Entry) { entries.append(entry) }

  mutating func popFirst() -> Entry? {
    guard next < entries.count else { return nil }
    let entry = entries[next]
    next += 1
    if next == entries.count {
      entries.removeAll(keepingCapacity: true)
      next = 0
    }
    return entry
  }

  /// Removes a waiting request. Returns false if no waiting request has the id.
  mutating func cancel(_ id: RequestID) -> Bool {
    guard let index = entries[next...].firstIndex(where: { $0.message.id == id && $0.message.method != nil }) else {
      return false
    }
    entries.remove(at: index)
    return true
  }

  /// Removes the waiting requests that a change of a document makes pointless.
  /// - Returns: the ids of these requests.
  mutating func removeRequests(overtakenByChangeOf uri: String) -> [RequestID] {
    removeRequests { message, method in message.uri == uri && Self.repeatedMethods.contains(method) }
  }

  /// Removes the waiting requests for the diagnostics of a document, which is asked for them again. A change alone does
  /// not remove them: a client that asks only now and then would be left without an answer.
  /// - Returns: the ids of these requests.
  mutating func removePulls(repeatedFor uri: String) -> [RequestID] {
    removeRequests { message, method in message.uri == uri && method == Self.pull }
  }

  /// The request for the diagnostics of a document.
  static let pull = "textDocument/diagnostic"

  private mutating func removeRequests(where isPointless: (IncomingMessage, String) -> Bool) -> [RequestID] {
    let removed = entries[next...].filter { entry in
      guard entry.message.id != nil, let method = entry.message.method else { return false }
      return isPointless(entry.message, method)
    }.compactMap(\.message.id)
    guard !removed.isEmpty else { return [] }
    entries = entries[next...].filter { entry in
      entry.message.method == nil || !(entry.message.id.map(removed.contains) ?? false)
    }
    next = 0
    return removed
  }
}
