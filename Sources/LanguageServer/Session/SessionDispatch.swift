// The dispatch of methods to functions.

extension LanguageServerSession {
  mutating func receive(notification method: String, _ body: [UInt8]) throws {
    func params<Params: Decodable>(_ type: Params.Type) throws -> Params {
      try RPCCoding.decode(IncomingParams<Params>.self, from: body).params
    }
    if method == "exit" {
      state = .exited(state == .shutDown ? 0 : 1)
      return
    }
    guard state == .running else { return }
    switch method {
    case "initialized": registerWatchers()
    case "textDocument/didOpen": open(try params(DidOpenParams.self))
    case "textDocument/didChange": change(try params(DidChangeParams.self))
    case "textDocument/didClose": close(try params(DocumentParams.self))
    case "textDocument/didSave", "workspace/didChangeWatchedFiles": filesChanged()
    case "workspace/didChangeConfiguration": configure(try params(ConfigurationParams.self))
    case "workspace/didChangeWorkspaceFolders": changeFolders(try params(FoldersChangeParams.self))
    default: break
    }
  }

  /// Answers a request.
  ///
  /// - Returns: the body of the answer.
  mutating func answer(request method: String, _ id: RequestID, _ body: [UInt8]) throws -> [UInt8] {
    if method == "initialize" {
      guard state == .new else { throw RPCError(code: -32600, message: "`initialize` comes once") }
      return try Self.answer(id, body) { try initialize($0) }
    }
    switch state {
    case .new: throw RPCError.notInitialized
    case .shutDown, .exited: throw RPCError.shutDown
    case .running: break
    }
    switch method {
    case "shutdown":
      state = .shutDown
      return try RPCCoding.encode(ResultMessage(id: id, result: String?.none))
    case "textDocument/diagnostic": return try Self.answer(id, body) { try pullDiagnostics($0) }
    case "textDocument/formatting":
      return try Self.answer(id, body) { (params: DocumentParams) in
        try formatted(params.textDocument.uri)?.formatting()
      }
    case "textDocument/rangeFormatting":
      return try Self.answer(id, body) { (params: DocumentRangeParams) in
        try formatted(params.textDocument.uri)?.formatting(within: params.range)
      }
    case "textDocument/onTypeFormatting":
      return try Self.answer(id, body) { (params: TypedCharacterParams) in
        try formatted(params.textDocument.uri, isTyping: true)?
          .formatting(afterTyping: params.ch, at: params.position)
      }
    case "textDocument/documentSymbol":
      return try Self.answer(id, body) { (params: DocumentParams) in
        try context(params.textDocument.uri)?.documentSymbols()
      }
    case "textDocument/foldingRange":
      return try Self.answer(id, body) { (params: DocumentParams) in
        try context(params.textDocument.uri)?.foldingRanges()
      }
    case "textDocument/selectionRange":
      return try Self.answer(id, body) { (params: SelectionRangeParams) in
        try context(params.textDocument.uri)?.selectionRanges(at: params.positions)
      }
    case "textDocument/documentLink":
      return try Self.answer(id, body) { (params: DocumentParams) in
        try context(params.textDocument.uri)?.documentLinks()
      }
    case "textDocument/inlayHint":
      return try Self.answer(id, body) { (params: DocumentRangeParams) in
        try context(params.textDocument.uri)?.inlayHints(in: params.range)
      }
    case "textDocument/semanticTokens/full":
      return try Self.answer(id, body) { (params: DocumentParams) in
        try context(params.textDocument.uri)?.semanticTokens(in: nil)
      }
    case "textDocument/semanticTokens/range":
      return try Self.answer(id, body) { (params: DocumentRangeParams) in
        try context(params.textDocument.uri)?.semanticTokens(in: params.range)
      }
    case "textDocument/hover":
      return try Self.answer(id, body) { (params: DocumentPositionParams) in
        try context(params.textDocument.uri)?.hover(at: params.position)
      }
    case "textDocument/completion":
      return try Self.answer(id, body) { (params: DocumentPositionParams) in try completion(params) }
    case "textDocument/definition":
      return try Self.answer(id, body) { (params: DocumentPositionParams) in
        try context(params.textDocument.uri)?.definition(at: params.position)
      }
    case "textDocument/documentHighlight":
      return try Self.answer(id, body) { (params: DocumentPositionParams) in
        try context(params.textDocument.uri)?.highlights(at: params.position)
      }
    case "textDocument/references": return try Self.answer(id, body) { try references($0) }
    case "textDocument/prepareCallHierarchy": return try Self.answer(id, body) { try hierarchyItems($0) }
    case "callHierarchy/outgoingCalls": return try Self.answer(id, body) { try outgoingCalls($0) }
    case "callHierarchy/incomingCalls": return try Self.answer(id, body) { try incomingCalls($0) }
    case "textDocument/prepareRename":
      return try Self.answer(id, body) { (params: DocumentPositionParams) in
        try context(params.textDocument.uri)?.renamable(at: params.position)
      }
    case "textDocument/rename": return try Self.answer(id, body) { try rename($0) }
    case "textDocument/codeAction": return try Self.answer(id, body) { try codeActions($0) }
    case "workspace/symbol": return try Self.answer(id, body) { try workspaceSymbols($0) }
    default: throw RPCError.methodNotFound(method)
    }
  }

  private static func answer<Params: Decodable, Result: Encodable>(
    _ id: RequestID, _ body: [UInt8], _ result: (Params) throws -> Result
  ) throws -> [UInt8] {
    let params = try RPCCoding.decode(IncomingParams<Params>.self, from: body).params
    return try RPCCoding.encode(ResultMessage(id: id, result: try result(params)))
  }
}
