import FBSSchema

/// An enum of the data model: a closed set of cases.
struct EnumModelGenerator {
  private let definition: EnumDefinition
  private let names: Namer

  init(_ unit: EmissionUnit, _ id: EnumID) {
    definition = unit.schema[id]
    names = unit.names
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: definition.name.namespace) { writer in
      writer.documentation(definition.declaration.documentation)
      let name = SwiftKeywords.escape(definition.name.name)
      let raw = definition.underlyingType.swiftName
      writer.block("public enum \(name): \(raw), DflatFriendlyValue, CaseIterable, Sendable") { writer in
        for value in definition.values {
          writer.documentation(value.declaration.documentation)
          writer.line("case \(names.caseName(value)) = \(value.number)")
        }
      }
    }
  }
}
