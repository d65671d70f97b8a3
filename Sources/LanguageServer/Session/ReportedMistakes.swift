/// The mistakes of settings that the client was told of.
struct ReportedMistakes {
  /// The present mistake that concerns each open document, by the document's URI.
  private var mistakes: [String: String] = [:]

  /// Replaces the mistake that concerns a document.
  ///
  /// - Parameter mistake: the reason why settings cannot be used, for people; nil if they can be.
  /// - Returns: the mistake if the client is to be told of it; nil if it was told, for this document or another one.
  mutating func update(_ mistake: String?, of uri: String) -> String? {
    let isKnown = mistakes.values.contains { $0 == mistake }
    mistakes[uri] = mistake
    return isKnown ? nil : mistake
  }

  /// Forgets a document that was closed.
  mutating func forget(_ uri: String) { mistakes[uri] = nil }
}
