/// The types from outside that generated code names, each with the module that has it.
///
/// A schema may define a type of the same name, which hides the one from outside: then the code says `Swift.String` where it
/// says `String` otherwise.
package enum OutsideNames {
  /// The module of each name.
  package static let modules: [String: String] = {
    var modules: [String: String] = [:]
    for (module, names) in [
      ("Swift", swift), ("Dflat", dflat), ("FlatBuffersCore", flatBuffersCore),
    ] {
      for name in names.split(separator: " ") { modules[String(name)] = module }
    }
    return modules
  }()

  private static let swift = """
    Array Bool CaseIterable Codable CodingKey CustomReflectable Decoder Double Encoder Equatable Float Hashable Int Int16 \
    Int32 Int64 Int8 Mirror OptionSet Sendable String UInt16 UInt32 UInt64 UInt8
    """
  private static let dflat = """
    Atom DflatFriendlyValue FieldDecoder FieldPath FlatBufferStructDecodable FlatBufferStructEncodable \
    FlatBufferTableDecodable FlatBufferUnionDecodable FlatBuffersDecodable FlatBuffersEncodable \
    FlatBuffersOffset64Encodable FlatBuffersUnionEncodable GeneratedAtom GeneratedChangeRequest IdentifiableAtom \
    Indirect InfallibleFlatBuffersEncodable ObjectBuilder QueryExpression RecordChange RecordDescription RecordField RecordIndex UnionField
    """
  private static let flatBuffersCore = """
    ByteBuffer FlatBufferBuilder FlatBufferCompositeKeyed FlatBufferCompositeKeyedValue FlatBufferEditableElement \
    FlatBufferEnumValue FlatBufferError FlatBufferKeyLayout FlatBufferScalarKeyed \
    FlatBufferStringKeyed FlatBufferStruct FlatBufferStructEditor FlatBufferStructEditorView FlatBufferStructView \
    FlatBufferStructWritable FlatBufferStructWriter FlatBufferTable FlatBufferTableEditor FlatBufferTableEditorView \
    FlatBufferTableView FlatBufferUnionEditorView FlatBufferUnionMember FlatBufferUnionMemberEditor \
    FlatBufferUnionVector FlatBufferUnionVectorEditor FlatBufferUnionView FlatBufferVector FlatBufferVectorEditor \
    FlatBufferVerifier Offset Offset64 VTableOffset Vector64Offset
    """

  /// Names that no type can have, whatever the code says: what is no name at all, and the default types of literals.
  static let impossible: Set<String> = [
    "_", "self", "BooleanLiteralType", "ExtendedGraphemeClusterType", "FloatLiteralType", "IntegerLiteralType",
    "StringLiteralType", "UnicodeScalarType",
  ]

  /// Names of types within generated types of the data model, which would hide one of the schema.
  static let nested: Set<String> = [
    "CodingKeys", "Element", "Fields", "Union", "_Object", "_PrimaryKey", "_StructValue", "_TypeCode",
    "_UnionReader", "_Values",
  ]
}

extension OutsideNames {
  /// Names of what is local to generated functions, or a member of every type, where it would hide a type.
  static let locals: Set<String> = [
    "_change", "_commitVersion", "_differs", "_editor", "_fieldValues", "_fileIdentifier", "_hasSameKeys",
    "_isIdentical", "_object", "_path", "_primaryKey", "_record", "_rowid", "_structure", "_table",
    "_state", "_taken", "_typeCode", "_value", "_values", "_write64BitObjects", "_writeTable", "allCases", "array",
    "borrow", "buffer", "build", "builder", "byteAlignment", "byteBuffer", "byteSize", "change", "changeRequest",
    "code", "container", "create", "creationRequest", "customMirror", "decoder",
    "deletionRequest", "editor", "element", "encode", "encoder", "fields", "fileExtension", "fileIdentifier", "finish",
    "flatBuffersSchemaVersion", "from", "get", "hasIdentifier", "hashValue", "index", "key", "keyHasOffset64",
    "keyLayout", "keySlot", "keyStructure", "lhs", "member", "modify", "mutate", "object", "path", "position", "read",
    "reader", "required", "rhs", "set", "slot",
    "structure", "table", "text", "to", "upsertRequest", "values", "vectorElement", "vectorStride", "verifier",
    "verify",
    "write", "writer",
  ]
}

/// Spells names from outside with their module, where the schema hides them.
///
/// Emitters write the names of both kinds alike. What `Namer` gives for the schema's own types carries a mark, which is
/// taken away here, and from the names that carry none those that are hidden are told.
struct NameQualifier {
  /// Names from outside that the schema hides.
  let hidden: Set<String>

  /// Stands before the name of a schema's type. No text of a schema gets into code with such a character: a string literal
  /// has it escaped.
  static let mark: UInt8 = 1

  /// The text with names spelled so that each means what it should, and without marks.
  func qualify(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 16)
    var index = 0
    var declares = false
    while index < bytes.count {
      let byte = bytes[index]
      if byte == Self.mark {
        index += 1
        let end = Self.endOfName(bytes, from: index)
        result += bytes[index..<end]
        index = end
      } else if byte == UInt8(ascii: "/"), index + 1 < bytes.count, bytes[index + 1] == byte {
        let end = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        result += bytes[index..<end].filter { $0 != Self.mark }
        index = end
      } else if byte == UInt8(ascii: "\"") {
        let end = Self.endOfString(bytes, from: index)
        result += bytes[index..<end]
        index = end
      } else if Self.isNamePart(byte) {
        let end = Self.endOfName(bytes, from: index)
        let name = String(decoding: bytes[index..<end], as: UTF8.self)
        let isMember = index > 0 && (bytes[index - 1] == UInt8(ascii: ".") || bytes[index - 1] == UInt8(ascii: "`"))
        // An extension is one of a type from outside only where it has a condition.
        let isCondition = bytes[end...].starts(with: " where".utf8)
        if !isMember, !declares || isCondition, hidden.contains(name), let module = OutsideNames.modules[name] {
          result += "\(module).".utf8
        }
        declares = Self.declarations.contains(name)
        result += bytes[index..<end]
        index = end
      } else {
        if byte != UInt8(ascii: " ") { declares = false }
        result.append(byte)
        index += 1
      }
    }
    return result
  }

  private static let declarations: Set<String> = ["class", "enum", "extension", "import", "struct"]

  private static func endOfName(_ bytes: [UInt8], from start: Int) -> Int {
    bytes[start...].firstIndex { !isNamePart($0) } ?? bytes.count
  }

  private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: byte >= 0x80
    }
  }
}
