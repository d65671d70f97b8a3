import FBSDiagnostics
import FBSParser
import FBSSchema

/// A document with its analysis, as features need it.
struct DocumentContext {
  let uri: String
  let text: DocumentText
  let analysis: DocumentAnalysis
  let texts: SourceTexts

  /// The document among the files of its compilation. It is the only input, and so the first file.
  let file = FileID(0)

  var tree: SyntaxTree { analysis.trees[file.index] }
  var schema: Schema { analysis.compilation.schema }

  /// The names in the document.
  var names: FileNames { FileNames(file, tree: tree, schema: schema) }

  /// Returns the token that contains an offset or ends there; nil if there is none. Of two adjacent tokens, returns the
  /// one that is a word.
  func token(at offset: Int) -> TokenIndex? {
    let tokens = tree.tokens
    var (low, high) = (0, tokens.count)
    while low < high {
      let middle = (low + high) / 2
      if Int(tokens[middle].end) < offset { low = middle + 1 } else { high = middle }
    }
    guard low < tokens.count, Int(tokens[low].start) <= offset, tokens[low].kind != .endOfFile else { return nil }
    let next = low + 1
    if Int(tokens[low].end) == offset, next < tokens.count, Int(tokens[next].start) == offset,
      tokens[next].kind == .identifier || tokens[next].kind == .string || tokens[low].kind != .identifier,
      tokens[next].kind != .endOfFile, tokens[low].kind != .identifier
    {
      return next
    }
    return low
  }
}

/// The texts and URIs of a compilation's files, for positions in them. A text is split into lines, and a URI is found,
/// when it is first needed.
final class SourceTexts {
  private let sources: SourceMap
  private let encoding: PositionEncoding
  private let findURI: (String) -> String
  private var texts: [FileID: DocumentText] = [:]
  private var uris: [FileID: String] = [:]

  /// Creates the texts of a compilation's files. Each is read when it is first needed.
  /// - Parameter uri: returns the URI of the file at a path.
  init(_ sources: SourceMap, encoding: PositionEncoding, uri: @escaping (String) -> String) {
    self.sources = sources
    self.encoding = encoding
    findURI = uri
  }

  func text(_ file: FileID) -> DocumentText {
    if let text = texts[file] { return text }
    let text = DocumentText(sources[file].bytes, encoding)
    texts[file] = text
    return text
  }

  func uri(_ file: FileID) -> String {
    if let uri = uris[file] { return uri }
    let uri = findURI(sources[file].path)
    uris[file] = uri
    return uri
  }

  func range(_ range: SourceRange) -> TextRange { text(range.file).range(range) }

  func location(_ range: SourceRange) -> TextLocation {
    TextLocation(uri: uri(range.file), range: self.range(range))
  }
}
