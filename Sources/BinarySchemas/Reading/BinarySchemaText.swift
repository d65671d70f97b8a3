import FBSSchema
import FlatBuffersCore

/// Writes a verified binary schema as text.
struct BinarySchemaText {
  let schema: FlatBufferTable
  let objects: [FlatBufferTable]
  let enums: [FlatBufferTable]
  private let limit: Int
  private var text = ""
  private var builtinAttributes: BinarySchema.BuiltinAttributes
  private var assumedBitFlags: [String] = []
  private var lostDefaults: [String] = []
  /// The attributes in the text that are not attributes of the language. The text declares them.
  private var declaredAttributes: Set<String> = []

  private typealias Failure = BinarySchema.Failure

  init(_ schema: FlatBufferTable, limit: Int) {
    self.schema = schema
    self.limit = limit
    objects = schema.vector(of: FlatBufferTable.self, at: ReflectionSlot.Schema.objects).map { $0 }
    enums = schema.vector(of: FlatBufferTable.self, at: ReflectionSlot.Schema.enums).map { $0 }
    builtinAttributes = .init(of: schema)
  }

  mutating func write() throws(BinarySchema.Failure) -> BinarySchema.Content {
    // Enums come first, then structs, so that each type stands above its uses.
    for definition in enums where !definition.scalar(at: ReflectionSlot.Enum.isUnion, default: false) {
      try writeEnum(definition)
    }
    for object in objects where object.scalar(at: ReflectionSlot.Object.isStruct, default: false) {
      try writeStruct(object)
    }
    for definition in enums where definition.scalar(at: ReflectionSlot.Enum.isUnion, default: false) {
      try writeUnion(definition)
    }
    for object in objects where !object.scalar(at: ReflectionSlot.Object.isStruct, default: false) {
      try writeTable(object)
    }
    for service in schema.vector(of: FlatBufferTable.self, at: ReflectionSlot.Schema.services) {
      try writeService(service)
    }
    try writeFileStatements()
    let declarations = declaredAttributes.sorted().map { "attribute \($0);\n" }.joined()
    return BinarySchema.Content(
      text: declarations + text, builtinAttributes: builtinAttributes, assumedBitFlags: assumedBitFlags,
      lostDefaults: lostDefaults)
  }

  private mutating func writeFileStatements() throws(BinarySchema.Failure) {
    text += "namespace;\n"
    if let root = schema.table(at: ReflectionSlot.Schema.rootTable) {
      text += "root_type \(try qualifiedName(root, ReflectionSlot.Object.name));\n"
    }
    if let identifier = schema.string(at: ReflectionSlot.Schema.fileIdentifier), !identifier.isEmpty {
      guard identifier.utf8.count == 4 else { throw Failure(description: "its file identifier has not four bytes") }
      text += "file_identifier \(try quoted(identifier));\n"
    }
    if let name = schema.string(at: ReflectionSlot.Schema.fileExtension), !name.isEmpty {
      text += "file_extension \(try quoted(name));\n"
    }
  }

  private func checkSize() throws(BinarySchema.Failure) { try check(size: text.utf8.count) }

  private func check(size: Int) throws(BinarySchema.Failure) {
    if size > limit { throw Failure(description: "it refers to a few things too many times") }
  }

  // MARK: Names and documentation

  private func identifier(_ name: some StringProtocol) throws(BinarySchema.Failure) -> String {
    guard Self.isIdentifier(name) else { throw Failure(description: "a name in it is no identifier") }
    return String(name)
  }

  private static func isIdentifier(_ name: some StringProtocol) -> Bool {
    name.utf8.count <= 1_000 && name.utf8.first.map { !(0x30...0x39).contains($0) } == true
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == UInt8(ascii: "_")
      }
  }

  func name(_ table: FlatBufferTable, _ slot: VTableOffset) throws(BinarySchema.Failure) -> String {
    try identifier(table.string(at: slot) ?? "")
  }

  func qualifiedName(_ table: FlatBufferTable, _ slot: VTableOffset) throws(BinarySchema.Failure) -> String {
    let name = table.string(at: slot) ?? ""
    for part in name.split(separator: ".", omittingEmptySubsequences: false) { _ = try identifier(part) }
    return name
  }

  /// Opens the namespace of a definition, writes its documentation, and returns its unqualified name.
  private mutating func open(
    _ definition: FlatBufferTable, name: VTableOffset, documentation: VTableOffset
  ) throws(BinarySchema.Failure) -> Substring {
    let name = try qualifiedName(definition, name)
    let parts = name.split(separator: ".")
    text += parts.count == 1 ? "namespace;\n" : "namespace \(parts.dropLast().joined(separator: "."));\n"
    try write(documentation: definition, documentation)
    return parts.last ?? ""
  }

  /// Writes a doc comment with a line for each text. No text can end the comment.
  private mutating func write(
    documentation table: FlatBufferTable, _ slot: VTableOffset, indentation: String = ""
  ) throws(BinarySchema.Failure) {
    for line in table.vector(of: String.self, at: slot) {
      let isPlain = line.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\t" }
      text += indentation + "///"
      text += isPlain ? line : String(String.UnicodeScalarView(line.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
      text += "\n"
      try checkSize()
    }
  }

  private func quoted(_ string: String) throws(BinarySchema.Failure) -> String {
    var result = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        result += "\\x" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  // MARK: Enums and unions

  private mutating func writeEnum(_ definition: FlatBufferTable) throws(BinarySchema.Failure) {
    let own = try open(
      definition, name: ReflectionSlot.Enum.name, documentation: ReflectionSlot.Enum.documentation)
    let type = definition.table(at: ReflectionSlot.Enum.underlyingType) ?? .empty
    let scalar = try word(try base(of: type))
    let values = definition.vector(of: FlatBufferTable.self, at: ReflectionSlot.Enum.values)
    let isFlags = isBitFlags(definition, values, scalar)
    let attributes = try attributes(definition, ReflectionSlot.Enum.attributes)
    text += "enum \(own): \(scalar)\(list((isFlags ? ["bit_flags"] : []) + attributes)) {\n"
    for value in values {
      let number = value.scalar(at: ReflectionSlot.Value.number, default: Int64(0))
      let written: String
      if isFlags {
        guard number.nonzeroBitCount == 1 else { throw Failure(description: "a flag in it is no single bit") }
        written = String(number.trailingZeroBitCount)
      } else {
        written = scalar == "ulong" ? String(UInt64(bitPattern: number)) : String(number)
      }
      try write(documentation: value, ReflectionSlot.Value.documentation, indentation: "  ")
      text += "  \(try name(value, ReflectionSlot.Value.name)) = \(written)"
      text += list(try self.attributes(value, ReflectionSlot.Value.attributes)) + ",\n"
      try checkSize()
    }
    text += "}\n"
  }

  /// Returns whether an enum is a set of bits. If the binary schema holds no attributes, an enum whose values are single bits
  /// counts as a set. Its values read and print alike, and only a set can have a default, or a combination, that is
  /// none of its values.
  private mutating func isBitFlags(
    _ definition: FlatBufferTable, _ values: FlatBufferVector<FlatBufferTable>, _ scalar: String
  ) -> Bool {
    let isSaid = definition.vector(of: FlatBufferTable.self, at: ReflectionSlot.Enum.attributes)
      .contains { $0.string(at: ReflectionSlot.Attribute.key) == "bit_flags" }
    if isSaid { return true }
    if case .held = builtinAttributes { return false }
    guard ["ubyte", "ushort", "uint", "ulong"].contains(scalar), !values.isEmpty else { return false }
    for value in values {
      let number = value.scalar(at: ReflectionSlot.Value.number, default: Int64(0))
      guard number.nonzeroBitCount == 1 else { return false }
    }
    assumedBitFlags.append(definition.string(at: ReflectionSlot.Enum.name) ?? "")
    return true
  }

  private mutating func writeUnion(_ definition: FlatBufferTable) throws(BinarySchema.Failure) {
    let own = try open(
      definition, name: ReflectionSlot.Enum.name, documentation: ReflectionSlot.Enum.documentation)
    let type = definition.table(at: ReflectionSlot.Enum.underlyingType) ?? .empty
    let base = try base(of: type)
    let attributes = list(try attributes(definition, ReflectionSlot.Enum.attributes))
    text += "union \(own)\(base == .unionType || base == .none ? "" : ": \(try word(base))")\(attributes) {\n"
    for value in definition.vector(of: FlatBufferTable.self, at: ReflectionSlot.Enum.values) {
      let code = value.scalar(at: ReflectionSlot.Value.number, default: Int64(0))
      if code == 0 { continue }
      let type = value.table(at: ReflectionSlot.Value.unionType) ?? .empty
      try write(documentation: value, ReflectionSlot.Value.documentation, indentation: "  ")
      text += "  \(try name(value, ReflectionSlot.Value.name)): \(try self.type(type)) = \(UInt64(bitPattern: code))"
      text += list(try self.attributes(value, ReflectionSlot.Value.attributes)) + ",\n"
      try checkSize()
    }
    text += "}\n"
  }

  // MARK: Structs and tables

  private mutating func writeStruct(_ object: FlatBufferTable) throws(BinarySchema.Failure) {
    let own = try open(
      object, name: ReflectionSlot.Object.name, documentation: ReflectionSlot.Object.documentation)
    let fields = sortedFields(of: object)
    var attributes = try attributes(object, ReflectionSlot.Object.attributes, except: ["force_align"])
    if let alignment = try forcedAlignment(of: object, fields) { attributes.append("force_align: \(alignment)") }
    text += "struct \(own)\(list(attributes)) {\n"
    for field in fields {
      guard let type = field.table(at: ReflectionSlot.Field.type) else { continue }
      try write(documentation: field, ReflectionSlot.Field.documentation, indentation: "  ")
      text += "  \(try name(field, ReflectionSlot.Field.name)): \(try self.type(type))"
      text += list(try fieldAttributes(field, type)) + ";\n"
      try checkSize()
    }
    text += "}\n"
  }

  /// Returns the alignment to write as `force_align`: for a struct that has the attribute, or a larger alignment than
  /// its fields need; otherwise nil.
  private mutating func forcedAlignment(
    of object: FlatBufferTable, _ fields: [FlatBufferTable]
  ) throws(BinarySchema.Failure) -> Int? {
    var measured: [(field: FlatBufferTable, measure: ReflectedStructLayout.Measure)] = []
    for field in fields {
      // A type that no struct can hold is reported when the text is compiled.
      guard let type = field.table(at: ReflectionSlot.Field.type), let measure = try measure(type) else { return nil }
      measured.append((field, measure))
    }
    let layout = try ReflectedStructLayout(object)
    let isSaid = object.vector(of: FlatBufferTable.self, at: ReflectionSlot.Object.attributes)
      .contains { $0.string(at: ReflectionSlot.Attribute.key) == "force_align" }
    guard try layout.isForced(measured) || isSaid else { return nil }
    if !isSaid, case .unknown = builtinAttributes { builtinAttributes = .omitted }
    return layout.alignment
  }

  private mutating func writeTable(_ object: FlatBufferTable) throws(BinarySchema.Failure) {
    let own = try open(
      object, name: ReflectionSlot.Object.name, documentation: ReflectionSlot.Object.documentation)
    let features = schema.scalar(at: ReflectionSlot.Schema.advancedFeatures, default: UInt64(0))
    let hasObjectDefaults = AdvancedFeatures(rawValue: features).contains(.defaultObjects)
    text += "table \(own)\(list(try attributes(object, ReflectionSlot.Object.attributes))) {\n"
    var next = 0
    for field in sortedFields(of: object) {
      guard let type = field.table(at: ReflectionSlot.Field.type) else { continue }
      // The compiler adds the hidden types of unions itself.
      if try isCode(base(of: type), type) { continue }
      let element = try base(of: type, at: ReflectionSlot.TypeInfo.element)
      if try isCode(element, type) { continue }
      let id = Int(id(field))
      if try base(of: type) == .union || element == .union { next += 1 }
      guard id == next, Int(field.scalar(at: ReflectionSlot.Field.offset, default: UInt16(0))) == 4 + 2 * id else {
        throw Failure(description: "the fields of its table `\(own)` are not numbered one after the other")
      }
      next += 1
      try write(documentation: field, ReflectionSlot.Field.documentation, indentation: "  ")
      let name = try name(field, ReflectionSlot.Field.name)
      text += "  \(name): \(try self.type(type))\(try value(of: field, type))"
      if hasObjectDefaults, Self.hasObjectDefault(field) {
        // A vector has only one possible default. The text of a string's default is not stored.
        switch try base(of: type) {
        case .vector, .vector64: text += " = []"
        case .string: lostDefaults.append("\(own).\(name)")
        default: break
        }
      }
      text += list(try fieldAttributes(field, type)) + ";\n"
      try checkSize()
    }
    text += "}\n"
  }

  /// Returns whether a field that is neither required nor a number has a default, so that it is not optional.
  private static func hasObjectDefault(_ field: FlatBufferTable) -> Bool {
    !field.scalar(at: ReflectionSlot.Field.isRequired, default: false)
      && !field.scalar(at: ReflectionSlot.Field.isOptional, default: false)
  }

  private func sortedFields(of object: FlatBufferTable) -> [FlatBufferTable] {
    object.vector(of: FlatBufferTable.self, at: ReflectionSlot.Object.fields).map { $0 }.sorted { id($0) < id($1) }
  }

  private func id(_ field: FlatBufferTable) -> UInt16 { field.scalar(at: ReflectionSlot.Field.id, default: UInt16(0)) }

  // MARK: Services

  private mutating func writeService(_ service: FlatBufferTable) throws(BinarySchema.Failure) {
    let own = try open(
      service, name: ReflectionSlot.Service.name, documentation: ReflectionSlot.Service.documentation)
    text += "rpc_service \(own)\(list(try attributes(service, ReflectionSlot.Service.attributes))) {\n"
    for call in service.vector(of: FlatBufferTable.self, at: ReflectionSlot.Service.calls) {
      let request = try qualifiedName(call.table(at: ReflectionSlot.Call.request) ?? .empty, ReflectionSlot.Object.name)
      let response = try qualifiedName(
        call.table(at: ReflectionSlot.Call.response) ?? .empty, ReflectionSlot.Object.name)
      try write(documentation: call, ReflectionSlot.Call.documentation, indentation: "  ")
      text += "  \(try name(call, ReflectionSlot.Call.name))(\(request)): \(response)"
      text += list(try attributes(call, ReflectionSlot.Call.attributes)) + ";\n"
      try checkSize()
    }
    text += "}\n"
  }

  // MARK: Attributes

  /// Returns the attributes of a field as text. An attribute that has a flag of its own is written if the flag is set.
  private mutating func fieldAttributes(
    _ field: FlatBufferTable, _ type: FlatBufferTable
  ) throws(BinarySchema.Failure) -> [String] {
    var result: [String] = []
    if field.scalar(at: ReflectionSlot.Field.isDeprecated, default: false) { result.append("deprecated") }
    let isKey = field.scalar(at: ReflectionSlot.Field.isKey, default: false)
    let isRequired = field.scalar(at: ReflectionSlot.Field.isRequired, default: false)
    let base = try base(of: type)
    // A string that is a key is required even without the attribute.
    if isRequired, !isKey || base != .string { result.append("required") }
    if isKey { result.append("key") }
    if base == .vector64 {
      result.append("vector64")
    } else if field.scalar(at: ReflectionSlot.Field.hasWideOffset, default: false) {
      result.append("offset64")
    }
    return result
      + (try attributes(
        field, ReflectionSlot.Field.attributes, except: ["deprecated", "required", "key", "vector64", "offset64"]))
  }

  /// The attributes whose value is a text, even if it looks like a number.
  private static let attributesWithText: Set<String> = [
    "hash", "nested_flatbuffer", "v", "swift_name", "date", "duration", "decimal", "swift_type",
  ]

  /// Returns attributes as text, and notes those that are not attributes of the language: the text will declare them.
  private mutating func attributes(
    _ table: FlatBufferTable, _ slot: VTableOffset, except told: Set<String> = ["bit_flags"]
  ) throws(BinarySchema.Failure) -> [String] {
    var result: [String] = []
    var size = text.utf8.count
    for attribute in table.vector(of: FlatBufferTable.self, at: slot) {
      let key = attribute.string(at: ReflectionSlot.Attribute.key) ?? ""
      guard !told.contains(key) else { continue }
      let value = attribute.string(at: ReflectionSlot.Attribute.value) ?? ""
      let name = Self.isIdentifier(key) ? key : try quoted(key)
      size += key.utf8.count + value.utf8.count
      try check(size: size)
      if !BinarySchema.BuiltinAttributes.names.contains(key) { declaredAttributes.insert(try quoted(key)) }
      if Self.attributesWithText.contains(key) {
        result.append("\(name): \(try quoted(value))")
      } else if value == "0" && key != "id" {
        // This is the value of an attribute without one.
        result.append(name)
      } else {
        let isNumber = Int32(value).map { String($0) == value } ?? false
        result.append("\(name): \(isNumber ? value : try quoted(value))")
      }
    }
    return result
  }

  private func list(_ attributes: [String]) -> String {
    attributes.isEmpty ? "" : " (\(attributes.joined(separator: ", ")))"
  }
}
