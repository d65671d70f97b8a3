import FBSDiagnostics
import FBSParser

/// The state that the stages of resolution share: the files, the symbols, and the schema as far as it is resolved.
///
/// A class, since the stages write to it one after another. It belongs to one `Resolution`, and so to one thread.
final class ResolutionScope {
  let files: [LoadedFile]
  /// The files, each after those that it includes (cycles aside).
  let order: [Int]
  /// The index of each file in `order`.
  let placeOfFile: [Int]
  let visibility: Visibility

  var symbols = SymbolTable()
  var schema = Schema()
  var diagnostics = DiagnosticList()
  /// Enums with a wrong value, which is reported and left out. A name or number that such an enum lacks is not
  /// reported, since it may belong to that value.
  var incompleteEnums: Set<EnumID> = []
  /// The JSON objects that end files.
  var objects: [PendingStatements.Object] = []
  /// Names of definitions that could not be read, which was reported: their kind is unknown.
  var unreadNames: Set<String> = []
  /// Files with an include that was not found or could not be read, which was reported. Names that they use may be
  /// defined there.
  var filesWithMissingIncludes: Set<Int> = []
  /// The remaining searches for similar names. Each takes time in proportion to the schema.
  var suggestionsLeft = maximumSuggestions
  private static let maximumSuggestions = 100

  init(files: [LoadedFile], order: [Int]) {
    self.files = files
    self.order = order
    visibility = Visibility(files)
    var places = Array(repeating: 0, count: files.count)
    for (place, file) in order.enumerated() { places[file] = place }
    placeOfFile = places
    schema.files = files.indices.map { index in
      SchemaFile(
        id: FileID(index), path: files[index].path, isInput: files[index].isInput, isEntry: files[index].isEntry)
    }
    for file in files.indices {
      schema.files[file].includes = files[file].includes.map { FileID($0) }
      schema.files[file].inclusions = files[file].inclusions.map { inclusion in
        .init(file: FileID(inclusion.file), range: files[file].tree.range(of: inclusion.path))
      }
    }
  }

  /// Returns whether names that a file uses may be defined in an include that is missing.
  func mayMissDefinitions(_ file: Int) -> Bool {
    filesWithMissingIncludes.contains { visibility.canSee($0, from: file) }
  }

  func tree(_ file: Int) -> SyntaxTree { files[file].tree }

  func intern(_ bytes: ArraySlice<UInt8>) -> Int { symbols.names.intern(bytes) }

  func builtin(_ type: TypeSyntax, _ tree: SyntaxTree) -> BuiltinType? {
    guard type.span.first == type.span.last, let name = symbols.names.find(tree.bytes(of: type.span.first)),
      name < BuiltinType.types.count
    else { return nil }
    return BuiltinType.types[name]
  }

  /// Returns whether a name is that of a number type or of bool.
  func builtinNumber(_ name: ArraySlice<UInt8>) -> Bool {
    guard let id = symbols.names.find(name), id < BuiltinType.types.count, case .scalar = BuiltinType.types[id] else {
      return false
    }
    return true
  }

  // MARK: - Diagnostics

  /// Discards the diagnostics of the text before: the next text has its own diagnostics, and its own limits.
  func startText() {
    diagnostics = DiagnosticList()
    suggestionsLeft = Self.maximumSuggestions
  }

  func report(
    _ code: DiagnosticCode, _ severity: Severity = .error, _ message: String, at range: SourceRange,
    advice: String = "", labels: [Diagnostic.Label] = [], notes: [String] = [], fixes: [Diagnostic.Fix] = []
  ) {
    diagnostics.append(
      Diagnostic(code, severity, message, at: range, advice: advice, labels: labels, notes: notes, fixes: fixes))
  }

  func error(
    _ code: DiagnosticCode, _ message: String, at range: SourceRange, advice: String = "",
    labels: [Diagnostic.Label] = [], notes: [String] = [], fixes: [Diagnostic.Fix] = []
  ) {
    report(code, .error, message, at: range, advice: advice, labels: labels, notes: notes, fixes: fixes)
  }

  func duplicateMember(_ message: String, at range: SourceRange, first: SourceRange, notes: [String] = []) {
    error(
      .duplicateMember, message, at: range, advice: "rename one", labels: [.init(first, "the first is here")],
      notes: notes)
  }
}
