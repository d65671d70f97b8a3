/// The messages that were received and not yet handled, in order.
///
/// A waiting request is answered at once if it is cancelled, or if its answer would be about a text that has changed
/// meanwhile. So a client that sends faster than the server answers never waits for answers that it does not need.
struct MessageQueue {
  struct Entry {
    let message: IncomingMessage
    let body: [UInt8]
  }

  private var entries: [Entry] = []
  private var next = 0

  var isEmpty: Bool { next == entries.count }

  /// The methods of requests that clients make by themselves after each change. A client repeats such a request when
  /// the server answers that the text has changed.
  private static let repeatedMethods: Set<String> = [
    "textDocument/semanticTokens/full", "textDocument/semanticTokens/range", "textDocument/inlayHint",
    "textDocument/documentSymbol", "textDocument/foldingRange", "textDocument/documentLink",
    "textDocument/documentHighlight",
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
    let overtaken = entries[next...].filter { entry in
      guard entry.message.id != nil, let method = entry.message.method else { return false }
      return entry.message.uri == uri && Self.repeatedMethods.contains(method)
    }.compactMap(\.message.id)
    guard !overtaken.isEmpty else { return [] }
    entries = entries[next...].filter { entry in
      entry.message.method == nil || !(entry.message.id.map(overtaken.contains) ?? false)
    }
    next = 0
    return overtaken
  }
}
