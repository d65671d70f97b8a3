import FBSSchema

/// The change request of a root table.
struct ChangeRequestGenerator {
  private let definition: TableDefinition
  private let declared: Namer.DeclaredName
  private let modelName: String
  private let requestName: String
  private let fields: [SwiftField]
  /// Whether all unique fields are the table's own, and not in a struct or table that it holds.
  private let uniqueFieldsAreOwn: Bool

  init(_ unit: EmissionUnit, _ id: TableID) {
    definition = unit.schema[id]
    declared = unit.names.declared(.table(id))
    modelName = unit.names.model(id)
    requestName = declared.with(Namer.Suffix.changeRequest)
    fields = SwiftField.live(definition, in: unit)
    uniqueFieldsAreOwn =
      IndexedFields.of(id, in: unit).count(where: \.isUnique)
      == fields.count { !$0.field.isPrimary && $0.field.index == .unique }
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: declared.namespace) { writer in
      writer.line(
        "/// A change to the stored `\(definition.name.name)` objects: set the fields, then submit it in `performChanges`."
      )
      writer.block("public final class \(requestName): ChangeRequest") { writer in
        properties(to: &writer)
        storage(to: &writer)
        writer.line("/// What submitting the request does.")
        writer.block("public var _change: RecordChange<\(modelName)>") { writer in
          writer.line("get { _fields._change }")
          writer.line("set { _fields._change = newValue }")
        }
        writer.blank()
        writer.block("private init(_ change: RecordChange<\(modelName)>, _ object: \(modelName))") { writer in
          let values = ["_change: change"] + fields.map { "\($0.label): object.\($0.name)" }
          writer.list("_fields = _Fields(", values, ")")
        }
        writer.blank()
        factories(to: &writer)
        writer.blank()
        writer.line("/// The object that the request describes.")
        writer.block("public func _object(_rowid: Int64) -> \(modelName)") {
          $0.list("\(modelName)(", ["_rowid: _rowid"] + fields.map { "\($0.label): _fields.\($0.name)" }, ")")
        }
        difference(to: &writer)
        keyComparison(to: &writer)
      }
    }
  }

  private func properties(to writer: inout CodeWriter) {
    for field in fields {
      writer.documentation(field.field.declaration.documentation)
      let head = "public var \(field.name): \(field.modelType)"
      let place = "_fields.\(field.name)"
      guard let vacancy = field.vacancy else {
        writer.line("\(head) { get { \(place) } set { \(place) = newValue } }")
        continue
      }
      writer.block(head) { writer in
        writer.line("get { \(place) }")
        writer.line("set { \(place) = newValue }")
        // Taken out, so that it is changed in place, and other fields can be changed meanwhile.
        writer.block("_modify") { writer in
          // Where there can be nothing but nil, Swift wants to be told that this is meant.
          writer.line(field.isEmptyUnion ? "var value: \(field.modelType) = \(place)" : "var value = \(place)")
          writer.line("\(place) = \(vacancy)")
          writer.line("defer { \(place) = value }")
          writer.line("yield &value")
        }
      }
    }
    writer.blank()
  }

  /// The fields are in one variable, to which every access is short: so Swift need not check that none overlap, as it does
  /// for each access to each variable of an object otherwise.
  private func storage(to writer: inout CodeWriter) {
    writer.block("private struct _Fields") { writer in
      writer.line("var _change: RecordChange<\(modelName)>")
      for field in fields {
        writer.line("\(field.isIndirect ? "@Indirect " : "")var \(field.name): \(field.modelType)")
      }
    }
    writer.blank()
    writer.line("private var _fields: _Fields")
    writer.blank()
  }

  /// An update that changes one of these fields need not write the former object to be compared with.
  private func difference(to writer: inout CodeWriter) {
    let comparable = fields.filter(\.differsAsItsBytes)
    guard !comparable.isEmpty else { return }
    writer.blank()
    writer.line("/// Whether two objects differ in a field that is easily compared.")
    writer.block("public static func _differs(_ lhs: \(modelName), _ rhs: \(modelName)) -> Bool") { writer in
      for field in comparable {
        writer.line("if lhs.\(field.name) != rhs.\(field.name) { return true }")
      }
      writer.line("return false")
    }
  }

  /// An update that keeps these fields need not look whether another object has its keys. Not for what an object cannot show
  /// as it is stored, such as the number of an enum's case that this version does not know.
  private func keyComparison(to writer: inout CodeWriter) {
    let keys = fields.filter { $0.field.isPrimary || $0.field.index == .unique }
    guard uniqueFieldsAreOwn, keys.allSatisfy(\.showsItsKey) else { return }
    writer.blank()
    writer.line("/// Whether two objects have the same primary key and unique values.")
    writer.block("public static func _hasSameKeys(_ lhs: \(modelName), _ rhs: \(modelName)) -> Bool") { writer in
      writer.line(
        keys.map { key in
          key.isText
            ? "_isIdentical(lhs.\(key.name), rhs.\(key.name))" : "lhs.\(key.name) == rhs.\(key.name)"
        }.joined(separator: " && "))
    }
  }

  private func factories(to writer: inout CodeWriter) {
    let object = definition.name.withArticle
    // All others have their defaults.
    let values = fields.filter { $0.modelDefault == nil }.map { "\($0.label): \($0.emptyValue)" }
    writer.line("/// Stores a new `\(definition.name.name)`.")
    writer.block("public static func creationRequest() -> \(requestName)") {
      $0.list("\(requestName)(.create, \(modelName)(", values, "))")
    }
    writer.blank()
    writer.line("/// Stores a new `\(definition.name.name)` with the values of `object`.")
    writer.block("public static func creationRequest(_ object: \(modelName)) -> \(requestName)") {
      $0.line("\(requestName)(.create, object)")
    }
    writer.blank()
    writer.line(
      "/// Changes a stored `\(definition.name.name)`, starting from its latest values; nil when it is no longer stored."
    )
    writer.block("public static func changeRequest(_ object: \(modelName)) -> \(requestName)?") {
      $0.line("CurrentTransaction.latest(object).map { \(requestName)(.update($0), $0) }")
    }
    writer.blank()
    writer.line(
      "/// Stores \(object) with the values of `object`, in place of the one with its primary key if there is one.")
    writer.block("public static func upsertRequest(_ object: \(modelName)) -> \(requestName)") {
      $0.line("\(requestName)(.upsert, object)")
    }
    writer.blank()
    writer.line("/// Deletes a stored `\(definition.name.name)`; nil when it is no longer stored.")
    writer.block("public static func deletionRequest(_ object: \(modelName)) -> \(requestName)?") {
      $0.line("CurrentTransaction.latest(object).map { \(requestName)(.delete($0), $0) }")
    }
  }
}
