import FBSDiagnostics
import FBSSchema

/// The diagnostics that the client has been sent, and the documents that have to be analysed again.
struct DiagnosticPublishing {
  /// The URIs of the open documents whose diagnostics are to be computed, in order.
  var waiting: [String] = []
  /// The URIs of the open documents to compare with their earlier version, in order.
  var comparing: [String] = []
  var hasWork: Bool { !waiting.isEmpty || !comparing.isEmpty }
  /// For the URI of each open document, the diagnostics of its compilation, by the URIs of the files.
  private var found: [String: [String: [EditorDiagnostic]]] = [:]
  private var sent: [String: [EditorDiagnostic]] = [:]
  /// The URIs of the documents whose last report to a client that pulls had findings against the earlier version.
  /// One is left out as soon as the client is asked to pull again because there are none any more.
  private(set) var pulledWithFindings: Set<String> = []
  /// For the URI of each document, the other files in its reports to a client that pulls.
  private var related: [String: RelatedFiles] = [:]
  /// The URIs of the files about which a client may show diagnostics because of reports of documents that were closed.
  private var orphaned: Set<String> = []
  /// How many documents with reports about other files were closed. A file may be left behind again and again, and each
  /// time the next report has to be another one.
  private(set) var closings = 0

  /// The files about which a client may show diagnostics because of a document's reports.
  private struct RelatedFiles {
    /// The URIs of the files with diagnostics in the last report.
    var reported: Set<String> = []
    /// For the URI of each file that reports have called clean since, the result ID of the last of these reports. The
    /// client may have dropped them all, since it cancels requests.
    var cleared: [String: String] = [:]
  }

  /// Replaces the diagnostics of a document's compilation.
  /// - Returns: the URIs whose diagnostics may have changed.
  mutating func set(_ diagnostics: [String: [EditorDiagnostic]], of uri: String) -> Set<String> {
    let before = found.updateValue(diagnostics, forKey: uri) ?? [:]
    return Set(before.keys).union(diagnostics.keys)
  }

  /// Forgets a document that was closed.
  /// - Returns: the URIs whose diagnostics may have changed.
  mutating func forget(_ uri: String) -> Set<String> {
    pulledWithFindings.remove(uri)
    if let files = related.removeValue(forKey: uri) {
      orphaned.formUnion(files.reported.union(files.cleared.keys))
      closings += 1
    }
    return Set((found.removeValue(forKey: uri) ?? [:]).keys)
  }

  /// Records whether the report of a document to a client that pulls has findings against the earlier version.
  mutating func setPulled(withFindings hasFindings: Bool, of uri: String) {
    guard hasFindings else {
      pulledWithFindings.remove(uri)
      return
    }
    pulledWithFindings.insert(uri)
  }

  /// Returns the URIs that a document's next report may have to call clean, for which a report is due even if the
  /// document's diagnostics are the same.
  func uncleared(of uri: String) -> Set<String> { orphaned.union((related[uri]?.cleared ?? [:]).keys) }

  /// Replaces the URIs of the other files in a document's report.
  /// - Parameter resultID: the ID of the report.
  /// - Returns: the URIs that the report has to call clean: earlier reports of the document had them, or those of a
  ///   document that was closed, no report has them now, and the client has not confirmed a report that called them
  ///   clean.
  mutating func setRelated(_ uris: Set<String>, of uri: String, in resultID: String) -> Set<String> {
    let before = related[uri] ?? RelatedFiles()
    related[uri] = RelatedFiles(reported: uris)
    let known = before.reported.union(before.cleared.keys).union(orphaned)
    orphaned = []
    let gone = related.values.reduce(known) { $0.subtracting($1.reported) }
    related[uri]?.cleared = Dictionary(uniqueKeysWithValues: gone.map { ($0, resultID) })
    return gone
  }

  /// Forgets the files that a report called clean, because the client has that report.
  mutating func confirm(_ resultID: String, of uri: String) {
    guard let cleared = related[uri]?.cleared, !cleared.isEmpty else { return }
    related[uri]?.cleared = cleared.filter { $0.value != resultID }
  }

  /// Returns the diagnostics to send about a URI; nil if the client was last sent these diagnostics.
  /// - Parameter owner: the URI of the document, if it is open. Then only the diagnostics of its own compilation
  ///   count: those of documents that include it are duplicates, or useless here.
  mutating func update(_ uri: String, owner: String?) -> [EditorDiagnostic]? {
    var diagnostics: [EditorDiagnostic] = []
    if let owner {
      diagnostics = found[owner]?[uri] ?? []
    } else {
      var seen: Set<EditorDiagnostic> = []
      for (_, files) in found.sorted(by: { $0.key < $1.key }) {
        diagnostics += (files[uri] ?? []).filter { seen.insert($0).inserted }
      }
    }
    guard diagnostics != sent[uri] ?? [] else { return nil }
    sent[uri] = diagnostics.isEmpty ? nil : diagnostics
    return diagnostics
  }
}

extension LanguageServerSession {
  /// Computes and sends the diagnostics of the next waiting document.
  mutating func publishNext() {
    guard !publishing.waiting.isEmpty else { return }
    let uri = publishing.waiting.removeFirst()
    guard let document = documents[uri] else { return }
    let found =
      document.isTooLarge
      ? [document.uri: [.tooLarge(document.text.bytes.count)]]
      : diagnostics(analysis(document.path, of: document), of: document)
    let touched = publishing.set(found, of: uri)
    // Sent even without diagnostics, so that an editor can show that the document was checked.
    publish(touched, always: document.uri)
  }

  mutating func publish(_ uris: Set<String>, always: String? = nil) {
    guard !client.pullsDiagnostics else { return }
    for uri in uris.union(always.map { [$0] } ?? []).sorted() {
      let document = document(at: uri)
      let update = publishing.update(uri, owner: document?.uri)
      guard let diagnostics = update ?? (uri == always ? publishing.current(uri) : nil) else { continue }
      notify(
        "textDocument/publishDiagnostics",
        PublishDiagnosticsParams(uri: uri, version: document?.version, diagnostics: diagnostics))
    }
  }

  mutating func pullDiagnostics(_ params: PullDiagnosticsParams) throws -> DiagnosticReport {
    guard let context = try context(params.textDocument.uri) else {
      let large = self.document(at: params.textDocument.uri)?.text.bytes.count
      return DiagnosticReport(kind: "full", resultId: "", items: large.map { [.tooLarge($0)] } ?? [])
    }
    if let id = params.previousResultId { publishing.confirm(id, of: context.uri) }
    let document = documents[context.uri]
    // A client that cannot be told of findings later gets them now.
    if !client.refreshesDiagnostics, let document { _ = evolution(of: document) }
    if document != nil {
      publishing.setPulled(withFindings: evolutions[context.uri]?.isEmpty == false, of: context.uri)
    }
    var found = diagnostics(context.analysis, of: document)
    let own = found.removeValue(forKey: context.uri) ?? []
    let others = found.filter { self.document(at: $0.key) == nil }
    var hasher = Hasher()
    hasher.combine(own)
    hasher.combine(others)
    // A client that has the report with these has confirmed them by its ID.
    let uncleared = publishing.uncleared(of: context.uri)
    if client.takesRelatedDocuments, document != nil, !uncleared.isEmpty {
      for uri in uncleared.sorted() { hasher.combine(uri) }
      hasher.combine(publishing.closings)
    }
    let resultID = String(hasher.finalize())
    guard params.previousResultId != resultID else { return DiagnosticReport(kind: "unchanged", resultId: resultID) }
    guard client.takesRelatedDocuments else { return DiagnosticReport(kind: "full", resultId: resultID, items: own) }
    var related = others
    // A client keeps the diagnostics of a file until it gets others. An open document has a report of its own.
    let gone = document == nil ? [] : publishing.setRelated(Set(others.keys), of: context.uri, in: resultID)
    for uri in gone where self.document(at: uri) == nil { related[uri] = [] }
    return DiagnosticReport(
      kind: "full", resultId: resultID, items: own,
      relatedDocuments: related.mapValues { DiagnosticReport.Related(items: $0) })
  }

  /// Returns the diagnostics of a document, by the URIs of the files: the diagnostics of its analysis, and the findings
  /// of its comparison with the earlier version, as far as they are known.
  /// - Parameter document: the document, if it is open.
  func diagnostics(_ analysis: DocumentAnalysis, of document: OpenDocument?) -> [String: [EditorDiagnostic]] {
    let conversion = DiagnosticConversion(
      texts: texts(in: analysis, of: document), pages: options.pages ?? host.pages)
    var result: [String: [EditorDiagnostic]] = [:]
    for diagnostic in analysis.diagnostics {
      let uri = conversion.texts.uri(diagnostic.range.file)
      result[uri, default: []].append(conversion.convert(diagnostic))
    }
    for finding in document.flatMap({ evolutions[$0.uri] }) ?? [] {
      let uri = conversion.texts.uri(finding.range.file)
      let shown = conversion.convert(finding, page: DiagnosticConversion.evolutionPage)
      // The linter says the same of a comment that allows something.
      if result[uri]?.contains(shown) != true { result[uri, default: []].append(shown) }
    }
    return result
  }
}

extension EditorDiagnostic {
  /// Returns the diagnostic that a document is too large to be analyzed while it is edited. Such a document has no
  /// other.
  fileprivate static func tooLarge(_ size: Int) -> EditorDiagnostic {
    let start = TextPosition(line: 0, character: 0)
    let megabyte = 1_000_000
    return EditorDiagnostic(
      range: TextRange(start: start, end: start), severity: 2, source: "dflatc",
      message: """
        this document has \(size / megabyte) MB, which is too large to be checked while it is edited: the limit is \
        \(OpenDocument.maximumAnalyzedSize / megabyte) MB
        `dflatc compile` and `dflatc lint` check the file
        """)
  }
}

extension DiagnosticPublishing {
  /// Returns the diagnostics that were last sent about a URI.
  func current(_ uri: String) -> [EditorDiagnostic] { sent[uri] ?? [] }
}

/// Converts the compiler's diagnostics to diagnostics of the protocol.
struct DiagnosticConversion {
  let texts: SourceTexts
  /// The URL of the folder with the pages about codes.
  let pages: String?

  /// Converts a diagnostic.
  /// - Parameter page: the name of the page about the code; nil for a code of the compiler or the linter.
  func convert(_ diagnostic: Diagnostic, page: String? = nil) -> EditorDiagnostic {
    let severity =
      switch diagnostic.severity {
      case .error: 1
      case .warning: 2
      case .note: 3
      }
    let id = diagnostic.code.id
    let lines = [diagnostic.message] + (diagnostic.advice.isEmpty ? [] : [diagnostic.advice])
    return EditorDiagnostic(
      range: texts.range(diagnostic.range), severity: severity, code: id,
      codeDescription: pages.map { .init(href: Self.address(of: id, on: page ?? Self.page(of: id), in: $0)) },
      source: "dflatc",
      message: (lines + diagnostic.notes.map { "note: \($0)" }).joined(separator: "\n"),
      tags: Self.codesOfUnused.contains(id) ? [1] : nil,
      relatedInformation: diagnostic.labels.isEmpty
        ? nil
        : diagnostic.labels.map {
          .init(location: texts.location($0.range), message: $0.text.isEmpty ? diagnostic.message : $0.text)
        })
  }

  /// The rules of `dflatc lint` that find removable text.
  private static let codesOfUnused: Set<String> = ["unused-include", "duplicate-include", "unused-type"]

  /// The page about the rules of `dflatc check`.
  static let evolutionPage = "evolution-rules.md"

  private static func page(of id: String) -> String {
    let isNumbered = id.hasPrefix("D") && id.dropFirst().allSatisfy(\.isNumber)
    return isNumbered ? "diagnostics.md" : "lint-rules.md"
  }

  private static func address(of id: String, on page: String, in pages: String) -> String {
    (pages.hasSuffix("/") ? pages : pages + "/") + page + "#" + id.lowercased()
  }
}
