import FBSDiagnostics
import FBSSchema

/// The defaults of fields as the schema language writes them, for descriptions of a schema.
struct SchemaDefaultText {
  private let schema: Schema

  init(_ schema: Schema) {
    self.schema = schema
  }

  /// Returns the value of a field when it is absent; nil if that is none, or the field is never absent.
  func of(_ field: FieldDefinition) -> String? {
    switch field.presence {
    case .required, .optional: return nil
    case .defaultedObject(let text):
      if case .string = field.type { return literal(text) }
      return "[]"
    case .defaulted(let value):
      guard case .enumeration(let id) = field.type else { return text(value) }
      if schema[id].isBitFlags, let names = names(of: value, in: schema[id]) { return names }
      let match = schema[id].values.first { schema[id].literal($0) == value.swiftLiteral }
      return match?.name ?? value.swiftLiteral
    }
  }

  /// Returns a string in quotes. The schema language has the escapes of JSON, and not those of Swift.
  private func literal(_ text: String) -> String {
    var writer = JSONWriter()
    writer.value(text)
    return writer.text
  }

  /// Returns the names of a set of bits; nil if it is empty, or has bits without a name.
  private func names(of value: ScalarValue, in definition: EnumDefinition) -> String? {
    guard let bits = UInt64(value.swiftLiteral), bits != 0 else { return nil }
    let set = definition.values.filter { UInt64(bitPattern: $0.number) & bits != 0 }
    let known = set.reduce(0) { $0 | UInt64(bitPattern: $1.number) }
    return known == bits ? set.map(\.name).joined(separator: " ") : nil
  }

  private func text(_ value: ScalarValue) -> String {
    switch value {
    case .real(let real) where real.isNaN: "nan"
    case .real(let real) where real.isInfinite: real < 0 ? "-inf" : "inf"
    case .real(let real): "\(real)"
    default: value.swiftLiteral
    }
  }
}
