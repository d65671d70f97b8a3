import FBSSchema

/// An enum of the data model: a closed set of cases, or with `bit_flags` an option set.
struct EnumModelGenerator {
  private let definition: EnumDefinition
  private let declared: Namer.DeclaredName
  private let names: Namer
  private let isCodable: Bool

  init(_ unit: EmissionUnit, _ id: EnumID) {
    definition = unit.schema[id]
    declared = unit.names.declared(.enumeration(id))
    names = unit.names
    isCodable = unit.traits.codable.contains(.enumeration(id))
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: declared.namespace) { writer in
      writer.documentation(definition.declaration.documentation)
      let name = declared.model
      let raw = definition.underlyingType.swiftName
      guard !definition.isBitFlags else {
        optionSet(name, raw, to: &writer)
        return
      }
      writer.block("public enum \(name): \(raw), DflatFriendlyValue, CaseIterable, Sendable\(codable)") { writer in
        for value in definition.values {
          writer.documentation(value.declaration.documentation)
          writer.line("case \(names.caseName(value)) = \(definition.literal(value))")
        }
      }
    }
  }

  /// As its number.
  private var codable: String { isCodable ? ", Codable" : "" }

  private func optionSet(_ name: String, _ raw: String, to writer: inout CodeWriter) {
    writer.block("public struct \(name): OptionSet, DflatFriendlyValue, Hashable, Sendable\(codable)") { writer in
      writer.line("public let rawValue: \(raw)")
      writer.blank()
      writer.block("public init(rawValue: \(raw))") { $0.line("self.rawValue = rawValue") }
      writer.blank()
      for value in definition.values {
        writer.documentation(value.declaration.documentation)
        let number = definition.literal(value)
        writer.line("public static var \(names.caseName(value)): \(name) { \(name)(rawValue: \(number)) }")
      }
    }
  }
}
