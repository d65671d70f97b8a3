import FBSSchema

/// Finds the indexes of a root table, with the Swift names of their fields.
struct IndexedFields {
  /// An index, with the code of all arguments of its `RecordIndex` except the name.
  struct Found {
    let arguments: CodeText
    let isUnique: Bool
    /// The path from the root to the field: Swift names with dots between them.
    let name: String
  }

  private let unit: EmissionUnit

  private init(_ unit: EmissionUnit) {
    self.unit = unit
  }

  /// Returns the indexes of the table `id`, in the order of the text.
  static func of(_ id: TableID, in unit: EmissionUnit) -> [Found] {
    let fields = IndexedFields(unit)
    return IndexedField.all(of: id, in: unit.schema, unit.traits.indexReach).compactMap { fields.found($0) }
  }

  /// Describes an index.
  ///
  /// - Returns: nil for a field that cannot have the index.
  private func found(_ indexed: IndexedField) -> Found? {
    var path = ".root"
    var names: [String] = []
    for step in indexed.steps.dropLast() {
      let head = path == ".root" ? "\(unit.imported[.fieldPath]).root" : path
      path = head + place(of: step)
      names.append(name(of: step))
    }
    guard let last = indexed.steps.last, let subject = subject(of: indexed.index, last, path: path) else { return nil }
    names.append(name(of: last))
    let options =
      (indexed.index.entries.areFolded ? ", folded: true" : "") + (indexed.isUnique ? ", unique: true" : "")
    return Found(
      arguments: "\(subject)\(options)", isUnique: indexed.isUnique, name: names.joined(separator: "."))
  }

  /// Returns the first argument of a `RecordIndex`: the field, or the vector whose elements have entries. Nil if the
  /// step leads to neither.
  private func subject(of index: IndexKind, _ step: IndexedField.Step, path: String) -> CodeText? {
    guard index.entries.areElements else { return recordField(step, path: path) }
    guard case .field(let id, let position) = step else { return nil }
    return SwiftField(unit.schema[id].fields[position], in: unit).valueVector(path: path).map { "elementsOf: \($0)" }
  }

  private func name(of step: IndexedField.Step) -> String {
    switch step {
    case .field(let id, let index), .member(let id, let index, _):
      SwiftField(unit.schema[id].fields[index], in: unit).plainName
    case .structField(let id, let index): unit.names.plain(unit.schema[id].fields[index])
    }
  }

  /// Returns the call that extends a `FieldPath` by a step.
  private func place(of step: IndexedField.Step) -> String {
    switch step {
    case .field(let id, let index):
      let field = unit.schema[id].fields[index]
      return if case .structure = field.type { ".structure(at: \(field.vtableOffset))" } else {
        ".table(at: \(field.vtableOffset))"
      }
    case .member(let id, let index, let number):
      let field = unit.schema[id].fields[index]
      guard case .union(let union) = field.type else { return "" }
      let member = unit.schema[union].members[number]
      let kind = if case .structure = member.type { "unionStructure" } else { "unionTable" }
      return ".\(kind)(at: \(field.vtableOffset), code: \(member.codeText)\(unit.schema[union].codeSizeArgument))"
    case .structField(let id, let index): return ".structure(at: \(unit.schema[id].fields[index].offset))"
    }
  }

  private func recordField(_ step: IndexedField.Step, path: String) -> CodeText? {
    switch step {
    case .field(let id, let index):
      SwiftField(unit.schema[id].fields[index], in: unit).recordField(path: path)
    case .structField(let id, let index):
      SwiftStructField(unit.schema[id].fields[index], in: unit).recordField(path: path)
    case .member: nil
    }
  }
}
