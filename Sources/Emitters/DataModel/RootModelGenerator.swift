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
        "public final class \(simpleName): \(atom), SQLiteAtom, Equatable, Sendable, FlatBuffersDecodable"
      ) { writer in
        ModelMembers.properties("public let", fields, to: &writer)
        writer.line("/// Where the store keeps the object; 0 when it has not been read from one.")
        writer.line("public let _rowid: Int64")
        writer.line("/// When the store read the object; 0 when it has not been read from one.")
        writer.line("public let _commitVersion: UInt64")
        writer.blank()
        initializers(to: &writer)
        writer.blank()
        equality(to: &writer)
        writer.blank()
        ModelMembers.nestedRoots(fields, to: &writer)
        ModelMembers.verify(id, in: unit, to: &writer)
        ModelMembers.version(definition, to: &writer)
        writer.blank()
        if let identity { writer.line("public var _primaryKey: \(identity.modelType) { self.\(identity.name) }") }
        writer.line("public var _fieldValues: Any { \(builderName)(self) }")
        writer.blank()
        record(to: &writer)
      }
      writer.blank()
      builder(to: &writer)
    }
    codable?.emit(ofClass: fields, to: &writer)
  }

  private func initializers(to writer: inout CodeWriter) {
    writer.list("public init(", ModelMembers.parameters(fields), ") {")
    writer.indented { writer in
      ModelMembers.assignmentsOrDefaults(fields, to: &writer)
      writer.line("self._rowid = 0")
      writer.line("self._commitVersion = 0")
    }
    writer.line("}")
    writer.blank()
    writer.list("init(", ["_rowid: Int64"] + fields.map { "\($0.parameter): \($0.modelType)" }, ") {")
    writer.indented { writer in
      ModelMembers.assignments(fields, to: &writer)
      writer.line("self._rowid = _rowid")
      writer.line("self._commitVersion = 0")
    }
    writer.line("}")
    writer.blank()
    writer.block("public init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64)") { writer in
      ModelMembers.reads(fields, to: &writer)
      writer.line("self._rowid = _rowid")
      writer.line("self._commitVersion = _commitVersion")
    }
  }

  private func equality(to writer: inout CodeWriter) {
    writer.block("public static func == (lhs: \(name), rhs: \(name)) -> Bool") { writer in
      // One statement a field: a long chain of && takes the type checker long.
      for field in fields {
        writer.line(
          "guard \(field.comparedValue(of: "lhs")) == \(field.comparedValue(of: "rhs")) else { return false }")
      }
      writer.line("return true")
    }
  }

  private func record(to writer: inout CodeWriter) {
    let keys = fields.filter(\.field.isPrimary).compactMap { $0.recordField(path: ".root") }
    let indexes = indexed.map { found in
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

  private func array(_ label: String, _ items: [String], after: String, to writer: inout CodeWriter) {
    guard !items.isEmpty else {
      writer.line(label + "[]" + after)
      return
    }
    writer.line(label + "[")
    writer.indented { writer in
      for item in items {
        writer.line(item + ",")
      }
    }
    writer.line("]" + after)
  }

  private func builder(to writer: inout CodeWriter) {
    let simpleName = declared.with(Namer.Suffix.builder)
    let mirror = IndirectMirror(fields)
    writer.line("/// \(definition.name.withArticle.capitalizedFirst) in the making: set what differs, then `build()`.")
    writer.block("public struct \(simpleName): Sendable\(mirror.conformance)") { writer in
      ModelMembers.properties("public var", fields, to: &writer)
      mirror.emit(to: &writer)
      writer.line("/// Starts with the values of `object`.")
      writer.block("public init(_ object: \(name))") { writer in
        for field in fields {
          writer.line("self.\(field.name) = object.\(field.name)")
        }
      }
      writer.blank()
      writer.line("/// Starts with the values of `object`.")
      writer.block("public init(from object: \(name))") { $0.line("self.init(object)") }
      writer.blank()
      writer.line("/// A new object with the values as they are now.")
      writer.block("public func build() -> \(name)") {
        $0.list("\(name)(", ["_rowid: 0"] + ModelMembers.arguments(fields), ")")
      }
    }
  }
}
