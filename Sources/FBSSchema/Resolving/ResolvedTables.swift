import FBSParser

/// The tables of the last compilation of some inputs without a syntax error, for the next one.
///
/// A table depends on its own text, and on what stands outside of the bodies of tables. So the tables whose text has
/// not changed are used again if nothing but bodies of tables has changed elsewhere, with their ranges moved. If a file
/// has a diagnostic about a table, its tables are resolved each time, since each diagnostic counts towards limits of the
/// whole run.
struct ResolvedTables: Sendable {
  /// The tables to start from, and whether each of them, by its index, need not be resolved again.
  struct Kept {
    let tables: [TableDefinition]
    let isFinal: [Bool]
  }

  private var files: [LoadedFile] = []
  private var order: [Int] = []
  private var tables: [TableDefinition] = []
  private var isClean: [Bool] = []
  /// The shape of the schema that was resolved last.
  private(set) var shape = SchemaShape()
  /// The number of tables that were resolved, and not taken from an earlier compilation.
  var resolvedCount = 0

  /// Returns the tables that can be used again to resolve files without a syntax error; nil if every table has to be
  /// resolved.
  /// - Parameter order: the files, each after those that it includes.
  func kept(for files: [LoadedFile], order: [Int]) -> Kept? {
    guard files.count == self.files.count, order == self.order else { return nil }
    var tables = self.tables
    var isFinal = tables.map { isClean[$0.range.file.index] }
    for (index, (old, new)) in zip(self.files, files).enumerated() {
      guard old.hasSameIncludes(as: new) else { return nil }
      if old.tree.source.bytes == new.tree.source.bytes { continue }
      guard old.tree.hasSameOutline(as: new.tree) else { return nil }
      // The tables of a file follow one another, in the order of the text.
      guard isClean[index], var table = tables.firstIndex(where: { $0.range.file.index == index }) else { continue }
      for (earlier, later) in zip(old.tree.tableSpans, new.tree.tableSpans) {
        let (before, now) = (old.tree.bytes(of: earlier), new.tree.bytes(of: later))
        isFinal[table] = before.elementsEqual(now)
        // A table moves with the text before it.
        if isFinal[table] { tables[table] = tables[table].moved(by: now.startIndex - before.startIndex) }
        table += 1
      }
    }
    return Kept(tables: tables, isFinal: isFinal)
  }

  /// Replaces the tables by those of a later compilation without a syntax error.
  /// - Parameters:
  ///   - kept: the result of `kept(for:order:)` with which they were resolved.
  ///   - isClean: whether the tables of each file, by its index, were resolved without a diagnostic.
  mutating func update(
    _ tables: [TableDefinition], of files: [LoadedFile], order: [Int], kept: Kept?, isClean: [Bool]
  ) {
    let isAlike =
      kept != nil
      && tables.indices.allSatisfy { index in
        kept?.isFinal[index] == true || tables[index].hasSameShape(as: self.tables[index])
      }
    if !isAlike { shape = SchemaShape() }
    (self.tables, self.files, self.order, self.isClean) = (tables, files, order, isClean)
  }
}

/// A mark of a schema, to notice that its types have not changed. If two results of one `IncrementalCompiler` have the
/// same shape, their schemas have the same types with the same fields. Only the names and the documentation of tables'
/// fields may differ, and the places of everything in the text.
public struct SchemaShape: Hashable, Sendable {
  // The address of an object that is in use is unique.
  private final class Mark: Sendable {}
  private let mark = Mark()

  /// Creates a shape that differs from all others.
  init() {}

  /// Returns whether two shapes are the same.
  public static func == (first: SchemaShape, second: SchemaShape) -> Bool { first.mark === second.mark }

  /// Hashes the shape.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(mark)) }
}

extension LoadedFile {
  /// Returns whether the file stands in the same place of the run as another one, is of the same kind, and includes the
  /// same files.
  fileprivate func hasSameIncludes(as other: LoadedFile) -> Bool {
    path == other.path && includes == other.includes && isInput == other.isInput && isEntry == other.isEntry
      && tree.source.isOfBinarySchema == other.tree.source.isOfBinarySchema
  }
}

extension SyntaxTree {
  /// Returns whether the file differs from another one only in the bodies of tables. Neither has a syntax error.
  fileprivate func hasSameOutline(as other: SyntaxTree) -> Bool {
    let (parts, others) = (partsOutsideOfTables, other.partsOutsideOfTables)
    return parts.count == others.count && zip(parts, others).allSatisfy { $0.elementsEqual($1) }
  }

  /// The text before, between and after the bodies of tables. A table without fields has no body.
  private var partsOutsideOfTables: [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var start = 0
    for case .table(let node) in items where !node.fields.isEmpty {
      parts.append(source.bytes[start..<Int(tokens[fields[node.fields.lowerBound].name].start)])
      start = Int(tokens[node.span.last].start)
    }
    parts.append(source.bytes[start...])
    return parts
  }

  /// The tables, from the keyword to the closing brace.
  fileprivate var tableSpans: [TokenSpan] {
    var spans: [TokenSpan] = []
    for case .table(let node) in items { spans.append(node.span) }
    return spans
  }

  fileprivate func bytes(of span: TokenSpan) -> ArraySlice<UInt8> {
    source.bytes[Int(tokens[span.first].start)..<Int(tokens[span.last].end)]
  }
}

extension TableDefinition {
  /// Returns whether the table differs from another one in nothing but the names, the documentation and the places of its
  /// fields. The rest of the table is known to be the same.
  fileprivate func hasSameShape(as other: TableDefinition) -> Bool {
    fields.count == other.fields.count
      && fields.indices.allSatisfy { index in
        let (field, old) = (fields[index], other.fields[index])
        return field.type == old.type && field.id == old.id && field.presence == old.presence
          && field.isDeprecated == old.isDeprecated && field.isPrimary == old.isPrimary
          && field.byteCount == old.byteCount
          && field.declaration.attributes.elementsEqual(old.declaration.attributes) {
            $0.name == $1.name && $0.value == $1.value
          }
      }
  }
}
