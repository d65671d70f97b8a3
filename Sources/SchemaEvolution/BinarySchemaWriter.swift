import FBSSchema
import FlatBuffersCore

/// Writes a verified binary schema as text.
struct BinarySchemaWriter {
  private let schema: FlatBufferTable
  private let objects: [FlatBufferTable]
  private let enums: [FlatBufferTable]
  private let limit: Int
  private var text = ""

  private typealias Failure = BinarySchema.Failure

  init(_ schema: FlatBufferTable, limit: Int) {
    self.schema = schema
    self.limit = limit
    objects = schema.vector(of: FlatBufferTable.self, at: Reflected.Schema.objects).map { $0 }
    enums = schema.vector(of: FlatBufferTable.self, at: Reflected.Schema.enums).map { $0 }
  }

  mutating func write() throws(BinarySchema.Failure) -> String {
    // Enums first, then structs: whoever reads the text finds what is used above.
    for definition in enums where !definition.scalar(at: Reflected.Enum.isUnion, default: false) {
      try writeEnum(definition)
    }
    for object in objects where object.scalar(at: Reflected.Object.isStruct, default: false) { try writeObject(object) }
    for definition in enums where definition.scalar(at: Reflected.Enum.isUnion, default: false) {
      try writeUnion(definition)
    }
    for object in objects where !object.scalar(at: Reflected.Object.isStruct, default: false) {
      try writeObject(object)
    }
    text += "namespace;\n"
    if let root = schema.table(at: Reflected.Schema.root) {
      text += "root_type \(try qualifiedName(root, Reflected.Object.name));\n"
    }
    if let identifier = schema.string(at: Reflected.Schema.identifier), !identifier.isEmpty {
      guard identifier.utf8.count == 4 else { throw Failure(description: "its file identifier has not four bytes") }
      text += "file_identifier \(try quoted(identifier));\n"
    }
    return text
  }

  private func checkSize() throws(BinarySchema.Failure) {
    if text.utf8.count > limit { throw Failure(description: "it refers to a few things too many times") }
  }

  // MARK: Names

  private func identifier(_ name: some StringProtocol) throws(BinarySchema.Failure) -> String {
    let isWell =
      name.utf8.count <= 1_000 && name.utf8.first.map { !(0x30...0x39).contains($0) } == true
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == UInt8(ascii: "_")
      }
    guard isWell else { throw Failure(description: "a name in it is no identifier") }
    return String(name)
  }

  private func name(_ table: FlatBufferTable, _ slot: VTableOffset) throws(BinarySchema.Failure) -> String {
    try identifier(table.string(at: slot) ?? "")
  }

  private func qualifiedName(_ table: FlatBufferTable, _ slot: VTableOffset) throws(BinarySchema.Failure) -> String {
    let name = table.string(at: slot) ?? ""
    for part in name.split(separator: ".", omittingEmptySubsequences: false) { _ = try identifier(part) }
    return name
  }

  /// Opens the namespace of a definition, and gives its own name.
  private mutating func open(_ name: String) -> Substring {
    let parts = name.split(separator: ".")
    text += parts.count == 1 ? "namespace;\n" : "namespace \(parts.dropLast().joined(separator: "."));\n"
    return parts.last ?? ""
  }

  private func quoted(_ string: String) throws(BinarySchema.Failure) -> String {
    guard string.utf8.count <= 1_000, string.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
      throw Failure(description: "a text in it is not plain")
    }
    return "\"" + string.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
  }

  // MARK: Definitions

  private mutating func writeEnum(_ definition: FlatBufferTable) throws(BinarySchema.Failure) {
    let own = open(try qualifiedName(definition, Reflected.Enum.name))
    let type = definition.table(at: Reflected.Enum.type) ?? .empty
    let scalar = try word(type.scalar(at: Reflected.TypeInfo.base, default: Int8(0)))
    let attributes = try attributes(definition, Reflected.Enum.attributes)
    let isFlags = attributes.contains("bit_flags")
    text += "enum \(own): \(scalar)\(list(attributes)) {\n"
    for value in definition.vector(of: FlatBufferTable.self, at: Reflected.Enum.values) {
      let number = value.scalar(at: Reflected.Value.number, default: Int64(0))
      let written: String
      if isFlags {
        guard number.nonzeroBitCount == 1 else { throw Failure(description: "a flag in it is no single bit") }
        written = String(number.trailingZeroBitCount)
      } else {
        written = scalar == "ulong" ? String(UInt64(bitPattern: number)) : String(number)
      }
      text += "  \(try name(value, Reflected.Value.name)) = \(written),\n"
      try checkSize()
    }
    text += "}\n"
  }

  private mutating func writeUnion(_ definition: FlatBufferTable) throws(BinarySchema.Failure) {
    let own = open(try qualifiedName(definition, Reflected.Enum.name))
    text += "union \(own) {\n"
    for value in definition.vector(of: FlatBufferTable.self, at: Reflected.Enum.values) {
      let code = value.scalar(at: Reflected.Value.number, default: Int64(0))
      if code == 0 { continue }
      let type = value.table(at: Reflected.Value.type) ?? .empty
      text += "  \(try name(value, Reflected.Value.name)): \(try self.type(type)) = \(code),\n"
      try checkSize()
    }
    text += "}\n"
  }

  private mutating func writeObject(_ object: FlatBufferTable) throws(BinarySchema.Failure) {
    let own = open(try qualifiedName(object, Reflected.Object.name))
    let isStruct = object.scalar(at: Reflected.Object.isStruct, default: false)
    let fields = object.vector(of: FlatBufferTable.self, at: Reflected.Object.fields).map { $0 }
      .sorted { id($0) < id($1) }
    text += "\(isStruct ? "struct" : "table") \(own)\(list(try attributes(object, Reflected.Object.attributes))) {\n"
    for field in fields {
      guard let type = field.table(at: Reflected.Field.type) else { continue }
      let base = type.scalar(at: Reflected.TypeInfo.base, default: Int8(0))
      let element = type.scalar(at: Reflected.TypeInfo.element, default: Int8(0))
      // The hidden types of unions come by themselves.
      if base == Base.unionType || element == Base.unionType { continue }
      text += "  \(try name(field, Reflected.Field.name)): \(try self.type(type))"
      if !isStruct { text += try value(of: field, type) }
      text += list(try fieldAttributes(field, isStruct: isStruct)) + ";\n"
      try checkSize()
    }
    text += "}\n"
  }

  private func id(_ field: FlatBufferTable) -> UInt16 { field.scalar(at: Reflected.Field.id, default: UInt16(0)) }

  private func fieldAttributes(_ field: FlatBufferTable, isStruct: Bool) throws(BinarySchema.Failure) -> [String] {
    var result: [String] = []
    if field.scalar(at: Reflected.Field.isDeprecated, default: false) { result.append("deprecated") }
    if field.scalar(at: Reflected.Field.isRequired, default: false) { result.append("required") }
    if field.scalar(at: Reflected.Field.isKey, default: false) { result.append("key") }
    return result + (try attributes(field, Reflected.Field.attributes)).filter { !result.contains($0) }
  }

  /// The attributes that matter to data. All have a meaning of their own, so that none must be declared.
  private func attributes(
    _ table: FlatBufferTable, _ slot: VTableOffset
  ) throws(BinarySchema.Failure) -> [String] {
    var result: [String] = []
    for attribute in table.vector(of: FlatBufferTable.self, at: slot) {
      let key = attribute.string(at: Reflected.Attribute.key) ?? ""
      let value = attribute.string(at: Reflected.Attribute.value) ?? ""
      switch key {
      case "id", "force_align":
        guard let number = Int(value), number >= 0 else { throw Failure(description: "`\(key)` in it is no number") }
        result.append("\(key): \(number)")
      case "hash", "nested_flatbuffer", "v": result.append("\(key): \(try quoted(value))")
      case "bit_flags", "shared", "flexbuffer", "primary", "indexed", "unique": result.append(key)
      default: break
      }
    }
    return result
  }

  private func list(_ attributes: [String]) -> String {
    attributes.isEmpty ? "" : " (\(attributes.joined(separator: ", ")))"
  }

  // MARK: Types and defaults

  private enum Base {
    static let unionType: Int8 = 1
    static let float: Int8 = 11
    static let double: Int8 = 12
    static let string: Int8 = 13
    static let vector: Int8 = 14
    static let object: Int8 = 15
    static let union: Int8 = 16
    static let array: Int8 = 17
  }

  private static let words = [
    "bool", "byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double",
  ]

  private func word(_ base: Int8) throws(BinarySchema.Failure) -> String {
    let place = Int(base) - 2
    guard Self.words.indices.contains(place) else {
      throw Failure(description: "it has a type of number \(base), which this version does not know")
    }
    return Self.words[place]
  }

  private func type(_ type: FlatBufferTable) throws(BinarySchema.Failure) -> String {
    let base = type.scalar(at: Reflected.TypeInfo.base, default: Int8(0))
    switch base {
    case Base.vector:
      return "[\(try single(type.scalar(at: Reflected.TypeInfo.element, default: Int8(0)), type))]"
    case Base.array:
      let length = type.scalar(at: Reflected.TypeInfo.length, default: UInt16(0))
      return "[\(try single(type.scalar(at: Reflected.TypeInfo.element, default: Int8(0)), type)):\(length)]"
    default: return try single(base, type)
    }
  }

  private func single(_ base: Int8, _ type: FlatBufferTable) throws(BinarySchema.Failure) -> String {
    let index = Int(type.scalar(at: Reflected.TypeInfo.index, default: Int32(-1)))
    switch base {
    case Base.string: return "string"
    case Base.object:
      guard objects.indices.contains(index) else { throw Failure(description: "it refers to a type that it lacks") }
      return try qualifiedName(objects[index], Reflected.Object.name)
    case Base.union:
      guard enums.indices.contains(index) else { throw Failure(description: "it refers to a type that it lacks") }
      return try qualifiedName(enums[index], Reflected.Enum.name)
    default:
      if index < 0 { return try word(base) }
      guard enums.indices.contains(index) else { throw Failure(description: "it refers to a type that it lacks") }
      return try qualifiedName(enums[index], Reflected.Enum.name)
    }
  }

  private func value(of field: FlatBufferTable, _ type: FlatBufferTable) throws(BinarySchema.Failure) -> String {
    let base = type.scalar(at: Reflected.TypeInfo.base, default: Int8(0))
    guard base < Base.string else { return "" }
    if field.scalar(at: Reflected.Field.isOptional, default: false) { return " = null" }
    let integer = field.scalar(at: Reflected.Field.integer, default: Int64(0))
    let index = Int(type.scalar(at: Reflected.TypeInfo.index, default: Int32(-1)))
    if enums.indices.contains(index) { return try enumValue(integer, enums[index], base) }
    switch try word(base) {
    case "bool": return integer == 0 ? "" : " = true"
    case "float", "double":
      let real = field.scalar(at: Reflected.Field.real, default: Double(0))
      return real.bitPattern == 0 ? "" : " = \(real.isNaN ? "nan" : String(real))"
    case "ulong": return integer == 0 ? "" : " = \(UInt64(bitPattern: integer))"
    default: return integer == 0 ? "" : " = \(integer)"
    }
  }

  private func enumValue(
    _ number: Int64, _ definition: FlatBufferTable, _ base: Int8
  ) throws(BinarySchema.Failure) -> String {
    for value in definition.vector(of: FlatBufferTable.self, at: Reflected.Enum.values)
    where value.scalar(at: Reflected.Value.number, default: Int64(0)) == number {
      return " = \(try name(value, Reflected.Value.name))"
    }
    // A set of flags is no single value.
    return number == 0 ? "" : " = \(try word(base) == "ulong" ? String(UInt64(bitPattern: number)) : String(number))"
  }
}
