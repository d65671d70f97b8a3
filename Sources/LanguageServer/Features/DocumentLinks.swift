import FBSDiagnostics

struct DocumentLink: Encodable {
  var range: TextRange
  var target: String
}

extension DocumentContext {
  /// Returns a link to the file for each include whose file was found.
  func documentLinks() -> [DocumentLink] {
    schema[file].inclusions.map { inclusion in
      DocumentLink(
        range: text.range(inclusion.range.start + 1, inclusion.range.end - 1), target: texts.uri(inclusion.file))
    }
  }
}
