import FBSParser
import FBSSchema

extension ScalarType {
  /// The Swift type of the same width and sign.
  var swiftName: String {
    switch self {
    case .bool: "Bool"
    case .int8: "Int8"
    case .uint8: "UInt8"
    case .int16: "Int16"
    case .uint16: "UInt16"
    case .int32: "Int32"
    case .uint32: "UInt32"
    case .int64: "Int64"
    case .uint64: "UInt64"
    case .float: "Float"
    case .double: "Double"
    }
  }
}

extension ScalarValue {
  /// The value as a Swift literal whose type is known from its surroundings.
  var swiftLiteral: String {
    switch self {
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .unsigned(let value): String(value)
    case .real(let value) where value.isNaN: ".nan"
    case .real(let value) where value.isInfinite: value < 0 ? "-.infinity" : ".infinity"
    case .real(let value): "\(value)"
    }
  }
}

/// A field of a table with all that the emitters need to spell it in Swift.
///
/// The switches over what a field may be are here, so that each emitter only lays out text.
struct SwiftField {
  let field: FieldDefinition
  /// The name after a dot or in a declaration.
  let name: String
  /// The data model's type.
  let modelType: String
  /// The data model's default, or nil where a value must be given.
  let modelDefault: String?
  private let unit: EmissionUnit

  init(_ field: FieldDefinition, in unit: EmissionUnit) {
    self.field = field
    self.unit = unit
    name = unit.names.member(field)
    (modelType, modelDefault) = Self.model(field, in: unit)
  }

  private var schema: Schema { unit.schema }
  private var names: Namer { unit.names }

  /// The fields of a table that any API shows: all but the deprecated ones.
  static func live(_ table: TableDefinition, in unit: EmissionUnit) -> [SwiftField] {
    table.fields.lazy.filter { !$0.isDeprecated }.map { SwiftField($0, in: unit) }
  }

  var slot: Int { field.vtableOffset }

  /// Whether the field is never absent, whatever it may hold.
  private var isRequired: Bool { field.isPrimary || field.presence == .required }

  // MARK: The data model

  private static func model(_ field: FieldDefinition, in unit: EmissionUnit) -> (type: String, default: String?) {
    let (schema, names) = (unit.schema, unit.names)
    let isRequired = field.isPrimary || field.presence == .required
    switch field.type {
    case .scalar(let scalar):
      guard case .defaulted(let value) = field.presence else { return (scalar.swiftName + "?", "nil") }
      return (scalar.swiftName, field.isPrimary ? nil : value.swiftLiteral)
    case .enumeration(let id):
      guard case .defaulted(let value) = field.presence else { return (names.model(id) + "?", "nil") }
      return (names.model(id), field.isPrimary ? nil : caseLiteral(value, of: schema[id], names: names))
    case .string:
      if isRequired { return ("String", nil) }
      guard case .defaultedObject(let text) = field.presence else { return ("String?", "nil") }
      return ("String", stringLiteral(text))
    case .structure(let id):
      return isRequired ? (names.model(id), nil) : (names.model(id) + "?", "nil")
    case .table(let id):
      return isRequired ? (names.model(id), nil) : (names.model(id) + "?", "nil")
    case .union(let id):
      // Also a required one is optional: a newer version may have written a member that this one does not know.
      return (names.model(id) + "?", isRequired ? nil : "nil")
    case .vector(let element):
      return ("[" + modelName(element, names: names) + "]", isRequired ? nil : "[]")
    }
  }

  private static func modelName(_ element: ElementType, names: Namer) -> String {
    switch element {
    case .scalar(let scalar): scalar.swiftName
    case .enumeration(let id): names.model(id)
    case .string: "String"
    case .structure(let id): names.model(id)
    case .table(let id): names.model(id)
    case .union(let id): names.model(id)
    }
  }

  /// The case with the number of `value`, or else the one that an absent value reads as.
  private static func caseLiteral(_ value: ScalarValue, of definition: EnumDefinition, names: Namer) -> String {
    guard case .integer(let number) = value, let match = definition.values.first(where: { $0.number == number })
    else { return zeroCase(of: definition, names: names) }
    return "." + names.caseName(match)
  }

  /// The case numbered 0, or the first there is.
  private static func zeroCase(of definition: EnumDefinition, names: Namer) -> String {
    guard let zero = definition.values.first(where: { $0.number == 0 }) ?? definition.values.first
    else { return "" }  // An enum without values does not resolve.
    return "." + names.caseName(zero)
  }

  /// A value for a field that must be given one: what an empty object starts with.
  var emptyValue: String {
    if let modelDefault { return modelDefault }
    switch field.type {
    case .scalar(.bool): return "false"
    case .scalar: return "0"
    case .enumeration(let id):
      if case .defaulted(let value) = field.presence { return Self.caseLiteral(value, of: schema[id], names: names) }
      return Self.zeroCase(of: schema[id], names: names)
    case .string: return "\"\""
    case .structure(let id): return names.model(id) + "()"
    case .table(let id): return names.model(id) + "(.empty)"
    case .union: return "nil"
    case .vector: return "[]"
    }
  }

  /// Reads the field from `table`, as the data model has it.
  var modelRead: String {
    switch field.type {
    case .scalar:
      guard case .defaulted(let value) = field.presence else { return "table.optionalScalar(at: \(slot))" }
      return "table.scalar(at: \(slot), default: \(value.swiftLiteral))"
    case .enumeration(let id):
      let type = names.model(id)
      guard case .defaulted(let value) = field.presence else {
        return "table.optionalScalar(at: \(slot)).flatMap { \(type)(rawValue: $0) }"
      }
      let fallback = Self.caseLiteral(value, of: schema[id], names: names)
      return "\(type)(rawValue: table.scalar(at: \(slot), default: \(value.swiftLiteral))) ?? \(fallback)"
    case .string:
      let read = "table.string(at: \(slot))"
      if case .defaultedObject(let text) = field.presence { return "\(read) ?? \(Self.stringLiteral(text))" }
      return isRequired ? "\(read) ?? \"\"" : read
    case .structure(let id):
      return "table.structure(at: \(slot), size: \(schema[id].size)).map { \(names.model(id))($0) }"
    case .table(let id):
      let read = "table.table(at: \(slot))"
      return isRequired ? "\(names.model(id))(\(read) ?? .empty)" : "\(read).map { \(names.model(id))($0) }"
    case .union(let id):
      return "\(names.model(id))(in: table, at: \(slot))"
    case .vector(.scalar), .vector(.string):
      return "table.array(at: \(slot))"
    case .vector(.enumeration(let id)):
      let raw = schema[id].underlyingType.swiftName
      let fallback = Self.zeroCase(of: schema[id], names: names)
      return "(table.array(at: \(slot)) as [\(raw)]).map { \(names.model(id))(rawValue: $0) ?? \(fallback) }"
    case .vector(of: let element):
      let type = Self.modelName(element, names: names)
      return "(table.vector(at: \(slot)) as FlatBufferVector<FlatBufferTable>).map { \(type)($0) }"
    }
  }

  // MARK: The accessors

  /// The type of the reader's property.
  var readerType: String {
    switch field.type {
    case .scalar(let scalar): return isOptional ? scalar.swiftName + "?" : scalar.swiftName
    case .enumeration(let id): return isOptional ? names.value(id) + "?" : names.value(id)
    case .string:
      if case .defaultedObject = field.presence { return "String" }
      return "String?"
    case .structure: return "FlatBufferStruct?"
    case .table(let id): return names.reader(id) + "?"
    case .union(let id): return names.reader(id) + "?"
    case .vector(let element): return "FlatBufferVector<\(readerName(element))>"
    }
  }

  private var isOptional: Bool { field.presence == .optional }

  private func readerName(_ element: ElementType) -> String {
    switch element {
    case .scalar(let scalar): scalar.swiftName
    case .enumeration(let id): names.value(id)
    case .string: "String"
    case .structure: "FlatBufferStruct"
    case .table(let id): names.reader(id)
    case .union(let id): names.reader(id)
    }
  }

  /// Reads the field from `_table`, as the accessors have it.
  var readerRead: String {
    switch field.type {
    case .scalar:
      guard case .defaulted(let value) = field.presence else { return "_table.optionalScalar(at: \(slot))" }
      return "_table.scalar(at: \(slot), default: \(value.swiftLiteral))"
    case .enumeration(let id):
      guard case .defaulted(let value) = field.presence else {
        return "_table.optionalScalar(at: \(slot)).map { \(names.value(id))(rawValue: $0) }"
      }
      return "\(names.value(id))(rawValue: _table.scalar(at: \(slot), default: \(value.swiftLiteral)))"
    case .string:
      if case .defaultedObject(let text) = field.presence {
        return "_table.string(at: \(slot)) ?? \(Self.stringLiteral(text))"
      }
      return "_table.string(at: \(slot))"
    case .structure(let id): return "_table.structure(at: \(slot), size: \(schema[id].size))"
    case .table(let id): return "_table.table(at: \(slot)).map { \(names.reader(id))($0) }"
    case .union(let id): return "\(names.reader(id))(in: _table, at: \(slot))"
    case .vector: return "_table.vector(at: \(slot))"
    }
  }

  /// The parameters that `create` takes for the field.
  var createParameters: [String] {
    switch field.type {
    case .scalar(let scalar):
      guard case .defaulted(let value) = field.presence else { return ["\(name): \(scalar.swiftName)? = nil"] }
      return ["\(name): \(scalar.swiftName) = \(value.swiftLiteral)"]
    case .enumeration(let id):
      guard case .defaulted(let value) = field.presence else { return ["\(name): \(names.value(id))? = nil"] }
      return ["\(name): \(names.value(id)) = \(Self.caseLiteral(value, of: schema[id], names: names))"]
    case .union:
      let none = isRequired ? "" : " = .null"
      return ["\(typeName): UInt8\(isRequired ? "" : " = 0")", "\(name): Offset\(none)"]
    case .string, .table, .vector, .structure:
      return ["\(name): Offset\(isRequired ? "" : " = .null")"]
    }
  }

  /// The name for a union's type code, beside the one for its value.
  private var typeName: String { SwiftKeywords.escape(Namer.lowerCamelCase(field.name + "_type")) }

  /// What `create` does with its parameters for the field.
  var createStatements: [String] {
    switch field.type {
    case .scalar:
      guard case .defaulted(let value) = field.presence else { return ["builder.add(\(name), at: \(slot))"] }
      return ["builder.add(\(name), default: \(value.swiftLiteral), at: \(slot))"]
    case .enumeration:
      guard case .defaulted(let value) = field.presence else { return ["builder.add(\(name)?.rawValue, at: \(slot))"] }
      return ["builder.add(\(name).rawValue, default: \(value.swiftLiteral), at: \(slot))"]
    case .union:
      return ["builder.add(\(typeName), default: 0, at: \(slot - 2))", "builder.add(\(name), at: \(slot))"]
    case .string, .table, .vector, .structure:
      return ["builder.add(\(name), at: \(slot))"]
    }
  }

  /// Checks the field of `table` with `verifier`.
  var verifyStatement: String {
    let required = isRequired ? ", required: true" : ""
    switch field.type {
    case .scalar(let scalar): return "try verifier.scalar(\(scalar.swiftName).self, in: table, at: \(slot))"
    case .enumeration(let id):
      return "try verifier.scalar(\(schema[id].underlyingType.swiftName).self, in: table, at: \(slot))"
    case .string: return "try verifier.string(in: table, at: \(slot)\(required))"
    case .structure(let id):
      let layout = "size: \(schema[id].size), alignment: \(schema[id].alignment)"
      return "try verifier.structure(\(layout), in: table, at: \(slot)\(required))"
    case .table(let id): return "try verifier.table(of: \(names.reader(id)).self, in: table, at: \(slot)\(required))"
    case .union(let id): return "try \(names.reader(id)).verify(&verifier, in: table, at: \(slot)\(required))"
    case .vector(let element):
      return "try verifier.vector(of: \(readerName(element)).self, in: table, at: \(slot)\(required))"
    }
  }

  // MARK: Serializing

  /// The name of the local that holds the field's offset while an object is written.
  private var offsetName: String { Namer.lowerCamelCase(field.name) + "Offset" }

  /// What must be written before the table itself, if anything.
  var serializeBefore: String? {
    let value = "self.\(name)"
    switch field.type {
    case .scalar, .enumeration: return nil
    case .string: return "let \(offsetName) = builder.create(\(value))"
    case .structure, .table, .union:
      return modelType.hasSuffix("?")
        ? "let \(offsetName) = \(value)?.to(flatBufferBuilder: &builder) ?? .null"
        : "let \(offsetName) = \(value).to(flatBufferBuilder: &builder)"
    case .vector(let element):
      let write =
        switch element {
        case .enumeration: "builder.create(vector: \(value).map(\\.rawValue))"
        case .scalar, .string: "builder.create(vector: \(value))"
        case .structure, .table, .union: "builder.create(tables: \(value))"
        }
      // An empty vector that may be absent takes no bytes.
      return isRequired
        ? "let \(offsetName) = \(write)" : "let \(offsetName) = \(value).isEmpty ? .null : \(write)"
    }
  }

  /// The arguments for `create`.
  var createArguments: [String] {
    let value = "self.\(name)"
    switch field.type {
    case .scalar: return ["\(name): \(value)"]
    case .enumeration(let id):
      return isOptional
        ? ["\(name): \(value).map { \(names.value(id))(rawValue: $0.rawValue) }"]
        : ["\(name): \(names.value(id))(rawValue: \(value).rawValue)"]
    case .union: return ["\(typeName): \(value)?._typeCode ?? 0", "\(name): \(offsetName)"]
    case .string, .structure, .table, .vector: return ["\(name): \(offsetName)"]
    }
  }

  // MARK: Queries

  /// The field as a `RecordField` reached through `path`, for a union its type; nil for a field that holds no single value.
  func recordField(path: String) -> String? {
    switch field.type {
    case .scalar(let scalar): return recordField(path, storage: scalar)
    case .enumeration(let id): return recordField(path, storage: schema[id].underlyingType)
    case .string:
      if case .defaultedObject(let text) = field.presence {
        return "RecordField(\(path), .string, at: \(slot), default: .text(\(Self.stringLiteral(text))))"
      }
      return "RecordField(\(path), .string, at: \(slot))"
    case .union: return "RecordField(\(path), .unionType, at: \(slot))"
    case .structure, .table, .vector: return nil
    }
  }

  private func recordField(_ path: String, storage: ScalarType) -> String {
    guard case .defaulted(let value) = field.presence else { return "RecordField(\(path), .\(storage), at: \(slot))" }
    let literal = value.swiftLiteral
    let constant =
      switch value {
      case .bool(let isTrue): ".integer(\(isTrue ? 1 : 0))"
      case .integer: storage.isFloatingPoint ? ".real(\(literal))" : ".integer(\(literal))"
      case .unsigned: ".unsigned(\(literal))"
      case .real: ".real(\(literal))"
      }
    return "RecordField(\(path), .\(storage), at: \(slot), default: \(constant))"
  }

  /// The type of the value that a query compares; nil for a field that holds no single value.
  var queryValueType: String? {
    switch field.type {
    case .scalar(let scalar): scalar.swiftName
    case .enumeration(let id): names.model(id)
    case .string: "String"
    case .structure, .table, .union, .vector: nil
    }
  }

  // MARK: Text

  /// `text` as a Swift string literal.
  static func stringLiteral(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
