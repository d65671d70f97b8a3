import FBSDiagnostics
import FBSParser

/// The rules that a schema must follow to be stored: a FlatBuffers schema may be valid and break them.
///
/// The rules apply when an emitter needs them. If the schema has errors, they are checked for what could be resolved.
/// Then nothing is concluded from what is missing, since an error may hide it.
public enum StoreValidator {
  /// Returns the reasons why the root tables of some files cannot be stored.
  /// - Parameters:
  ///   - schema: A resolved schema.
  ///   - files: The files whose roots are to be stored: as a rule, the inputs.
  ///   - diagnostics: The schema's diagnostics so far. If they have errors, nothing is concluded from a missing
  ///     definition, or from a definition with an error.
  /// - Returns: The reasons as new diagnostics, in source order, without those passed in.
  public static func validate(schema: Schema, files: [FileID], knowing diagnostics: [Diagnostic] = []) -> [Diagnostic] {
    var rules = StoreRules(schema: schema, knownErrors: diagnostics.filter { $0.severity == .error })
    rules.run(files)
    return rules.diagnostics.elements.inSourceOrder()
  }
}

struct StoreRules {
  let schema: Schema
  var diagnostics = DiagnosticList()
  /// Whether the schema is complete, so that a definition that is not found is missing.
  let isComplete: Bool
  /// Whether a struct holds itself, which is reported.
  let hasEndlessStruct: Bool
  /// The starts of the errors, in order, by file.
  private let errorStarts: [FileID: [Int]]

  init(schema: Schema, knownErrors: [Diagnostic]) {
    self.schema = schema
    isComplete = knownErrors.isEmpty
    hasEndlessStruct = knownErrors.contains { $0.code == .recursiveStruct }
    errorStarts = Dictionary(grouping: knownErrors, by: \.range.file).mapValues { $0.map(\.range.start).sorted() }
  }

  /// Returns whether no error stands in the text of a table.
  private func isWell(_ table: TableDefinition) -> Bool {
    guard let starts = errorStarts[table.range.file] else { return true }
    // Finds the first error that does not stand before the table.
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] < table.range.start { low = middle + 1 } else { high = middle }
    }
    return low == starts.count || starts[low] > table.range.end
  }

  mutating func run(_ files: [FileID]) {
    var roots: [TableID] = []
    var known: Set<TableID> = []
    for file in files {
      guard let root = schema[file].rootTable else { continue }
      if known.insert(root).inserted { roots.append(root) }
    }
    let chosen = Set(files)
    for (index, table) in schema.tables.enumerated() where chosen.contains(table.declaration.nameRange.file) {
      check(table, isRoot: known.contains(TableID(index)))
      if !roots.isEmpty { checkResemblance(in: table, isRoot: known.contains(TableID(index))) }
    }
    for definition in schema.structs where chosen.contains(definition.declaration.nameRange.file) {
      checkIndexes(in: definition)
      if !roots.isEmpty { checkResemblance(in: definition) }
    }
    for root in roots { checkPrimaryKey(of: root, files) }
    checkTableNames(roots)
    checkPaths(from: roots, chosen)
  }

  mutating func report(
    _ code: DiagnosticCode, _ message: String, at range: SourceRange, advice: String = "",
    labels: [Diagnostic.Label] = [], notes: [String] = [], fixes: [Diagnostic.Fix] = []
  ) {
    diagnostics.append(
      Diagnostic(code, .error, message, at: range, advice: advice, labels: labels, notes: notes, fixes: fixes))
  }

  mutating func warn(
    _ code: DiagnosticCode, _ message: String, at range: SourceRange, advice: String = "",
    labels: [Diagnostic.Label] = [], notes: [String] = [], fixes: [Diagnostic.Fix] = []
  ) {
    diagnostics.append(
      Diagnostic(code, .warning, message, at: range, advice: advice, labels: labels, notes: notes, fixes: fixes))
  }
}

// MARK: - One definition

extension StoreRules {
  private mutating func check(_ table: TableDefinition, isRoot: Bool) {
    checkVersion(table, isRoot: isRoot)
    for field in table.fields {
      checkIndexes(of: field, in: table, isRoot: isRoot)
      if let attribute = field.declaration.attribute("primary") {
        checkPrimary(attribute, field, table, isRoot: isRoot)
      }
    }
  }

  private mutating func checkPrimary(
    _ attribute: Attribute, _ field: FieldDefinition, _ table: TableDefinition, isRoot: Bool
  ) {
    guard isRoot else {
      guard isComplete else { return }
      return warn(
        .idleAttribute, "`primary` does nothing here: `\(table.name)` is not the root type", at: attribute.range,
        advice: "remove it, or make `\(table.name)` the root type", fixes: attribute.removalFixes)
    }
    let reason: String
    switch field.type {
    case .scalar, .enumeration:
      guard field.presence == .optional else { return }
      reason = "it is optional, and a key is always there"
    case .string:
      return
    case .vector: reason = "a vector has no single value"
    case .structure:
      guard field.byteCount == nil else { return }
      reason = "a struct has no single value, unless it is one array of `ubyte`"
    case .table: reason = "a table has no single value"
    case .union: reason = "a union has no single value"
    }
    report(
      .wrongPrimaryKey, "`\(field.name)` cannot be part of the primary key: \(reason)", at: attribute.range,
      advice: "remove `primary`", labels: field.declaration.typeRange.map { [.init($0, "")] } ?? [],
      notes: ["numbers, bools, enums, strings and structs of one array of `ubyte` can"], fixes: attribute.removalFixes)
  }

  private mutating func checkVersion(_ table: TableDefinition, isRoot: Bool) {
    guard let attribute = table.declaration.attribute("v"), let version = table.version else { return }
    let isWell =
      !version.isEmpty
      && version.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x5F || $0 == 0x2E
      }
    if !isWell {
      report(
        .wrongVersion, "a version is made of letters, digits, `_` and `.`", at: attribute.range,
        advice: "such as `v: \"1.1\"`", notes: ["it becomes part of the table's name on disk"])
    } else if !isRoot && isComplete {
      warn(
        .idleAttribute, "`v` does nothing here: `\(table.name)` is not the root type", at: attribute.range,
        advice: "remove it, or make `\(table.name)` the root type", fixes: attribute.removalFixes)
    }
  }
}

// MARK: - Attributes that look like the store's

extension StoreRules {
  /// Warns of attributes that a schema declares and that look like the store's, which do nothing.
  ///
  /// A schema may declare attributes for other programs. So this concerns only names that mean an index or key wherever
  /// they are used, written without a value on a field that could be indexed and is not.
  private mutating func checkResemblance(in table: TableDefinition, isRoot: Bool) {
    for field in table.fields where !field.isPrimary && !field.declaration.asksForIndex && !field.isDeprecated {
      guard let content = IndexableContent(field) else { continue }
      checkResemblance(
        of: field.declaration, content, hasKey: !isRoot || table.fields.contains { $0.isPrimary })
    }
  }

  private mutating func checkResemblance(in definition: StructDefinition) {
    for field in definition.fields where !field.declaration.asksForIndex && field.isSingleValue {
      checkResemblance(of: field.declaration, .value, hasKey: true)
    }
  }

  private mutating func checkResemblance(of field: Declaration, _ content: IndexableContent, hasKey: Bool) {
    let isVector = content == .elements || content == .texts
    for attribute in field.attributes where attribute.value == nil {
      guard !ForeignAttributes.ofLanguage.contains(attribute.name),
        let meant = ForeignAttributes.storeAttribute(resembling: attribute.name), meant != "primary" || !hasKey,
        // A vector is no key, and its index is not unique.
        meant == "indexed" || !isVector
      else { continue }
      let effect = meant == "primary" ? "is no primary key" : "makes no index"
      warn(
        .idleAttribute, "`\(attribute.name)` is an attribute of the schema's own, and \(effect)", at: attribute.range,
        advice: "write `\(meant)`", fixes: [.replace(attribute.range, with: meant)])
    }
  }
}

// MARK: - Root tables

extension StoreRules {
  private mutating func checkPrimaryKey(of root: TableID, _ files: [FileID]) {
    let table = schema[root]
    guard !table.fields.contains(where: \.isPrimary), isWell(table) else { return }
    let file = files.first { schema[$0].rootTable == root }
    report(
      .missingPrimaryKey, "root table `\(table.name)` has no primary key", at: table.declaration.nameRange,
      advice: "mark a field as `(primary)`",
      labels: file.flatMap { schema[$0].rootTypeRange }.map { [.init($0, "made the root type here")] } ?? [],
      notes: ["a store finds and updates objects by their primary key"])
  }

  private mutating func checkTableNames(_ roots: [TableID]) {
    var first: [String: TableID] = [:]
    // An error may hide a version.
    for root in roots where isWell(schema[root]) {
      let name = StoreNames.tableName(for: schema[root])
      // SQLite does not tell upper case from lower, versions included.
      guard let other = first.updateValue(root, forKey: name.lowercased()) else { continue }
      report(
        .duplicateTableName,
        "`\(schema[root].name)` and `\(schema[other].name)` would share the SQLite table `\(name)`",
        at: schema[root].declaration.nameRange, advice: "rename one, or give it a version: `(v: \"1\")`",
        labels: [.init(schema[other].declaration.nameRange, "the other is here")],
        notes: ["SQLite does not tell capitals from small letters"])
    }
  }
}
