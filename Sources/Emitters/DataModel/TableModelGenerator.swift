import FBSSchema

/// Generates a table of the data model that is not a root: a struct.
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

  /// Whether the initializers are in an extension, where they call the memberwise initializer that Swift synthesizes.
  /// That one fills the struct at once; Swift would copy the values of a struct that is filled field by field.
  ///
  /// The memberwise initializer has to differ from the public one, so there must be a field that is optional only as a
  /// parameter.
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
    ModelMembers.nestedRoots(fields, of: declared, to: &writer)
    ModelMembers.verify(id, in: unit, to: &writer)
    ModelMembers.version(definition, imported, to: &writer)
  }

  private func memberwiseCalls(to writer: inout CodeWriter) {
    writer.list("public init(", ModelMembers.parameters(fields), ") {")
    writer.indented { writer in
      // Within the call, Swift would try each such default with the parameter types of both initializers, in all
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

/// Generates the members that structs and root classes have in common.
enum ModelMembers {
  /// Writes a property for each field.
  static func properties(_ fields: [SwiftField], _ imported: ImportedTypeNames, to writer: inout CodeWriter) {
    let indirect: CodeText = "@\(imported[.indirect]) "
    for field in fields {
      writer.documentation(field.field.declaration.documentation)
      let wrapper = field.wrapper.map { "@\($0) " as CodeText } ?? (field.isIndirect ? indirect : "")
      writer.line("\(wrapper)public var \(field.name): \(field.modelType)")
    }
  }

  /// Returns the parameters of an initializer, in the order of the schema. Parameters with a default are optionals, so
  /// that callers can pass a value that may be missing: nil is the default.
  static func parameters(_ fields: [SwiftField]) -> [CodeText] {
    fields.map { field in
      field.modelDefault == nil
        ? "\(field.parameter): \(field.modelType)" : "\(field.parameter): \(optional(field.modelType)) = nil"
    }
  }

  /// Returns the arguments with which an initializer passes its `parameters(_:)` on to another initializer.
  static func arguments(_ fields: [SwiftField]) -> [CodeText] {
    fields.map { "\($0.label): \($0.name)" }
  }

  /// Writes an initializer whose parameters have the order of Dflat 0.6, for which apps have written calls: parameters
  /// without a default come first. Writes nothing if the schema has this order already.
  static func initializerInFormerOrder(_ head: CodeText, _ fields: [SwiftField], to writer: inout CodeWriter) {
    guard let first = fields.firstIndex(where: { $0.modelDefault != nil }),
      fields[first...].contains(where: { $0.modelDefault == nil })
    else { return }
    let former = fields.filter { $0.modelDefault == nil } + fields.filter { $0.modelDefault != nil }
    writer.blank()
    writer.line("/// Takes the fields that have no default first, as in Dflat 0.6.")
    // A call that fits both initializers uses the other one.
    writer.line("@_disfavoredOverload")
    writer.list("public \(head)(", parameters(former), ") {")
    writer.indented { $0.list("self.init(", arguments(fields), ")") }
    writer.line("}")
  }

  static func optional(_ type: String) -> String { type.hasSuffix("?") ? type : type + "?" }

  /// Writes initializers that fill a struct field by field: from parameters, and from a table.
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

  /// Returns the value of a field, given its parameter.
  static func valueOrDefault(_ field: SwiftField) -> CodeText {
    guard let value = field.modelDefault, !field.isModelOptional else { return CodeText(field.name) }
    return "\(field.name) ?? \(value)"
  }

  /// Returns the value that a property stores, given its parameter.
  static func keptValue(_ field: SwiftField) -> CodeText {
    field.wrapper == nil ? valueOrDefault(field) : field.keptValue(field.name)
  }

  /// Returns the arguments with the stored values of all fields, given their parameters.
  static func valuesOrDefaults(_ fields: [SwiftField]) -> [CodeText] {
    fields.map { "\($0.label): \(keptValue($0))" }
  }

  /// Returns the arguments with the values that `table` has for the fields.
  static func values(_ fields: [SwiftField]) -> [CodeText] {
    fields.map { "\($0.label): \($0.keptRead)" }
  }

  /// Writes the body of an initializer that reads `table`.
  private static func reads(_ fields: [SwiftField], to writer: inout CodeWriter) {
    for field in fields {
      writer.line("self.\(field.storedName) = \(field.keptRead)")
    }
  }

  /// Writes the properties with the objects of nested FlatBuffers, beside those with the bytes.
  static func nestedRoots(
    _ fields: [SwiftField], of declared: Namer.DeclaredName, to writer: inout CodeWriter
  ) {
    let derived = DerivedNames(beside: fields, of: declared)
    for field in fields {
      guard let table = field.nestedTable, let name = derived.root(of: field) else { continue }
      writer.line("/// The object in \(field.documentedName); nil when its bytes are not a well-formed one.")
      let type = "\(field.names.model(table))?"
      writer.line("public var \(name): \(type) { .from(nested: self.\(field.name)) }")
      writer.blank()
    }
  }

  /// Writes the function that verifies the bytes of a table, and the file identifier, if the schema has one.
  static func verify(_ id: TableID, in unit: EmissionUnit, to writer: inout CodeWriter) {
    let (readerName, imported) = (unit.names.reader(id), unit.imported)
    let head: CodeText = "public static func verify(byteBuffer: \(imported[.byteBuffer])) -> \(imported[.bool])"
    writer.line("\(head) { byteBuffer.isValid(as: \(readerName).self) }")
    guard unit.isRoot(id), unit.schema.fileThatNames(root: id)?.fileIdentifier != nil else { return }
    writer.blank()
    writer.line("public static var _fileIdentifier: \(imported[.string])? { \(readerName).fileIdentifier }")
  }

  /// Writes the version of `(v: "...")`, if there is one.
  static func version(_ definition: TableDefinition, _ imported: ImportedTypeNames, to writer: inout CodeWriter) {
    guard let version = definition.version else { return }
    writer.blank()
    writer.line("public static var flatBuffersSchemaVersion: \(imported[.string])? { \(swiftStringLiteral(version)) }")
  }
}
