import FBSDiagnostics
import FBSParser

/// The syntax trees of earlier compilations. A file whose text did not change is not parsed again.
///
/// A tree is used again if the path and every byte of the file are unchanged, so that the result of a compilation is
/// the same with and without it. Trees that the last compilations did not need are dropped.
public struct ParsedFiles: Sendable {
  private struct Entry {
    let bytes: [UInt8]
    let tree: SyntaxTree
    let diagnostics: [Diagnostic]
    var lastUse: Int
  }

  private var entries: [String: Entry] = [:]
  private var compilation = 0
  /// The number of files that were parsed, and not taken from an earlier compilation.
  package private(set) var parsedCount = 0

  /// The number of compilations after which a tree that none of them needs is dropped. Editors compile some files in
  /// turn.
  private static let maximumAge = 256

  /// Creates a collection without trees.
  public init() {}

  /// Counts a compilation, and drops the trees that no recent one has used.
  mutating func startCompilation() {
    compilation += 1
    guard compilation.isMultiple(of: Self.maximumAge) else { return }
    let oldest = compilation - Self.maximumAge
    entries = entries.filter { $0.value.lastUse > oldest }
  }

  /// Returns the result of parsing a file. Reuses the result of an earlier compilation if the file is unchanged.
  mutating func parse(_ source: SourceFile) -> (tree: SyntaxTree, diagnostics: [Diagnostic]) {
    if let entry = entries[source.path], entry.bytes == source.bytes,
      entry.tree.source.isOfBinarySchema == source.isOfBinarySchema
    {
      entries[source.path]?.lastUse = compilation
      guard entry.tree.source.id != source.id else { return (entry.tree, entry.diagnostics) }
      let diagnostics = entry.diagnostics.map { diagnostic in
        diagnostic.relocated { SourceRange(file: source.id, start: $0.start, end: $0.end) }
      }
      return (entry.tree.moved(to: source), diagnostics)
    }
    let (tree, diagnostics) = Parser.parse(source)
    parsedCount += 1
    entries[source.path] = Entry(
      bytes: source.bytes, tree: tree, diagnostics: diagnostics, lastUse: compilation)
    return (tree, diagnostics)
  }
}
