import FBSDiagnostics
import FBSParser
import FBSSchema

struct RenameParams: Decodable {
  var textDocument: TextDocumentIdentifier
  var position: TextPosition
  var newName: String
}

struct RenamableName: Encodable {
  var range: TextRange
  var placeholder: String
}

extension DocumentContext {
  /// Returns the name at a position; nil if there is no name that can be renamed.
  func renamable(at position: TextPosition) -> RenamableName? {
    guard let found = names.occurrence(at: text.offset(of: position)) else { return nil }
    return RenamableName(
      range: text.range(found.range),
      placeholder: String(decoding: text.bytes[found.range.start..<found.range.end], as: UTF8.self))
  }
}

extension LanguageServerSession {
  /// Renames the name at a position, in all files of the workspace. Returns the edits; nil if there is no name at the
  /// position.
  ///
  /// The renamed texts are compiled first. If a name would get another meaning, or a schema would get a new error,
  /// nothing is renamed, and the client gets the reason.
  mutating func rename(_ params: RenameParams) throws -> WorkspaceEdit? {
    guard Self.isIdentifier(params.newName) else {
      throw RPCError.failed("`\(params.newName)` is no name: letters, digits and `_` make one, and no digit begins it")
    }
    let place = DocumentPositionParams(textDocument: params.textDocument, position: params.position)
    guard let found = try occurrence(at: place) else { return nil }
    let symbols = workspaceSymbols()
    let occurrences = symbols.occurrences(of: found.key)
    var texts: [String: [UInt8]] = [:]
    var changes: [String: [TextEdit]] = [:]
    for (identity, places) in Dictionary(grouping: occurrences, by: \.file) {
      guard let file = symbols.files[identity] else { continue }
      var bytes = file.source.bytes
      for place in places.sorted(by: { $0.start > $1.start }) {
        bytes.replaceSubrange(place.start..<place.end, with: params.newName.utf8)
      }
      texts[identity] = bytes
      for location in locations(places, in: symbols) {
        changes[location.uri, default: []].append(TextEdit(range: location.range, newText: params.newName))
      }
    }
    let renamed = compileWorkspace(RenamedFiles(base: files(), texts: texts))
    if renamed.errors.count >= symbols.errors.count,
      let error = renamed.newError(since: symbols, renaming: occurrences, to: params.newName)
    {
      throw RPCError.failed("the rename would make a schema wrong: \(error.kind): \(error.message)")
    }
    guard renamed.shape == symbols.shape else {
      throw RPCError.failed("another name would then mean `\(params.newName)`, or it another type")
    }
    return WorkspaceEdit(changes: changes)
  }

  private static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }
}

/// The files of `base`, where the texts that a rename would change are already changed.
private struct RenamedFiles<Base: SourceProvider>: SourceProvider {
  let base: Base
  /// The renamed texts, by the files' identities.
  let texts: [String: [UInt8]]

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    if let text = texts[base.identity(of: path)] { return text }
    return try base.read(path)
  }

  func identity(of path: String) -> String { base.identity(of: path) }
}
