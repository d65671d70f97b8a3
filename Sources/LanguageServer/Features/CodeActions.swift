import FBSDiagnostics
import FBSParser
import FBSSchema
import SchemaLinting

struct CodeActionParams: Decodable {
  struct Context: Decodable {
    /// A diagnostic that the client shows at the range. Only its place counts here.
    struct Shown: Decodable { var range: TextRange }

    var only: [String]?
    var diagnostics: [Shown]?
  }

  var textDocument: TextDocumentIdentifier
  var range: TextRange
  var context: Context?
}

struct CodeAction: Encodable {
  var title: String
  var kind: String
  var diagnostics: [EditorDiagnostic]?
  var isPreferred: Bool?
  var edit: WorkspaceEdit
}

extension LanguageServerSession {
  /// Returns the actions for a range: the fixes of the diagnostics that touch it or that the client shows there, and a
  /// comment that silences each finding of the linter among them. Also returns the rewrites of the table at the range
  /// and, if the client asks for them, all fixes of the linter at once.
  mutating func codeActions(_ params: CodeActionParams) throws -> [CodeAction] {
    guard let context = try context(params.textDocument.uri) else { return [] }
    let only = params.context?.only
    func isWanted(_ kind: String) -> Bool {
      only?.contains { kind == $0 || kind.hasPrefix($0 + ".") } ?? true
    }
    var actions: [CodeAction] = []
    var found: [Diagnostic] = []
    if let document = documents[context.uri] { found = evolution(of: document) }
    if isWanted("quickfix") { actions += quickFixes(context, found, params) }
    if isWanted("refactor.rewrite") { actions += rewrites(context, params) }
    // Editors make these fixes when a file is saved. With a mistake in the configuration, the file may be a vendored one.
    let path = context.analysis.compilation.sources[context.file].path
    if isWanted("source.fixAll"), only != nil, configuration(for: path).mistake == nil, let all = context.fixAll() {
      actions.append(all)
    }
    return actions
  }

  private func quickFixes(
    _ context: DocumentContext, _ evolution: [Diagnostic], _ params: CodeActionParams
  ) -> [CodeAction] {
    let (start, end) = (context.text.offset(of: params.range.start), context.text.offset(of: params.range.end))
    let analysis = context.analysis
    // Emacs shows a diagnostic between two characters at the word before it, and asks for that word.
    let shown = Set(params.context?.diagnostics?.map(\.range) ?? [])
    let touched = (analysis.diagnostics + evolution).filter {
      guard $0.range.file == context.file else { return false }
      return $0.range.start <= end && $0.range.end >= start || shown.contains(context.texts.range($0.range))
    }
    let conversion = DiagnosticConversion(texts: context.texts, pages: options.pages ?? host.pages)
    let rules = Set(LintRule.all.map(\.id))
    let path = analysis.compilation.sources[context.file].path
    // The compiler withdraws fixes that lead from one mistake to the next, which takes a compilation for each fix. It
    // gets all at once, since it limits their number.
    let compiled = touched.filter(Set(analysis.compilation.diagnostics).contains)
    let verified = IncrementalCompiler.verified(
      compiled, of: analysis.compilation, inputs: [path], includePaths: includePaths(for: path),
      provider: files(for: documents[context.uri]))
    let verifiedFixes = Dictionary(zip(compiled, verified.map(\.fixes))) { first, _ in first }
    let comparisonFindings = Set(evolution)
    func mayBeSilenced(_ diagnostic: Diagnostic) -> Bool {
      rules.contains(diagnostic.code.id) || comparisonFindings.contains(diagnostic)
    }
    let placement = touched.contains(where: mayBeSilenced) ? AllowCommentPlacement(context.tree) : nil
    return touched.flatMap { diagnostic -> [CodeAction] in
      let fixes = verifiedFixes[diagnostic] ?? diagnostic.fixes
      let isEvolution = comparisonFindings.contains(diagnostic)
      let shown = conversion.convert(diagnostic, page: isEvolution ? DiagnosticConversion.evolutionPage : nil)
      var actions = fixes.map { fix in
        CodeAction(
          title: fix.title, kind: "quickfix", diagnostics: [shown], isPreferred: fixes.count == 1,
          edit: context.edit(fix.edits))
      }
      if let placement, mayBeSilenced(diagnostic) { actions.append(context.silence(diagnostic, shown, placement)) }
      return actions
    }
  }
}

extension DocumentContext {
  func edit(_ edits: [Diagnostic.Edit]) -> WorkspaceEdit {
    var changes: [String: [TextEdit]] = [:]
    for edit in edits {
      changes[texts.uri(edit.range.file), default: []].append(
        TextEdit(range: texts.range(edit.range), newText: edit.replacement))
    }
    return WorkspaceEdit(changes: changes)
  }

  /// Returns the action that adds a comment above a finding, which silences the finding. The person replaces the last
  /// words of the comment by the reason.
  func silence(
    _ finding: Diagnostic, _ shown: EditorDiagnostic, _ placement: AllowCommentPlacement
  ) -> CodeAction {
    let id = finding.code.id
    let comment = placement.edit(
      adding: "// dflatc:allow \(id) say why this is meant", at: finding.range.start)
    return CodeAction(
      title: "Silence \(id) here", kind: "quickfix", diagnostics: [shown], edit: edit([comment]))
  }

  /// Returns the action with all fixes of the linter that do not overlap, as one round of `dflatc lint --fix` applies
  /// them; nil if there are none.
  func fixAll() -> CodeAction? {
    let findings = analysis.findings.filter { $0.range.file == file }
    let fixed = FixedSources(findings, in: analysis.compilation.sources)
    guard fixed.count > 0, let bytes = fixed.texts[file] else { return nil }
    return CodeAction(
      title: "Make all fixes of dflatc lint", kind: "source.fixAll",
      edit: WorkspaceEdit(changes: [
        uri: [TextEdit(range: text.wholeRange, newText: String(decoding: bytes, as: UTF8.self))]
      ]))
  }
}
