import FBSSchema

/// Generates the accessors' type for an enum. The type holds any number of the underlying type, since a newer version
/// of the schema may have values that this version does not know.
struct EnumValueGenerator {
  private let definition: EnumDefinition
  private let declared: Namer.DeclaredName
  private let name: String
  private let names: Namer

  init(_ unit: EmissionUnit, _ id: EnumID) {
    definition = unit.schema[id]
    declared = unit.names.declared(.enumeration(id))
    name = declared.with(Namer.Suffix.value)
    names = unit.names
  }

  func emit(to writer: inout CodeWriter) {
    let imported = names.imported
    let raw = imported[definition.underlyingType.swiftType]
    writer.declaration(in: declared.namespace) { writer in
      writer.documentation(
        "\(definition.name.withArticle.capitalizedFirst) as it stands in a buffer, also one that this version does not know.",
        then: definition.declaration.documentation)
      let protocols =
        definition.isBitFlags
        ? imported[.optionSet, .flatBufferEnumValue, .hashable, .sendable]
        : imported[.flatBufferEnumValue, .hashable, .sendable]
      writer.block("public struct \(name): \(protocols)") { writer in
        writer.line("public var rawValue: \(raw)")
        writer.blank()
        writer.block("public init(rawValue: \(raw))") { $0.line("self.rawValue = rawValue") }
        writer.blank()
        for value in definition.names {
          writer.documentation(value.declaration.documentation)
          let number = definition.literal(value)
          writer.line("public static var \(names.caseName(value)): \(name) { \(name)(rawValue: \(number)) }")
        }
      }
    }
  }
}

extension String {
  /// The string with its first letter in upper case.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
