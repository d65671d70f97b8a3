import FBSSchema

/// Generates the change request of a root table.
struct ChangeRequestGenerator {
  private let definition: TableDefinition
  private let declared: Namer.DeclaredName
  private let modelName: String
  /// The expression of an object whose fields all have their defaults.
  private let emptyObject: String
  private let requestName: String
  private let builderName: String
  private let fields: [SwiftField]
  private let imported: ImportedTypeNames
  /// Whether unequal objects are always written as different bytes, and comparing them is quick.
  private let allFieldsDifferAsTheirBytes: Bool
  /// Whether all unique fields belong to the table itself, and not to a struct or table that it holds.
  private let uniqueFieldsAreOwn: Bool

  init(_ unit: EmissionUnit, _ id: TableID) {
    definition = unit.schema[id]
    declared = unit.names.declared(.table(id))
    modelName = unit.names.model(id)
    emptyObject = unit.names.model(id, reading: ".empty")
    builderName = unit.names.builder(id)
    requestName = declared.with(Namer.Suffix.changeRequest)
    fields = SwiftField.live(definition, in: unit)
    imported = unit.imported
    allFieldsDifferAsTheirBytes =
      !unit.traits.recursion.isNesting(id) && !unit.schema.hasUnequalObjectsOfEqualBytes(.table(id))
    let definition = definition
    uniqueFieldsAreOwn =
      IndexedFields.of(id, in: unit).count(where: \.isUnique)
      == fields.reduce(0) { $0 + definition.indexes(of: $1.field).count(where: \.isUnique) }
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: declared.namespace) { writer in
      writer.line(
        "/// A change to the stored `\(definition.name.name)` objects: set the fields, then submit it in `performChanges`."
      )
      writer.block("public final class \(requestName): \(imported[.generatedChangeRequest])") { writer in
        properties(to: &writer)
        storage(to: &writer)
        difference(to: &writer)
        keyComparison(to: &writer)
      }
    }
  }

  private func properties(to writer: inout CodeWriter) {
    for field in fields {
      writer.documentation(field.field.declaration.documentation)
      let head = "public var \(field.name): \(field.modelType)"
      let place = "_state.values.\(field.name)"
      guard field.isChangedInPlace else {
        writer.line("\(head) { get { \(place) } set { \(place) = newValue } }")
        continue
      }
      writer.block(head) { writer in
        writer.line("get { \(place) } set { \(place) = newValue }")
        // Moved out, so that it is changed in place, and other fields can be changed meanwhile. If the only possible
        // value is nil, Swift asks for a type annotation.
        let type = field.isEmptyUnion ? ": \(field.modelType)" : ""
        writer.body(
          "_modify", ["var value\(type) = _taken(&\(place))", "defer { \(place) = value }", "yield &value"])
      }
    }
    writer.blank()
  }

  /// Writes the storage. All values are in one variable, with short accesses only: so Swift need not check each access
  /// for overlaps, as it does for the variables of an object.
  private func storage(to writer: inout CodeWriter) {
    let change: CodeText = "\(imported[.recordChange])<\(modelName)>"
    writer.line("private var _state: (change: \(change), values: \(builderName))")
    writer.blank()
    // The protocol documents these members.
    writer.line("public var _change: \(change) { get { _state.change } set { _state.change = newValue } }")
    writer.blank()
    writer.line(
      "public init(_change: \(change), _object: \(modelName)) { _state = (_change, _object._values) }")
    writer.blank()
    // All other fields have their defaults.
    let values: [CodeText] = fields.filter { $0.modelDefault == nil }.map { "\($0.label): \($0.emptyValue)" }
    let isLong = values.count > CodeWriter.longestCall
    writer.line("/// Stores a new `\(definition.name.name)`.")
    writer.block("public static func creationRequest() -> \(requestName)") {
      isLong
        ? $0.line("\(requestName)(_change: .create, _object: \(emptyObject))")
        : $0.list("\(requestName)(_change: .create, _object: \(modelName)(", values, "))")
    }
    writer.blank()
    let object: CodeText = "\(modelName)(_values: _state.values, _rowid: _rowid)"
    writer.line("public func _object(_rowid: \(imported[.int64])) -> \(modelName) { \(object) }")
  }

  /// Writes the comparison that finds out whether an update changes an object. With it, the former object need not be
  /// written to be compared.
  private func difference(to writer: inout CodeWriter) {
    let head: CodeText =
      "public static func _differs(_ lhs: \(modelName), _ rhs: \(modelName)) -> \(imported[.bool])"
    if allFieldsDifferAsTheirBytes {
      writer.blank()
      return writer.line("\(head) { lhs != rhs }")
    }
    let comparable = fields.filter(\.differsAsItsBytes)
    guard !comparable.isEmpty else { return }
    writer.blank()
    writer.block(head) { writer in
      for field in comparable {
        writer.line("if \(field.storedValue(of: "lhs")) != \(field.storedValue(of: "rhs")) { return true }")
      }
      writer.line("return false")
    }
  }

  private func comparison(of key: SwiftField) -> CodeText {
    let (lhs, rhs) = (key.storedValue(of: "lhs"), key.storedValue(of: "rhs"))
    return key.isText ? "_isIdentical(\(lhs), \(rhs))" : "\(lhs) == \(rhs)"
  }

  /// Writes the comparison of key fields: an update that keeps them need not look for another object with the same
  /// keys. Writes nothing if an object may show a key otherwise than it is stored, as an enum shows a number without a
  /// case.
  private func keyComparison(to writer: inout CodeWriter) {
    let keys = fields.filter { $0.field.isPrimary || $0.field.indexes.contains(where: \.isUnique) }
    guard uniqueFieldsAreOwn, keys.allSatisfy(\.showsItsKey) else { return }
    writer.blank()
    let parameters: CodeText = "_ lhs: \(modelName), _ rhs: \(modelName)"
    writer.block("public static func _hasSameKeys(\(parameters)) -> \(imported[.bool])") { writer in
      // A statement for each: the Swift compiler takes longer for a long chain of comparisons.
      for key in keys.dropLast() {
        writer.line("guard \(comparison(of: key)) else { return false }")
      }
      writer.line(keys.count > 1 ? "return \(comparison(of: keys[keys.count - 1]))" : comparison(of: keys[0]))
    }
  }
}
