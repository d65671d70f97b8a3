struct DidOpenParams: Decodable {
  struct Document: Decodable {
    var uri: String
    var version: Int?
    var text: String
  }
  var textDocument: Document
}

struct DidChangeParams: Decodable {
  struct Document: Decodable {
    var uri: String
    var version: Int?
  }
  /// A replacement of a range, or of the whole document if there is no range.
  struct Change: Decodable {
    var range: TextRange?
    var text: String
  }
  var textDocument: Document
  var contentChanges: [Change]
}

/// A diagnostic as editors show it.
struct EditorDiagnostic: Codable, Hashable {
  struct Description: Codable, Hashable { var href: String }
  struct Related: Codable, Hashable {
    var location: TextLocation
    var message: String
  }
  var range: TextRange
  /// The protocol's number of the severity: 1 is an error, 2 a warning, 3 information.
  var severity: Int?
  var code: String?
  var codeDescription: Description?
  var source: String?
  var message: String
  /// The protocol's numbers of properties: 1 means that the text is unnecessary.
  var tags: [Int]?
  var relatedInformation: [Related]?
}

struct PublishDiagnosticsParams: Encodable {
  var uri: String
  var version: Int?
  var diagnostics: [EditorDiagnostic]
}

struct PullDiagnosticsParams: Decodable {
  var textDocument: TextDocumentIdentifier
  var previousResultId: String?
}

struct DiagnosticReport: Encodable {
  struct Related: Encodable {
    var kind = "full"
    var items: [EditorDiagnostic]
  }
  var kind: String
  var resultId: String
  /// The diagnostics; nil if they equal those of the report that the client already has.
  var items: [EditorDiagnostic]?
  var relatedDocuments: [String: Related]?
}
