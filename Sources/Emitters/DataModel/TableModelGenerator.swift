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
  /// That initializer has to differ from the public one, hence a field of which only a parameter is optional.
  private var callsMemberwiseInitializer: Bool {
    fields.count <= CodeWriter.longestCall && fields.contains { $0.modelDefault != nil && !$0.isModelOptional }
  }

  private func members(to writer: inout CodeWriter) {
    if callsMemberwiseInitializer {
      memberwiseCalls(to: &writer)
    } else {
      ModelMembers.initializersByField(fields, imported, to: &writer)
    }
    ModelMembers.initializerInFormerOrder("init", fields, to: &writer)
    writer.blank()
    ModelMembers.nestedRoots(fields, to: &writer)
    ModelMembers.verify(id, in: unit, to: &writer)
    ModelMembers.version(definition, imported, to: &writer)
  }

  private func memberwiseCalls(to writer: inout CodeWriter) {
    writer.list("public init(", ModelMembers.parameters(fields), ") {")
    writer.indented { writer in
      // Within the call, Swift would look for each such default in the types of both initializers' parameters, in all
      // combinations.
      let inferred = fields.filter(\.defaultNeedsType)
      if !inferred.isEmpty {
        writer.bindings(inferred.map { "\($0.name) = \(ModelMembers.valueOrDefault($0))" })
      }
      writer.list(
        "self.init(",
        fields.map { "\($0.label): \($0.defaultNeedsType ? CodeText($0.name) : ModelMembers.keptValue($0))" }, ")")
    }
    writer.line("}")
    writer.blank()
    writer.block("public init(_ table: \(imported[.flatBufferTable]))") {
      $0.list("self.init(", ModelMembers.values(fields), ")")
    }
  }
}

/// The members that structs and root classes have in common.
enum ModelMembers {
  /// A property per field.
  static func properties(_ fields: [SwiftField], _ imported: ImportedTypeNames, to writer: inout CodeWriter) {
    let indirect: CodeText = "@\(imported[.indirect]) "
    for field in fields {
      writer.documentation(field.field.declaration.documentation)
      let wrapper = field.wrapper.map { "@\($0) " as CodeText } ?? (field.isIndirect ? indirect : "")
      writer.line("\(wrapper)public var \(field.name): \(field.modelType)")
    }
  }

  /// Parameters of an initializer, in the order of the schema. Those with a default are optionals, so that a value which may be
  /// missing needs no case of its own: nil is the default.
  static func parameters(_ fields: [SwiftField]) -> [CodeText] {
    fields.map { field in
      field.modelDefault == nil
        ? "\(field.parameter): \(field.modelType)" : "\(field.parameter): \(optional(field.modelType)) = nil"
    }
  }

  /// The arguments that hand such parameters on to an initializer that has them, too.
  static func arguments(_ fields: [SwiftField]) -> [CodeText] {
    fields.map { "\($0.label): \($0.name)" }
  }

  /// An initializer whose parameters have the order of Dflat 0.6, which apps have written calls for: those that must be given come
  /// first. Where that is the order of the schema, there is no such initializer.
  static func initializerInFormerOrder(_ head: CodeText, _ fields: [SwiftField], to writer: inout CodeWriter) {
    guard let first = fields.firstIndex(where: { $0.modelDefault != nil }),
      fields[first...].contains(where: { $0.modelDefault == nil })
    else { return }
    let former = fields.filter { $0.modelDefault == nil } + fields.filter { $0.modelDefault != nil }
    writer.blank()
    writer.line("/// Takes the fields that have no default first, as in Dflat 0.6.")
    // A call that both initializers fit is one of the other.
    writer.line("@_disfavoredOverload")
    writer.list("public \(head)(", parameters(former), ") {")
    writer.indented { $0.list("self.init(", arguments(fields), ")") }
    writer.line("}")
  }

  static func optional(_ type: String) -> String { type.hasSuffix("?") ? type : type + "?" }

  /// Initializers that fill a struct field by field: from parameters, and from a table.
  static func initializersByField(_ fields: [SwiftField], _ imported: ImportedTypeNames, to writer: inout CodeWriter) {
    writer.list("public init(", parameters(fields), ") {")
    writer.indented { writer in
      for field in fields {
        writer.line("self.\(field.storedName) = \(keptValue(field))")
      }
    }
    writer.line("}")
    writer.blank()
    writer.block("public init(_ table: \(imported[.flatBufferTable]))") { reads(fields, to: &$0) }
  }

  /// The value of a field, of such a parameter.
  static func valueOrDefault(_ field: SwiftField) -> CodeText {
    guard let value = field.modelDefault, !field.isModelOptional else { return CodeText(field.name) }
    return "\(field.name) ?? \(value)"
  }

  /// What a property keeps of the value of a field, of such a parameter.
  static func keptValue(_ field: SwiftField) -> CodeText {
    field.wrapper == nil ? valueOrDefault(field) : field.keptValue(field.name)
  }

  /// The arguments that make of such parameters the values of the fields, in their order.
  static func valuesOrDefaults(_ fields: [SwiftField]) -> [CodeText] {
    fields.map { "\($0.label): \(keptValue($0))" }
  }

  /// The arguments that are the values of the fields in `table`, in their order.
  static func values(_ fields: [SwiftField]) -> [CodeText] {
    fields.map { "\($0.label): \($0.keptRead)" }
  }

  /// The body of an initializer that reads `table`.
  private static func reads(_ fields: [SwiftField], to writer: inout CodeWriter) {
    for field in fields {
      writer.line("self.\(field.storedName) = \(field.keptRead)")
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
