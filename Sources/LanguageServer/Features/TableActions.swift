import Emitters
import FBSDiagnostics
import FBSParser
import FBSSchema
import SchemaLinting

// Code actions that rewrite tables in which nothing is wrong. Each keeps the slots of all fields, and so the bytes of data.

extension LanguageServerSession {
  /// Returns the rewrites for what a range touches. At the head of a table without ids, it is to write the ids of all
  /// fields; at a field, it is to deprecate the field, which should be done instead of removing it. A range that touches
  /// several heads or fields has no rewrites of them, since each rewrite takes a run of the linter or a compilation.
  func rewrites(_ context: DocumentContext, _ params: CodeActionParams) -> [CodeAction] {
    // Without a valid schema the slots are not known.
    guard context.analysis.compilation.isValid else { return [] }
    let start = context.text.offset(of: params.range.start)
    let range = start...max(start, context.text.offset(of: params.range.end))
    var heads: [TableDefinition] = []
    var deprecations: [(name: String, edit: Diagnostic.Edit)] = []
    for case .table(let id) in context.schema[context.file].definitions {
      let table = context.schema[id]
      guard range.overlaps(table.range.start...table.range.end) else { continue }
      if range.overlaps(table.range.start...table.declaration.nameRange.end) { heads.append(table) }
      for field in table.fields {
        guard let deprecation = context.deprecation(of: field), range.overlaps(deprecation.extent) else { continue }
        deprecations.append((field.name, deprecation.edit))
      }
    }
    var actions: [CodeAction] = []
    if heads.count == 1, let adding = context.addingIDs(to: heads[0]) { actions.append(adding) }
    if deprecations.count == 1, isAcceptable(deprecations[0].edit, in: context) {
      let (name, edit) = deprecations[0]
      actions.append(context.rewrite("Deprecate `\(name)` instead of removing it", [edit]))
    }
    return actions
  }

  /// Returns whether the schema compiles without errors after an edit: a primary field cannot be deprecated, for example.
  private func isAcceptable(_ edit: Diagnostic.Edit, in context: DocumentContext) -> Bool {
    let path = context.analysis.compilation.sources[context.file].path
    var bytes = context.text.bytes
    bytes.replaceSubrange(edit.range.start..<edit.range.end, with: Array(edit.replacement.utf8))
    let edited = EditedFile(base: files(for: documents[context.uri]), identity: host.identity(of: path), bytes: bytes)
    let compilation = SchemaCompiler.compile(
      inputs: [path], includePaths: includePaths(for: path), provider: edited)
    return !CheckedSchema.diagnostics(of: compilation, emitters: emitters(for: path)).contains { $0.severity == .error }
  }
}

extension DocumentContext {
  /// Returns the action that writes the ids of a table's fields, which follow from their order, as the fix of the rule
  /// `explicit-ids` does. Returns nil if the ids are written, or if the rule is on, so that its finding has the fix.
  fileprivate func addingIDs(to table: TableDefinition) -> CodeAction? {
    guard let rule = LintRule.named("explicit-ids") else { return nil }
    func isAboutTable(_ finding: Diagnostic) -> Bool {
      finding.code == rule.code && finding.range == table.declaration.nameRange
    }
    guard !analysis.findings.contains(where: isAboutTable) else { return nil }
    var configuration = LintConfiguration()
    for other in LintRule.all { configuration.set(other, to: other == rule ? .on : .off) }
    let finding = Linter(configuration).lint(analysis.result).findings.first(where: isAboutTable)
    return finding?.fixes.first.map { rewrite("Add an id to all fields", $0.edits) }
  }

  /// Returns the edit that deprecates a field, and the offsets of the field's text; nil if the field is deprecated
  /// already, or has empty parentheses.
  fileprivate func deprecation(
    of field: FieldDefinition
  ) -> (edit: Diagnostic.Edit, extent: ClosedRange<Int>)? {
    let start = field.declaration.nameRange.start
    guard !field.isDeprecated, let first = token(at: start) else { return nil }
    let tokens = tree.tokens
    guard let end = tokens[first...].firstIndex(where: { $0.kind == .semicolon }) else { return nil }
    let extent = start...Int(tokens[end].end)
    func insertion(_ text: String, at offset: Int) -> Diagnostic.Edit {
      .init(SourceRange(file: file, start: offset, end: offset), text)
    }
    if let attribute = field.declaration.attributes.map(\.range.start).min() {
      return (insertion("deprecated, ", at: attribute), extent)
    }
    guard tokens[end - 1].kind != .rightParenthesis else { return nil }
    return (insertion(" (deprecated)", at: Int(tokens[end - 1].end)), extent)
  }

  fileprivate func rewrite(_ title: String, _ edits: [Diagnostic.Edit]) -> CodeAction {
    CodeAction(title: title, kind: "refactor.rewrite", edit: edit(edits))
  }
}

/// A source provider that replaces the text of one file.
private struct EditedFile<Base: SourceProvider>: SourceProvider {
  let base: Base
  let identity: String
  let bytes: [UInt8]

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    base.identity(of: path) == identity ? bytes : try base.read(path)
  }

  func identity(of path: String) -> String { base.identity(of: path) }
}
