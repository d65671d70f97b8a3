import FBSSchema

/// Generates a root table of the data model: an immutable class that a store can hold, its builder, and the description
/// of how it is stored.
struct RootModelGenerator {
  private let unit: EmissionUnit
  private let id: TableID
  private let definition: TableDefinition
  private let declared: Namer.DeclaredName
  private let name: String
  private let fields: [SwiftField]
  private let imported: ImportedTypeNames
  private let indexed: [IndexedFields.Found]
  private let codable: CodableGenerator?
  private let builderName: String
  /// The field that identifies an object; nil if the class is not `Identifiable`.
  private let identity: SwiftField?

  init(_ unit: EmissionUnit, _ id: TableID) {
    self.unit = unit
    self.id = id
    definition = unit.schema[id]
    declared = unit.names.declared(.table(id))
    name = unit.names.model(id)
    fields = SwiftField.live(id, in: unit)
    imported = unit.imported
    indexed = IndexedFields.of(id, in: unit)
    codable = CodableGenerator(unit, .table(id))
    builderName = unit.names.builder(id)
    identity = ObjectIdentity.field(of: id, fields, in: unit)
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: declared.namespace) { writer in
      writer.documentation(definition.declaration.documentation)
      let simpleName = declared.model
      let protocols =
        identity == nil
        ? imported[.generatedAtom, .equatable, .sendable, .flatBuffersDecodable]
        : imported[.generatedAtom, .identifiableAtom, .equatable, .sendable, .flatBuffersDecodable]
      writer.block("public final class \(simpleName): \(protocols)\(codable?.conformance ?? "")") { writer in
        for field in fields {
          writer.documentation(field.field.declaration.documentation)
          writer.line("public var \(field.name): \(field.modelType) { _values.\(field.name) }")
        }
        writer.blank()
        // The protocols document these members.
        writer.line("public let _values: \(builderName)")
        writer.line("public let _rowid: \(imported[.int64])")
        writer.line("public let _commitVersion: \(imported[.uint64])")
        writer.blank()
        initializers(to: &writer)
        writer.blank()
        ModelMembers.nestedRoots(fields, of: declared, to: &writer)
        ModelMembers.verify(id, in: unit, to: &writer)
        ModelMembers.version(definition, imported, to: &writer)
        if let identity {
          writer.blank()
          writer.line("public var _primaryKey: \(identity.modelType) { self.\(identity.name) }")
          if let units = identity.mapping?.perOne, units != 1 {
            writer.line("public static var _primaryKeyUnits: \(imported[.int64]) { \(units) }")
          }
        }
        writer.blank()
        record(to: &writer)
      }
      writer.blank()
      builder(to: &writer)
    }
    codable?.emit(ofClass: fields, builder: builderName, to: &writer)
  }

  private func initializers(to writer: inout CodeWriter) {
    writer.list("public init(", ModelMembers.parameters(fields), ") {")
    writer.indented { writer in
      let values = isWide ? ModelMembers.arguments(fields) : ModelMembers.valuesOrDefaults(fields)
      writer.list("self._values = \(builderName)(", values, ")")
      writer.line("self._rowid = 0")
      writer.line("self._commitVersion = 0")
    }
    writer.line("}")
    ModelMembers.initializerInFormerOrder("convenience init", fields, to: &writer)
    writer.blank()
    writer.block("public init(_values: \(builderName), _rowid: \(imported[.int64]))") { writer in
      writer.line("self._values = _values")
      writer.line("self._rowid = _rowid")
      writer.line("self._commitVersion = 0")
    }
    writer.blank()
    let row: CodeText = "_rowid: \(imported[.int64]), _commitVersion: \(imported[.uint64])"
    writer.block("public init(_ table: \(imported[.flatBufferTable]), \(row))") { writer in
      // All values in one expression: Swift would copy the values of a builder that is filled step by step.
      writer.list("self._values = \(builderName)(", isWide ? ["table"] : ModelMembers.values(fields), ")")
      writer.line("self._rowid = _rowid")
      writer.line("self._commitVersion = _commitVersion")
    }
  }

  private func record(to writer: inout CodeWriter) {
    let keys = fields.filter(\.field.isPrimary).compactMap { $0.recordField(path: ".root") }
    let names = fields.filter(\.field.isPrimary).map { CodeText(swiftStringLiteral($0.plainName)) }
    let indexes: [CodeText] = indexed.map { found in
      "\(imported[.recordIndex])(\(found.arguments), name: \(swiftStringLiteral(found.name)))"
    }
    writer.line("/// How a store keeps the objects of this class.")
    guard max(keys.count, indexes.count) <= CodeWriter.longestCall else {
      return longRecord(keys, names, indexes, to: &writer)
    }
    writer.line("public static let _record = \(imported[.recordDescription])(")
    writer.indented { writer in
      writer.line("table: \(swiftStringLiteral(StoreNames.tableName(for: definition))),")
      array("primaryKeys: ", keys, after: ",", to: &writer)
      array("indexes: ", indexes, after: ",", to: &writer)
      array("primaryKeyNames: ", names, after: "", to: &writer)
    }
    writer.line(")")
  }

  /// Writes the description of a class with many keys or indexes as a function with a statement for each. In one array
  /// literal, the Swift compiler would infer the types of all items together, in quadratic time.
  private func longRecord(_ keys: [CodeText], _ names: [CodeText], _ indexes: [CodeText], to writer: inout CodeWriter) {
    let type = imported[.recordDescription]
    writer.line("public static let _record = _makeRecord()")
    writer.blank()
    writer.block("private static func _makeRecord() -> \(type)") { writer in
      writer.line("var primaryKeys: [\(imported[.recordField])] = []")
      writer.line("var primaryKeyNames: [\(imported[.string])] = []")
      for (key, name) in zip(keys, names) {
        writer.line("primaryKeys.append(\(key))")
        writer.line("primaryKeyNames.append(\(name))")
      }
      // Swift warns about a variable that is never changed.
      writer.line("\(indexes.isEmpty ? "let" : "var") indexes: [\(imported[.recordIndex])] = []")
      for index in indexes { writer.line("indexes.append(\(index))") }
      let name = swiftStringLiteral(StoreNames.tableName(for: definition))
      writer.list(
        "return \(type)(",
        ["table: \(name)", "primaryKeys: primaryKeys", "indexes: indexes", "primaryKeyNames: primaryKeyNames"], ")")
    }
  }

  /// Writes an array on one line if it fits, otherwise with each item on a line of its own.
  private func array(_ label: String, _ items: [CodeText], after: String, to writer: inout CodeWriter) {
    if items.count < 2 { return writer.list("\(label)[", items, "]\(after)") }
    writer.line("\(label)[")
    writer.indented { writer in
      for item in items {
        writer.line("\(item),")
      }
    }
    writer.line("]" + after)
  }

  /// Writes the builder. The class keeps its values in one, so that they are copied and compared as a whole.
  private func builder(to writer: inout CodeWriter) {
    let mirror = IndirectMirror(fields, imported)
    let name = declared.with(Namer.Suffix.builder)
    writer.line("/// \(definition.name.withArticle.capitalizedFirst) in the making: set what differs, then `build()`.")
    let protocols: CodeText = "\(imported[.objectBuilder])\(mirror.conformance)\(codable?.conformance ?? "")"
    writer.block("public struct \(name): \(protocols)") { writer in
      writer.line("public typealias _Object = \(self.name)")
      if !fields.isEmpty {
        writer.blank()
      }
      ModelMembers.properties(fields, imported, to: &writer)
      mirror.emit(to: &writer)
      if isWide {
        writer.blank()
        ModelMembers.initializersByField(fields, imported, to: &writer)
      }
    }
  }

  /// Whether the builder's initializers fill it field by field: the Swift compiler is slow to check one call with so
  /// many values.
  private var isWide: Bool { fields.count > CodeWriter.longestCall }
}
