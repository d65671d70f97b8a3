/// The type of a schema that replaces a type of Protocol Buffers.
struct ProtoFieldType {
  enum Kind { case boolean, integer, number, enumeration, string, bytes, table }

  /// The type as schemas write it.
  let text: String
  let kind: Kind
  /// Whether it replaces a wrapped number, which may be absent.
  let isWrapped: Bool
  /// The values of an enum.
  let values: ProtoTypes.EnumValues?

  init(_ text: String, _ kind: Kind, isWrapped: Bool = false, values: ProtoTypes.EnumValues? = nil) {
    self.text = text
    self.kind = kind
    self.isWrapped = isWrapped
    self.values = values
  }

  /// Whether a field of the type always has a value, unless it may be absent.
  var isScalar: Bool {
    switch kind {
    case .boolean, .integer, .number, .enumeration: true
    case .string, .bytes, .table: false
    }
  }

  /// The type, with the default that an enum without a value for 0 needs.
  var element: String { text + (values?.first.map { " = \($0)" } ?? "") }

  // MARK: The types of the language

  private static let basicTypes: [String: (String, Kind)] = [
    "double": ("double", .number), "float": ("float", .number), "int32": ("int", .integer), "sint32": ("int", .integer),
    "sfixed32": ("int", .integer), "int64": ("long", .integer), "sint64": ("long", .integer),
    "sfixed64": ("long", .integer), "uint32": ("uint", .integer), "fixed32": ("uint", .integer),
    "uint64": ("ulong", .integer), "fixed64": ("ulong", .integer), "bool": ("bool", .boolean),
    "string": ("string", .string), "bytes": ("[ubyte]", .bytes),
  ]

  static func basic(_ name: String) -> ProtoFieldType? { basicTypes[name].map { ProtoFieldType($0, $1) } }

  /// Returns the schema's type that replaces a type of google.protobuf, and a note for the user; nil if there is
  /// nothing to note.
  static func wellKnown(_ name: String) -> (type: ProtoFieldType, note: String?) {
    switch name {
    case "DoubleValue", "FloatValue", "Int64Value", "UInt64Value", "Int32Value", "UInt32Value", "BoolValue",
      "StringValue",
      "BytesValue":
      let plain = basicTypes[name.dropLast(5).lowercased()] ?? ("[ubyte]", .bytes)
      let type = ProtoFieldType(plain.0, plain.1)
      return (ProtoFieldType(plain.0, plain.1, isWrapped: type.isScalar), nil)
    case "Timestamp", "Duration":
      return (
        ProtoFieldType("long", .integer, isWrapped: true), "a \(name) is a number: say in a comment of which unit"
      )
    case "Edition", "NullValue", "Syntax":
      return (ProtoFieldType("int", .integer), "google.protobuf.\(name) is an enum: its number is kept")
    default:
      return (ProtoFieldType("[ubyte]", .bytes), "google.protobuf.\(name) has no counterpart: it is bytes")
    }
  }

  // MARK: Defaults

  /// Returns a default as schemas write it; nil if they cannot.
  func literal(of option: ProtoFile.Option) -> String? {
    let text = option.text
    switch kind {
    case .boolean: return ["true", "false"].contains(text) ? text : nil
    case .enumeration: return values?.names[text]
    case .string: return option.string.flatMap(ProtoEscapes.literal)
    case .integer: return Self.integer(text)
    case .number:
      if ["inf", "-inf", "nan"].contains(text) { return text }
      if text == "-nan" { return "nan" }
      return Self.integer(text) ?? (Double(text) == nil ? nil : text)
    case .bytes, .table: return nil
    }
  }

  /// Returns a whole number in decimal digits, which may be written in hexadecimal or octal ones; nil if the text is no
  /// such number.
  private static func integer(_ text: String) -> String? {
    let isNegative = text.hasPrefix("-")
    let digits = (isNegative ? text.dropFirst() : text[...]).lowercased()
    let number =
      digits.hasPrefix("0x")
      ? UInt64(digits.dropFirst(2), radix: 16) : UInt64(digits, radix: digits.hasPrefix("0") ? 8 : 10)
    return number.map { (isNegative ? "-" : "") + String($0) }
  }
}
