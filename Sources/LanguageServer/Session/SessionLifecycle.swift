import Emitters
import FBSDiagnostics

// The beginning of a session, and changes during it.

extension LanguageServerSession {
  mutating func initialize(_ params: InitializeParams) throws -> InitializeResult {
    let capabilities = params.capabilities
    if capabilities?.general?.positionEncodings?.contains(PositionEncoding.utf8.rawValue) == true {
      client.encoding = .utf8
    }
    client.pullsDiagnostics = capabilities?.textDocument?.diagnostic != nil
    client.takesRelatedDocuments = capabilities?.textDocument?.diagnostic?.relatedDocumentSupport ?? false
    client.refreshesDiagnostics = capabilities?.workspace?.diagnostics?.refreshSupport ?? false
    client.watchesFiles = capabilities?.workspace?.didChangeWatchedFiles?.dynamicRegistration ?? false
    options = params.initializationOptions?.options ?? ServerOptions()
    folders = params.workspaceFolders?.map { DocumentURI.path($0.uri) } ?? []
    if folders.isEmpty, let root = params.rootUri.map(DocumentURI.path) ?? params.rootPath { folders = [root] }
    state = .running
    report(params.initializationOptions?.mistake)
    reportUnknownEmitters()
    return InitializeResult(
      capabilities: ServerCapabilities(positionEncoding: client.encoding.rawValue),
      serverInfo: .init(name: "dflatc", version: host.version))
  }

  mutating func registerWatchers() {
    guard client.watchesFiles else { return }
    let watchers = ["**/*.fbs", "**/.dflatc.json"].map { pattern in
      RegistrationParams.Registration.Options.Watcher(globPattern: pattern)
    }
    request(
      "client/registerCapability",
      RegistrationParams(registrations: [
        .init(
          id: "files", method: "workspace/didChangeWatchedFiles", registerOptions: .init(watchers: watchers))
      ]))
  }

  mutating func configure(_ params: ConfigurationParams) {
    report(params.settings?.dflatc?.mistake)
    guard let changed = params.settings?.dflatc?.options else { return }
    options = changed
    reportUnknownEmitters()
    filesChanged()
  }

  mutating func changeFolders(_ params: FoldersChangeParams) {
    let removed = params.event.removed.map { DocumentURI.path($0.uri) }
    folders = folders.filter { !removed.contains($0) } + params.event.added.map { DocumentURI.path($0.uri) }
    filesChanged()
  }

  /// Returns the emitters whose rules a schema follows: those that the editor has set, or else those of its configuration.
  func emitters(for path: String) -> [any Emitter] {
    var names = options.emit ?? []
    if names.isEmpty { names = configuration(for: path).emit }
    return names.isEmpty ? EmitterRegistry.defaults : EmitterRegistry.all.filter { names.contains($0.name) }
  }

  /// Tells the person why the settings of the editor cannot be used, if there is a reason. The earlier ones hold.
  private mutating func report(_ mistake: String?) {
    guard let mistake else { return }
    notify("window/showMessage", ShowMessageParams(type: 2, message: "dflatc: the settings are ignored: \(mistake)"))
  }

  private mutating func reportUnknownEmitters() {
    for name in options.emit ?? [] where EmitterRegistry.emitter(named: name) == nil {
      let near = nearestName(to: name, in: EmitterRegistry.all.map(\.name)).map { ": did you mean \($0)?" } ?? ""
      notify("window/showMessage", ShowMessageParams(type: 2, message: "dflatc: there is no emitter \(name)\(near)"))
    }
  }

  /// Returns the folders in which the includes of a schema are looked for: the folders that the editor has set, then those of
  /// the configuration.
  func includePaths(for path: String) -> [String] {
    let own = configuration(for: path).includePaths
    return includePaths + own.filter { !includePaths.contains($0) }
  }

  /// The folders in which includes are looked for, as the editor has set them.
  var includePaths: [String] {
    (options.includePaths ?? []).map { path in
      path.hasPrefix("/") ? path : (folders.first.map { $0 + "/" } ?? "") + path
    }
  }

  // MARK: Documents

  mutating func open(_ params: DidOpenParams) {
    let uri = params.textDocument.uri
    let path = DocumentURI.path(uri)
    documents.set(
      OpenDocument(
        uri: uri, path: path, identity: host.identity(of: path), version: params.textDocument.version,
        text: DocumentText(Array(params.textDocument.text.utf8), client.encoding)))
    filesChanged(first: uri)
  }

  /// Applies the edits of a message in order. Ignores a document that is not open: its text is not known.
  mutating func change(_ params: DidChangeParams) {
    // Removed, or the text would be copied.
    guard let uri = self.document(at: params.textDocument.uri)?.uri, var document = documents.remove(uri) else {
      return note("! a change of a document that is not open")
    }
    for change in params.contentChanges { document.text.replace(change.range, with: change.text) }
    document.version = params.textDocument.version
    let identity = host.identity(of: document.path)
    let isOtherFile = identity != document.identity
    document.identity = identity
    documents.set(document)
    if document.isTooLarge { validAnalyses[uri] = nil }
    // A file was created, or a link was changed: other includes may lead to it now.
    guard !isOtherFile else { return filesChanged(first: uri) }
    workspace = nil
    var others: [String] = []
    for (other, document) in documents.documents where other != uri && !document.isTooLarge {
      guard let analysis = analyses[other], !analysis.mayDepend(on: identity) else {
        others.append(other)
        continue
      }
    }
    markStale([uri] + others.sorted(), asked: uri)
    compareAgain(first: uri)
  }

  mutating func close(_ params: DocumentParams) {
    guard let uri = document(at: params.textDocument.uri)?.uri, documents.remove(uri) != nil else { return }
    analyses[uri] = nil
    validAnalyses[uri] = nil
    configurationMistakes.forget(uri)
    comparisonMistakes.forget(uri)
    publishing.waiting.removeAll { $0 == uri }
    let touched = publishing.forget(uri)
    filesChanged()
    publish(touched.union([uri]))
  }

  /// Drops all analyses, since files on disk may have changed.
  /// - Parameter first: the URI of the document to analyze first.
  mutating func filesChanged(first: String? = nil) {
    let host = host
    documents.refreshIdentities { host.identity(of: $0) }
    workspace = nil
    let others = documents.documents.keys.filter { $0 != first }.sorted()
    markStale((first.map { [$0] } ?? []) + others, asked: first)
    compareAgain(first: first)
  }

  /// Drops the analyses of documents, and has their diagnostics computed again.
  ///
  /// - Parameter asked: the document that a pulling client asks about by itself, since it has changed the document. The
  ///   server tells the client about the others.
  private mutating func markStale(_ uris: [String], asked: String?) {
    for uri in uris { analyses[uri] = nil }
    guard !client.pullsDiagnostics else {
      if client.refreshesDiagnostics, uris.contains(where: { $0 != asked }) {
        request("workspace/diagnostic/refresh", NoParams?.none)
      }
      return
    }
    publishing.waiting.removeAll { uris.contains($0) }
    publishing.waiting.insert(contentsOf: uris, at: 0)
  }

  func identity(_ uri: String) -> String { host.identity(of: DocumentURI.path(uri)) }

  /// Returns the open document that a URI means; nil if there is none. A client may spell the URI otherwise than when
  /// it opened the document.
  func document(at uri: String) -> OpenDocument? { documents[uri] ?? documents.document(of: identity(uri)) }

  /// Returns the texts of open documents, by the identities of their files.
  /// - Parameter document: the document to look at. Its own text counts, also if it is not the latest of its file.
  func texts(for document: OpenDocument? = nil) -> [String: [UInt8]] {
    var texts = documents.texts
    if let document { texts[host.identity(of: document.path)] = document.text.bytes }
    return texts
  }

  /// Returns the files of the host, in which the texts of open documents replace those on disk.
  /// - Parameter document: the document to look at; see `texts(for:)`.
  func files(for document: OpenDocument? = nil) -> OverlaidFiles<Host> {
    OverlaidFiles(host: host, texts: texts(for: document))
  }
}
