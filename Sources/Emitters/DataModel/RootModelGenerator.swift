import FBSSchema

/// The root table of the data model: an immutable class that a store can hold, its builder, and how it is stored.
struct RootModelGenerator {
  private let unit: EmissionUnit
  private let id: TableID
  private let definition: TableDefinition
  private let declared: Namer.DeclaredName
  private let name: String
  private let fields: [SwiftField]
  private let indexed: [IndexedFields.Found]
  private let codable: CodableGenerator?
  private let builderName: String
  /// The field that identifies an object, if the class is to be `Identifiable`.
  private let identity: SwiftField?

  init(_ unit: EmissionUnit, _ id: TableID) {
    self.unit = unit
    self.id = id
    definition = unit.schema[id]
    declared = unit.names.declared(.table(id))
    name = unit.names.model(id)
    fields = SwiftField.live(id, in: unit)
    indexed = IndexedFields.of(id, in: unit)
    codable = CodableGenerator(unit, .table(id))
    builderName = unit.names.builder(id)
    identity = ObjectIdentity.field(of: id, fields, in: unit)
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: declared.namespace) { writer in
      writer.documentation(definition.declaration.documentation)
      let simpleName = declared.model
      let atom = identity == nil ? "Atom" : "IdentifiableAtom"
      writer.block(
        "public final class \(simpleName): \(atom), Equatable, Sendable, FlatBuffersDecodable"
      ) { writer in
        for field in fields {
          writer.documentation(field.field.declaration.documentation)
          writer.line("public var \(field.name): \(field.modelType) { _values.\(field.name) }")
        }
        writer.blank()
        writer.line("/// The values of the fields.")
        writer.line("public let _values: \(builderName)")
        writer.line("/// Where the store keeps the object; 0 when it has not been read from one.")
        writer.line("public let _rowid: Int64")
        writer.line("/// When the store read the object; 0 when it has not been read from one.")
        writer.line("public let _commitVersion: UInt64")
        writer.blank()
        initializers(to: &writer)
        writer.blank()
        writer.line(
          "public static func == (lhs: \(name), rhs: \(name)) -> Bool { lhs._values == rhs._values }")
        writer.blank()
        ModelMembers.nestedRoots(fields, to: &writer)
        ModelMembers.verify(id, in: unit, to: &writer)
        ModelMembers.version(definition, to: &writer)
        writer.blank()
        if let identity { writer.line("public var _primaryKey: \(identity.modelType) { self.\(identity.name) }") }
        writer.line("public var _fieldValues: Any { _values }")
        writer.blank()
        record(to: &writer)
      }
      writer.blank()
      builder(to: &writer)
    }
    writer.blank()
    builderInitializers(to: &writer)
    codable?.emit(ofClass: fields, builder: builderName, to: &writer)
  }

  private func initializers(to writer: inout CodeWriter) {
    writer.list("public init(", ModelMembers.parameters(fields), ") {")
    writer.indented { writer in
      writer.list("self._values = \(builderName)(", ModelMembers.valuesOrDefaults(fields), ")")
      writer.line("self._rowid = 0")
      writer.line("self._commitVersion = 0")
    }
    writer.line("}")
    writer.blank()
    writer.block("init(_values: \(builderName), _rowid: Int64)") { writer in
      writer.line("self._values = _values")
      writer.line("self._rowid = _rowid")
      writer.line("self._commitVersion = 0")
    }
    writer.blank()
    writer.block("public init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64)") { writer in
      // All values in one expression: of a builder that is made step by step, Swift would copy the values.
      let values: [CodeText] = fields.map { "\($0.label): \($0.modelRead)" }
      writer.list("self._values = \(builderName)(", values, ")")
      writer.line("self._rowid = _rowid")
      writer.line("self._commitVersion = _commitVersion")
    }
  }

  private func record(to writer: inout CodeWriter) {
    let keys = fields.filter(\.field.isPrimary).compactMap { $0.recordField(path: ".root") }
    let indexes: [CodeText] = indexed.map { found in
      found.isUnique ? "RecordIndex(\(found.recordField), unique: true)" : "RecordIndex(\(found.recordField))"
    }
    writer.line("/// How a store keeps the objects of this class.")
    writer.line("public static let _record = RecordDescription(")
    writer.indented { writer in
      writer.line("table: \(swiftStringLiteral(StoreNames.tableName(for: definition))),")
      array("primaryKeys: ", keys, after: ",", to: &writer)
      array("indexes: ", indexes, after: "", to: &writer)
    }
    writer.line(")")
  }

  private func array(_ label: String, _ items: [CodeText], after: String, to writer: inout CodeWriter) {
    guard !items.isEmpty else {
      writer.line(label + "[]" + after)
      return
    }
    writer.line("\(label)[")
    writer.indented { writer in
      for item in items {
        writer.line("\(item),")
      }
    }
    writer.line("]" + after)
  }

  /// The builder. The class keeps its values in one, so that they are copied and compared as a whole.
  private func builder(to writer: inout CodeWriter) {
    let mirror = IndirectMirror(fields)
    writer.line("/// \(definition.name.withArticle.capitalizedFirst) in the making: set what differs, then `build()`.")
    writer.block("public struct \(declared.with(Namer.Suffix.builder)): Equatable, Sendable\(mirror.conformance)") {
      writer in
      ModelMembers.properties("public var", fields, to: &writer)
      mirror.emit(to: &writer)
      writer.line("/// A new object with the values as they are now.")
      writer.line("public func build() -> \(name) { \(name)(_values: self, _rowid: 0) }")
    }
  }

  /// They stand in an extension, so that Swift makes an initializer of all values as well.
  private func builderInitializers(to writer: inout CodeWriter) {
    writer.block("extension \(builderName)") { writer in
      writer.line("/// Starts with the values of `object`.")
      writer.line("public init(_ object: \(name)) { self = object._values }")
      writer.blank()
      writer.line("/// Starts with the values of `object`.")
      writer.line("public init(from object: \(name)) { self = object._values }")
    }
  }
}
