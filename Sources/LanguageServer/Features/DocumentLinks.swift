import FBSDiagnostics

struct DocumentLink: Encodable {
  var range: TextRange
  var target: String
}

extension DocumentContext {
  /// Returns a link for each include that was found, to the file that it names.
  func documentLinks() -> [DocumentLink] {
    schema[file].inclusions.map { inclusion in
      DocumentLink(
        range: text.range(inclusion.range.start + 1, inclusion.range.end - 1), target: texts.uri(inclusion.file))
    }
  }
}
