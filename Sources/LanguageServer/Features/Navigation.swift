import FBSDiagnostics
import FBSSchema

struct DocumentHighlight: Encodable {
  var range: TextRange
  /// The protocol's number of the kind: 2 for a use of the name, 3 for its declaration.
  var kind: Int
}

struct ReferenceParams: Decodable {
  struct Context: Decodable { var includeDeclaration: Bool }
  var textDocument: TextDocumentIdentifier
  var position: TextPosition
  var context: Context?
}

extension DocumentContext {
  /// Returns the declaration of the name at a position, or the file that an include there names.
  func definition(at position: TextPosition) -> [TextLocation] {
    if let inclusion = inclusion(at: position) {
      let start = SourceRange(file: inclusion.file, start: 0, end: 0)
      return [texts.location(start)]
    }
    let offset = text.offset(of: position)
    guard let occurrence = names.occurrence(at: offset) else { return [] }
    return [texts.location(schema.declaration(of: occurrence.symbol).nameRange)]
  }

  /// Returns the include whose path contains a position; nil if there is none, or its file was not found.
  func inclusion(at position: TextPosition) -> SchemaFile.Inclusion? {
    let offset = text.offset(of: position)
    return schema[file].inclusions.first { $0.range.start <= offset && offset <= $0.range.end }
  }

  /// Returns all occurrences in the document of the name at a position.
  func highlights(at position: TextPosition) -> [DocumentHighlight] {
    let names = names
    guard let found = names.occurrence(at: text.offset(of: position)) else { return [] }
    return names.occurrences.filter { $0.symbol == found.symbol }.map {
      DocumentHighlight(range: text.range($0.range), kind: $0.isDeclaration ? 3 : 2)
    }
  }
}

extension LanguageServerSession {
  /// Returns all occurrences in the workspace of the name at a position; nil if there is no name.
  mutating func references(_ params: ReferenceParams) throws -> [TextLocation]? {
    let place = DocumentPositionParams(textDocument: params.textDocument, position: params.position)
    guard let found = try occurrence(at: place) else { return nil }
    let symbols = workspaceSymbols()
    let occurrences = symbols.occurrences(of: found.key)
      .filter { !$0.isDeclaration || params.context?.includeDeclaration ?? true }
    return locations(occurrences, in: symbols)
  }
}
