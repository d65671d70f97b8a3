import FBSSchema

/// Generates the data model's type for an enum of the schema: an option set if the enum has `bit_flags`, otherwise a
/// Swift enum.
struct EnumModelGenerator {
  private let definition: EnumDefinition
  private let declared: Namer.DeclaredName
  private let names: Namer
  private let imported: ImportedTypeNames
  private let isCodable: Bool

  init(_ unit: EmissionUnit, _ id: EnumID) {
    definition = unit.schema[id]
    declared = unit.names.declared(.enumeration(id))
    names = unit.names
    imported = unit.imported
    isCodable = unit.traits.codable.contains(.enumeration(id))
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: declared.namespace) { writer in
      writer.documentation(definition.declaration.documentation)
      let name = declared.model
      let raw = imported[definition.underlyingType.swiftType]
      guard !definition.isBitFlags else {
        optionSet(name, raw, to: &writer)
        return
      }
      let protocols: CodeText = "\(imported[.dflatFriendlyValue, .caseIterable, .sendable])\(codable)"
      writer.block("public enum \(name): \(raw), \(protocols)") { writer in
        for value in definition.values {
          writer.documentation(value.declaration.documentation)
          writer.line("case \(names.caseName(value)) = \(definition.literal(value))")
        }
        aliases(of: name, to: &writer)
      }
    }
  }

  /// The conformance to `Codable`, which encodes the number.
  private var codable: CodeText { isCodable ? ", \(imported[.codable])" : "" }

  /// Writes static members for the aliases, which are further names of a number. A Swift enum has one case for each
  /// number.
  private func aliases(of name: String, to writer: inout CodeWriter) {
    guard !definition.aliases.isEmpty else { return }
    writer.blank()
    for alias in definition.aliases {
      guard let value = definition.values.first(where: { $0.number == alias.number }) else { continue }
      writer.documentation(alias.declaration.documentation)
      writer.line("public static var \(names.caseName(alias)): \(name) { .\(names.caseName(value)) }")
    }
  }

  private func optionSet(_ name: String, _ raw: String, to writer: inout CodeWriter) {
    let protocols: CodeText = "\(imported[.optionSet, .dflatFriendlyValue, .hashable, .sendable])\(codable)"
    writer.block("public struct \(name): \(protocols)") { writer in
      writer.line("public let rawValue: \(raw)")
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
