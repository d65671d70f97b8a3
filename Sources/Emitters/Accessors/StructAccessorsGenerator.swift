import FBSSchema

/// Generates a struct's accessors: a reader of the bytes in place, and a value to write.
struct StructAccessorsGenerator {
  private let definition: StructDefinition
  private let declared: Namer.DeclaredName
  private let fields: [SwiftStructField]
  private let imported: ImportedTypeNames

  init(_ unit: EmissionUnit, _ id: StructID) {
    definition = unit.schema[id]
    declared = unit.names.declared(.structure(id))
    fields = SwiftStructField.all(definition, in: unit)
    imported = unit.imported
  }

  func emit(to writer: inout CodeWriter) {
    writer.declaration(in: declared.namespace) { writer in
      reader(to: &writer)
      writer.blank()
      value(to: &writer)
    }
  }

  private func layout(to writer: inout CodeWriter) {
    writer.line("public static var byteSize: \(imported[.int]) { \(definition.size) }")
    writer.line("public static var byteAlignment: \(imported[.int]) { \(definition.alignment) }")
  }

  private func reader(to writer: inout CodeWriter) {
    let name = declared.with(Namer.Suffix.reader)
    writer.documentation(
      "Reads \(definition.name.withArticle) in place, within a buffer.", then: definition.declaration.documentation)
    let protocols: CodeText = "\(imported[.flatBufferStructView])\(protocolOfKey(isReader: true))"
    writer.block("public struct \(name): \(protocols)") { writer in
      layout(to: &writer)
      writer.line("public let _structure: \(imported[.flatBufferStruct])")
      writer.line("public init(_ structure: \(imported[.flatBufferStruct])) { _structure = structure }")
      writer.blank()
      for field in fields {
        writer.documentation(field.field.declaration.documentation)
        writer.line("\(Attributes.inlined) public var \(field.name): \(field.readerType) { \(field.readerRead) }")
      }
      keyMembers(of: name, isReader: true, to: &writer)
    }
  }

  private func value(to writer: inout CodeWriter) {
    let name = declared.with(Namer.Suffix.value)
    writer.line("/// \(definition.name.withArticle.capitalizedFirst) to be written.")
    let protocols: CodeText =
      "\(imported[.flatBufferStructWritable])\(protocolOfKey(isReader: false)), \(imported[.hashable, .sendable])"
    writer.block("public struct \(name): \(protocols)") { writer in
      for field in fields {
        writer.documentation(field.field.declaration.documentation)
        writer.line("public var \(field.name): \(field.valueType)")
      }
      writer.blank()
      zeroInitializer(to: &writer)
      writer.list("public init(", fields.map { "\($0.parameter): \($0.valueType) = \($0.valueDefault)" }, ") {")
      writer.indented { writer in
        for field in fields {
          writer.line("self.\(field.name) = \(field.name)")
        }
      }
      writer.line("}")
      writer.blank()
      layout(to: &writer)
      writer.blank()
      writer.block("public func write(to writer: inout \(imported[.flatBufferStructWriter]))") { writer in
        for field in fields {
          writer.line(field.writeStatement)
        }
      }
      keyMembers(of: name, isReader: false, to: &writer)
    }
  }

  /// Writes an initializer without parameters, for a struct of many fields: the Swift compiler is slow to check a call
  /// that leaves many parameters to their defaults.
  private func zeroInitializer(to writer: inout CodeWriter) {
    guard fields.count > CodeWriter.longestCall else { return }
    writer.line("/// All numbers are zero.")
    writer.block("public init()") { writer in
      for field in fields {
        writer.line("self.\(field.name) = \(field.valueDefault)")
      }
    }
    writer.blank()
  }

  private var key: SwiftStructField? { fields.first(where: \.isKey) }

  private func protocolOfKey(isReader: Bool) -> CodeText {
    guard let key else { return "" }
    guard key.isComposite else { return ", \(imported[.flatBufferScalarKeyed])" }
    return ", \(imported[isReader ? .flatBufferCompositeKeyed : .flatBufferCompositeKeyedValue])"
  }

  private func keyMembers(of type: String, isReader: Bool, to writer: inout CodeWriter) {
    guard let key else { return }
    writer.blank()
    writer.line("/// Vectors are sorted by, and searched for, \(key.documentedName).")
    if !key.isComposite {
      writer.line(key.scalarKeyMember(of: type))
    } else if isReader {
      for member in key.compositeKeyMembers(of: type, size: definition.size) { writer.line(member) }
    } else {
      let reader = declared.with(Namer.Suffix.reader)
      writer.line("public static var keyLayout: \(imported[.flatBufferKeyLayout]) { \(reader).keyLayout }")
    }
  }
}
