import FBSDiagnostics
import FBSParser
import FBSSchema

// The call hierarchy of schemas: a file calls the files that it includes.

/// A schema file in the call hierarchy.
struct CallHierarchyItem: Encodable {
  var name: String
  var kind = SymbolKind.file
  /// The folder of the file, relative to the workspace's folder; nil for a file that is directly in that folder.
  var detail: String?
  var uri: String
  var range: TextRange
  var selectionRange = TextRange(start: .init(line: 0, character: 0), end: .init(line: 0, character: 0))
}

/// The parameters of a request about an item. A client sends the whole item back, and its URI identifies the file.
struct CallHierarchyParams: Decodable { var item: TextDocumentIdentifier }

/// A file that includes the item's file, and its `include` statements that do so.
struct IncomingCall: Encodable {
  var from: CallHierarchyItem
  var fromRanges: [TextRange]
}

/// A file that the item's file includes, and the `include` statements that do so.
struct OutgoingCall: Encodable {
  var to: CallHierarchyItem
  var fromRanges: [TextRange]
}

extension SyntaxTree {
  /// Returns the range of the `include` statement whose path has the range `path`: from the keyword to the semicolon,
  /// if there is one.
  func includeStatement(ofPath path: SourceRange) -> SourceRange {
    for case .include(let token, _) in items where Int(tokens[token].start) == path.start {
      let start = token > 0 ? Int(tokens[token - 1].start) : path.start
      let isEnded = token + 1 < tokens.count && tokens[token + 1].kind == .semicolon
      return SourceRange(file: path.file, start: start, end: isEnded ? Int(tokens[token + 1].end) : path.end)
    }
    return path
  }
}

extension LanguageServerSession {
  /// Returns the file that the include at a position names, or the document itself if there is no include; nil if the
  /// file cannot be read.
  mutating func hierarchyItems(_ params: DocumentPositionParams) throws -> [CallHierarchyItem]? {
    guard let context = try context(params.textDocument.uri) else { return nil }
    let file = context.inclusion(at: params.position)?.file ?? context.file
    return [item(file, in: context.analysis.compilation.sources, context.texts)]
  }

  /// Returns the files that a file includes, in the order of their first `include` statements; nil if the file cannot
  /// be read.
  mutating func outgoingCalls(_ params: CallHierarchyParams) throws -> [OutgoingCall]? {
    guard let context = try context(params.item.uri) else { return nil }
    var statements: [FileID: [TextRange]] = [:]
    var order: [FileID] = []
    for inclusion in context.schema[context.file].inclusions {
      if statements[inclusion.file] == nil { order.append(inclusion.file) }
      let statement = context.tree.includeStatement(ofPath: inclusion.range)
      statements[inclusion.file, default: []].append(context.text.range(statement))
    }
    return order.map { file in
      OutgoingCall(
        to: item(file, in: context.analysis.compilation.sources, context.texts), fromRanges: statements[file] ?? [])
    }
  }

  /// Returns the files of the workspace that include a file, by URI.
  mutating func incomingCalls(_ params: CallHierarchyParams) throws -> [IncomingCall] {
    let included = identity(params.item.uri)
    return workspaceSymbols().files.values.compactMap { file in
      let paths = file.includes.filter { $0.identity == included }.map(\.path)
      guard !paths.isEmpty else { return nil }
      let text = DocumentText(file.source.bytes, client.encoding)
      return IncomingCall(
        from: item(at: file.source.path, text),
        fromRanges: paths.map { text.range(file.tree.includeStatement(ofPath: $0)) })
    }.sorted { $0.from.uri < $1.from.uri }
  }

  private func item(_ file: FileID, in sources: SourceMap, _ texts: SourceTexts) -> CallHierarchyItem {
    item(at: sources[file].path, texts.text(file))
  }

  private func item(at path: String, _ text: DocumentText) -> CallHierarchyItem {
    let uri = uri(ofFileAt: path)
    let path = DocumentURI.path(uri)
    var names = path.split(separator: "/", omittingEmptySubsequences: false)
    let name = names.popLast().map(String.init) ?? path
    let folder = names.joined(separator: "/")
    let isDirect = path == name || folders.contains(folder)
    let root = folders.first { folder.hasPrefix($0 + "/") }
    return CallHierarchyItem(
      name: name, detail: isDirect ? nil : root.map { String(folder.dropFirst($0.count + 1)) } ?? folder, uri: uri,
      range: text.wholeRange)
  }
}
