import FBSSchema
import FlatBuffersCore

/// Writes a verified binary schema as text.
struct BinarySchemaText {
  private let schema: FlatBufferTable
  private let objects: [FlatBufferTable]
  private let enums: [FlatBufferTable]
  private let limit: Int
  private var text = ""

  private typealias Failure = BinarySchema.Failure

  init(_ schema: FlatBufferTable, limit: Int) {
    self.schema = schema
    self.limit = limit
    objects = schema.vector(of: FlatBufferTable.self, at: ReflectionSlot.Schema.objects).map { $0 }
    enums = schema.vector(of: FlatBufferTable.self, at: ReflectionSlot.Schema.enums).map { $0 }
  }

  mutating func write() throws(BinarySchema.Failure) -> String {
    // Enums first, then structs: whoever reads the text finds what is used above.
    for definition in enums where !definition.scalar(at: ReflectionSlot.Enum.isUnion, default: false) {
      try writeEnum(definition)
    }
    for object in objects where object.scalar(at: ReflectionSlot.Object.isStruct, default: false) {
      try writeObject(object)
    }
    for definition in enums where definition.scalar(at: ReflectionSlot.Enum.isUnion, default: false) {
      try writeUnion(definition)
    }
    for object in objects where !object.scalar(at: ReflectionSlot.Object.isStruct, default: false) {
      try writeObject(object)
    }
    text += "namespace;\n"
    if let root = schema.table(at: ReflectionSlot.Schema.rootTable) {
      text += "root_type \(try qualifiedName(root, ReflectionSlot.Object.name));\n"
    }
    if let identifier = schema.string(at: ReflectionSlot.Schema.fileIdentifier), !identifier.isEmpty {
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
    let own = open(try qualifiedName(definition, ReflectionSlot.Enum.name))
    let type = definition.table(at: ReflectionSlot.Enum.underlyingType) ?? .empty
    let scalar = try word(try base(of: type))
    let attributes = try attributes(definition, ReflectionSlot.Enum.attributes)
    let isFlags = attributes.contains("bit_flags")
    text += "enum \(own): \(scalar)\(list(attributes)) {\n"
    for value in definition.vector(of: FlatBufferTable.self, at: ReflectionSlot.Enum.values) {
      let number = value.scalar(at: ReflectionSlot.Value.number, default: Int64(0))
      let written: String
      if isFlags {
        guard number.nonzeroBitCount == 1 else { throw Failure(description: "a flag in it is no single bit") }
        written = String(number.trailingZeroBitCount)
      } else {
        written = scalar == "ulong" ? String(UInt64(bitPattern: number)) : String(number)
      }
      text += "  \(try name(value, ReflectionSlot.Value.name)) = \(written),\n"
      try checkSize()
    }
    text += "}\n"
  }

  private mutating func writeUnion(_ definition: FlatBufferTable) throws(BinarySchema.Failure) {
    let own = open(try qualifiedName(definition, ReflectionSlot.Enum.name))
    let type = definition.table(at: ReflectionSlot.Enum.underlyingType) ?? .empty
    let base = try base(of: type)
    text += "union \(own)\(base == .unionType || base == .none ? "" : ": \(try word(base))") {\n"
    for value in definition.vector(of: FlatBufferTable.self, at: ReflectionSlot.Enum.values) {
      let code = value.scalar(at: ReflectionSlot.Value.number, default: Int64(0))
      if code == 0 { continue }
      let type = value.table(at: ReflectionSlot.Value.unionType) ?? .empty
      text += "  \(try name(value, ReflectionSlot.Value.name)): \(try self.type(type)) = \(UInt64(bitPattern: code)),\n"
      try checkSize()
    }
    text += "}\n"
  }

  /// Whether a field or its elements tell which member a union holds: of the type of all unions' codes, or of a number type that
  /// the union names.
  private func isCode(_ base: ReflectionBaseType, _ type: FlatBufferTable) throws(BinarySchema.Failure) -> Bool {
    if base == .unionType { return true }
    let index = type.scalar(at: ReflectionSlot.TypeInfo.index, default: Int32(-1))
    guard base.scalar != nil, enums.indices.contains(Int(index)) else { return false }
    return enums[Int(index)].scalar(at: ReflectionSlot.Enum.isUnion, default: false)
  }

  private mutating func writeObject(_ object: FlatBufferTable) throws(BinarySchema.Failure) {
    let own = open(try qualifiedName(object, ReflectionSlot.Object.name))
    let isStruct = object.scalar(at: ReflectionSlot.Object.isStruct, default: false)
    let fields = object.vector(of: FlatBufferTable.self, at: ReflectionSlot.Object.fields).map { $0 }
      .sorted { id($0) < id($1) }
    text +=
      "\(isStruct ? "struct" : "table") \(own)\(list(try attributes(object, ReflectionSlot.Object.attributes))) {\n"
    for field in fields {
      guard let type = field.table(at: ReflectionSlot.Field.type) else { continue }
      // The hidden types of unions come by themselves.
      if try isCode(base(of: type), type) { continue }
      if try isCode(base(of: type, at: ReflectionSlot.TypeInfo.element), type) { continue }
      text += "  \(try name(field, ReflectionSlot.Field.name)): \(try self.type(type))"
      if !isStruct { text += try value(of: field, type) }
      text += list(try fieldAttributes(field, isStruct: isStruct)) + ";\n"
      try checkSize()
    }
    text += "}\n"
  }

  private func id(_ field: FlatBufferTable) -> UInt16 { field.scalar(at: ReflectionSlot.Field.id, default: UInt16(0)) }

  private func fieldAttributes(_ field: FlatBufferTable, isStruct: Bool) throws(BinarySchema.Failure) -> [String] {
    var result: [String] = []
    if field.scalar(at: ReflectionSlot.Field.isDeprecated, default: false) { result.append("deprecated") }
    if field.scalar(at: ReflectionSlot.Field.isRequired, default: false) { result.append("required") }
    if field.scalar(at: ReflectionSlot.Field.isKey, default: false) { result.append("key") }
    return result + (try attributes(field, ReflectionSlot.Field.attributes)).filter { !result.contains($0) }
  }

  /// The attributes that matter to data. All have a meaning of their own, so that none must be declared.
  private func attributes(
    _ table: FlatBufferTable, _ slot: VTableOffset
  ) throws(BinarySchema.Failure) -> [String] {
    var result: [String] = []
    for attribute in table.vector(of: FlatBufferTable.self, at: slot) {
      let key = attribute.string(at: ReflectionSlot.Attribute.key) ?? ""
      let value = attribute.string(at: ReflectionSlot.Attribute.value) ?? ""
      switch key {
      case "id", "force_align":
        guard let number = Int(value), number >= 0 else { throw Failure(description: "`\(key)` in it is no number") }
        result.append("\(key): \(number)")
      case "hash", "nested_flatbuffer", "v": result.append("\(key): \(try quoted(value))")
      case "bit_flags", "shared", "flexbuffer", "primary", "indexed", "unique", "offset64", "vector64", "codable":
        result.append(key)
      default: break
      }
    }
    return result
  }

  private func list(_ attributes: [String]) -> String {
    attributes.isEmpty ? "" : " (\(attributes.joined(separator: ", ")))"
  }

  // MARK: Types and defaults

  /// A kind of type, if this version knows it.
  private func base(
    of type: FlatBufferTable, at slot: VTableOffset = ReflectionSlot.TypeInfo.base
  ) throws(BinarySchema.Failure) -> ReflectionBaseType {
    let number = type.scalar(at: slot, default: Int8(0))
    guard let base = ReflectionBaseType(rawValue: number) else {
      throw Failure(description: "it has a type of number \(number), which this version does not know")
    }
    return base
  }

  private func word(_ base: ReflectionBaseType) throws(BinarySchema.Failure) -> String {
    guard let scalar = base.scalar else {
      throw Failure(description: "it has a type of number \(base.rawValue) where there can be none")
    }
    return scalar.schemaName
  }

  private func type(_ type: FlatBufferTable) throws(BinarySchema.Failure) -> String {
    let base = try base(of: type)
    switch base {
    case .vector, .vector64: return "[\(try element(of: type))]"
    case .array:
      return "[\(try element(of: type)):\(type.scalar(at: ReflectionSlot.TypeInfo.fixedLength, default: UInt16(0)))]"
    default: return try single(base, type)
    }
  }

  private func element(of type: FlatBufferTable) throws(BinarySchema.Failure) -> String {
    try single(try base(of: type, at: ReflectionSlot.TypeInfo.element), type)
  }

  private func single(_ base: ReflectionBaseType, _ type: FlatBufferTable) throws(BinarySchema.Failure) -> String {
    let index = Int(type.scalar(at: ReflectionSlot.TypeInfo.index, default: Int32(-1)))
    func definition(in list: [FlatBufferTable], _ slot: VTableOffset) throws(BinarySchema.Failure) -> String {
      guard list.indices.contains(index) else { throw Failure(description: "it refers to a type that it lacks") }
      return try qualifiedName(list[index], slot)
    }
    switch base {
    case .string: return "string"
    case .object: return try definition(in: objects, ReflectionSlot.Object.name)
    case .union: return try definition(in: enums, ReflectionSlot.Enum.name)
    default: return index < 0 ? try word(base) : try definition(in: enums, ReflectionSlot.Enum.name)
    }
  }

  private func value(of field: FlatBufferTable, _ type: FlatBufferTable) throws(BinarySchema.Failure) -> String {
    let base = try base(of: type)
    guard base.scalar != nil else { return "" }
    if field.scalar(at: ReflectionSlot.Field.isOptional, default: false) { return " = null" }
    let integer = field.scalar(at: ReflectionSlot.Field.defaultInteger, default: Int64(0))
    let index = Int(type.scalar(at: ReflectionSlot.TypeInfo.index, default: Int32(-1)))
    if enums.indices.contains(index) { return try enumValue(integer, enums[index], base) }
    switch try word(base) {
    case "bool": return integer == 0 ? "" : " = true"
    case "float", "double":
      let real = field.scalar(at: ReflectionSlot.Field.defaultReal, default: Double(0))
      return real.bitPattern == 0 ? "" : " = \(real.isNaN ? "nan" : String(real))"
    case "ulong": return integer == 0 ? "" : " = \(UInt64(bitPattern: integer))"
    default: return integer == 0 ? "" : " = \(integer)"
    }
  }

  private func enumValue(
    _ number: Int64, _ definition: FlatBufferTable, _ base: ReflectionBaseType
  ) throws(BinarySchema.Failure) -> String {
    for value in definition.vector(of: FlatBufferTable.self, at: ReflectionSlot.Enum.values)
    where value.scalar(at: ReflectionSlot.Value.number, default: Int64(0)) == number {
      return " = \(try name(value, ReflectionSlot.Value.name))"
    }
    // A set of flags is no single value.
    return number == 0 ? "" : " = \(try word(base) == "ulong" ? String(UInt64(bitPattern: number)) : String(number))"
  }
}
