import FBSSchema

/// A table of the data model that is no root: a struct.
struct TableModelGenerator {
  private let unit: EmissionUnit
  private let id: TableID
  private let definition: TableDefinition
  private let declared: Namer.DeclaredName
  private let fields: [SwiftField]
  private let imported: ImportedTypeNames
  private let codable: CodableGenerator?

  init(_ unit: EmissionUnit, _ id: TableID) {
    self.unit = unit
    self.id = id
    definition = unit.schema[id]
    declared = unit.names.declared(.table(id))
    codable = CodableGenerator(unit, .table(id))
    fields = SwiftField.live(id, in: unit)
    imported = unit.imported
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: declared.namespace) { writer in
      writer.documentation(definition.declaration.documentation)
      let mirror = IndirectMirror(fields, imported)
      let protocols: CodeText =
        "\(imported[.equatable, .sendable, .flatBufferTableDecodable])\(mirror.conformance)\(codable?.conformance ?? "")"
      writer.block("public struct \(declared.model): \(protocols)") { writer in
        ModelMembers.properties(fields, imported, to: &writer)
        mirror.emit(to: &writer)
        if !callsMemberwiseInitializer {
          if !fields.isEmpty {
            writer.blank()
          }
          members(to: &writer)
        }
      }
    }
    if callsMemberwiseInitializer {
      writer.blank()
      writer.block("extension \(unit.names.model(id))") { members(to: &$0) }
    }
    codable?.emit(fields, to: &writer)
  }

  /// Whether the initializers stand in an extension, where they call the memberwise initializer that Swift then makes for the
  /// struct. It fills the struct at once: of one that is filled field by field, Swift would copy the values.
  ///
  /// That initializer has to differ from the public one, hence a field of which only a parameter is optional. And of two that
  /// have the same labels, Swift chooses in a time that grows with the square of their number.
  private var callsMemberwiseInitializer: Bool {
    fields.count <= Self.longestCall && fields.contains { $0.modelDefault != nil && !$0.isModelOptional }
  }

  private static let longestCall = 100

  private func members(to writer: inout CodeWriter) {
    writer.list("public init(", ModelMembers.parameters(fields), ") {")
    writer.indented { writer in
      if callsMemberwiseInitializer {
        writer.list("self.init(", ModelMembers.valuesOrDefaults(fields), ")")
      } else {
        ModelMembers.assignmentsOrDefaults(fields, to: &writer)
      }
    }
    writer.line("}")
    writer.blank()
    writer.block("public init(_ table: \(imported[.flatBufferTable]))") { writer in
      if callsMemberwiseInitializer {
        writer.list("self.init(", ModelMembers.values(fields), ")")
      } else {
        ModelMembers.reads(fields, to: &writer)
      }
    }
    writer.blank()
    ModelMembers.nestedRoots(fields, to: &writer)
    ModelMembers.verify(id, in: unit, to: &writer)
    ModelMembers.version(definition, imported, to: &writer)
  }
}

/// The members that structs and root classes have in common.
enum ModelMembers {
  /// A property per field.
  static func properties(_ fields: [SwiftField], _ imported: ImportedTypeNames, to writer: inout CodeWriter) {
    let indirect: CodeText = "@\(imported[.indirect]) "
    for field in fields {
      writer.documentation(field.field.declaration.documentation)
      writer.line("\(field.isIndirect ? indirect : "")public var \(field.name): \(field.modelType)")
    }
  }

  /// Parameters of an initializer: those that must be given first, then those with a default. The latter are optionals, so
  /// that a value which may be missing needs no case of its own: nil is the default.
  static func parameters(_ fields: [SwiftField]) -> [CodeText] {
    fields.filter { $0.modelDefault == nil }.map { "\($0.parameter): \($0.modelType)" }
      + fields.filter { $0.modelDefault != nil }.map { "\($0.parameter): \(optional($0.modelType)) = nil" }
  }

  static func optional(_ type: String) -> String { type.hasSuffix("?") ? type : type + "?" }

  /// The body of an initializer with such parameters.
  static func assignmentsOrDefaults(_ fields: [SwiftField], to writer: inout CodeWriter) {
    for field in fields {
      if let value = field.modelDefault, !field.isModelOptional {
        writer.line("self.\(field.name) = \(field.name) ?? \(value)")
      } else {
        writer.line("self.\(field.name) = \(field.name)")
      }
    }
  }

  /// The arguments that make of such parameters the values of the fields, in their order.
  static func valuesOrDefaults(_ fields: [SwiftField]) -> [CodeText] {
    fields.map { field in
      guard let value = field.modelDefault, !field.isModelOptional else { return "\(field.label): \(field.name)" }
      return "\(field.label): \(field.name) ?? \(value)"
    }
  }

  /// The arguments that are the values of the fields in `table`, in their order.
  static func values(_ fields: [SwiftField]) -> [CodeText] {
    fields.map { "\($0.label): \($0.modelRead)" }
  }

  /// The body of an initializer that reads `table`.
  static func reads(_ fields: [SwiftField], to writer: inout CodeWriter) {
    for field in fields {
      writer.line("self.\(field.name) = \(field.modelRead)")
    }
  }

  /// The objects in nested FlatBuffers, beside the bytes of those.
  static func nestedRoots(_ fields: [SwiftField], to writer: inout CodeWriter) {
    let derived = DerivedNames(beside: fields)
    for field in fields {
      guard let table = field.nestedTable, let name = derived.root(of: field) else { continue }
      writer.line("/// The object in \(field.documentedName); nil when its bytes are not a well-formed one.")
      let type = "\(field.names.model(table))?"
      writer.line("public var \(name): \(type) { .from(nested: self.\(field.name)) }")
      writer.blank()
    }
  }

  /// The check that bytes hold such a table, and the identifier of files that do, if the schema names one.
  static func verify(_ id: TableID, in unit: EmissionUnit, to writer: inout CodeWriter) {
    let (readerName, imported) = (unit.names.reader(id), unit.imported)
    let head: CodeText = "public static func verify(byteBuffer: \(imported[.byteBuffer])) -> \(imported[.bool])"
    writer.line("\(head) { byteBuffer.isValid(as: \(readerName).self) }")
    // Where several files have this root, only the first says what it is.
    guard unit.schema.files.first(where: { $0.rootTable == id })?.fileIdentifier != nil else { return }
    writer.blank()
    writer.line("public static var _fileIdentifier: \(imported[.string])? { \(readerName).fileIdentifier }")
  }

  /// The version of `(v: "...")`, if one is given.
  static func version(_ definition: TableDefinition, _ imported: ImportedTypeNames, to writer: inout CodeWriter) {
    guard let version = definition.version else { return }
    writer.blank()
    writer.line("public static var flatBuffersSchemaVersion: \(imported[.string])? { \(swiftStringLiteral(version)) }")
  }
}
