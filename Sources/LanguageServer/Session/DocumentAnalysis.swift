import Emitters
import FBSDiagnostics
import FBSParser
import FBSSchema
import SchemaLinting

/// The results of `dflatc compile` and `dflatc lint` for one document and all that it includes.
struct DocumentAnalysis {
  let result: IncrementalCompiler.Result
  /// The identities of the files that were read.
  let identities: Set<String>
  /// The diagnostics of both commands, without duplicates. The compiler's fixes are not verified.
  let diagnostics: [Diagnostic]
  /// The linter's findings, whose fixes need no verification.
  let findings: [Diagnostic]

  var compilation: Compilation { result.compilation }
  var trees: [SyntaxTree] { result.trees }

  /// Returns whether a change of another document may affect this one.
  func mayDepend(on identity: String) -> Bool { identities.contains(identity) || hasMissingInclude }

  /// Whether an include was not found. A document that is opened later may be the missing file.
  private let hasMissingInclude: Bool

  /// Checks and lints the result of a compilation.
  /// - Parameters:
  ///   - checker: the checker of all documents.
  ///   - emitters: the emitters whose rules the schema follows.
  ///   - linter: the linter; nil if the document is not linted.
  ///   - vendored: the paths of the files about which no warnings are reported.
  init(
    _ result: IncrementalCompiler.Result, checker: inout IncrementalChecker, emitters: [any Emitter], linter: Linter?,
    vendored: Set<String>
  ) {
    self.result = result
    let compilation = result.compilation
    identities = result.identities
    let compiled = checker.diagnostics(
      of: vendored.isEmpty ? compilation : compilation.withoutWarnings(about: vendored.contains), shape: result.shape,
      emitters: emitters)
    let report = linter?.lint(result)
    findings = report?.findings ?? []
    diagnostics = (compiled + findings + (report?.commentDiagnostics ?? [])).inSourceOrder()
    hasMissingInclude = compiled.contains { $0.code == .missingInclude }
  }
}

extension LanguageServerSession {
  /// Returns the analysis of a file. Reuses the last analysis of an open document if nothing has changed since.
  /// - Parameter document: the document, if the file is open.
  mutating func analysis(_ path: String, of document: OpenDocument?) -> DocumentAnalysis {
    if let document, let analysis = analyses[document.uri] { return analysis }
    // Other settings than those of the linter are of the configuration, too.
    if let document, let mistake = configurationMistakes.update(configuration(for: path).mistake, of: document.uri) {
      notify("window/showMessage", ShowMessageParams(type: 1, message: "dflatc: \(mistake)"))
    }
    let files = files(for: document)
    let result = compiler.compile(inputs: [path], includePaths: includePaths(for: path), provider: files)
    let linter = linter(for: path)
    let analysis = DocumentAnalysis(
      result, checker: &checker, emitters: emitters(for: path), linter: linter,
      vendored: vendoredFiles(of: result.compilation, input: path))
    if let document {
      analyses[document.uri] = analysis
      if analysis.compilation.isValid { validAnalyses[document.uri] = analysis }
    }
    return analysis
  }

  private func linter(for path: String) -> Linter? {
    guard options.lint != false, !isExcluded(path) else { return nil }
    let configuration = configuration(for: path)
    var linter = Linter(configuration.lint)
    linter.otherRules = configuration.otherRules
    return linter
  }

  /// Returns a document with its analysis. Returns nil for an open document that is too large to be analyzed, and for a
  /// document that is not open and cannot be read.
  mutating func context(_ uri: String) throws -> DocumentContext? {
    let document = document(at: uri)
    guard document?.isTooLarge != true else { return nil }
    let analysis = analysis(document?.path ?? DocumentURI.path(uri), of: document)
    guard let source = analysis.compilation.sources.files.first, analysis.compilation.unreadableInputs.isEmpty else {
      return nil
    }
    return DocumentContext(
      uri: document?.uri ?? uri, text: document?.text ?? DocumentText(source.bytes, client.encoding),
      analysis: analysis, texts: texts(in: analysis, of: document))
  }

  /// Returns the texts and URIs of the files of an analysis.
  /// - Parameter document: the document that was analyzed, if it is open.
  func texts(in analysis: DocumentAnalysis, of document: OpenDocument?) -> SourceTexts {
    SourceTexts(analysis.compilation.sources, encoding: client.encoding) { path in
      // Another document of the same file may have been changed later.
      if let document, document.path == path { return document.uri }
      return uri(ofFileAt: path)
    }
  }

  /// Returns the URI of a file, as the client spells it: it compares URIs as texts, and knows an open file by the URI of
  /// its document, and any other by a path without the `.` and `..` of includes.
  func uri(ofFileAt path: String) -> String {
    let identity = host.identity(of: path)
    if let document = documents.document(of: identity) { return document.uri }
    guard path.hasPrefix("/") else { return path }
    let normalized = SourcePath.normalized(path)
    // A `..` behind a link may lead to another folder than the text says.
    let isSame = normalized == path || host.identity(of: normalized) == identity
    return DocumentURI.uri(isSame ? normalized : identity)
  }
}
