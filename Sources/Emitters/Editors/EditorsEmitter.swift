import FBSSchema

/// Emits editors: what the accessors' readers are for bytes that never change, for bytes whose numbers do. Apart from the
/// accessors, so that a program that changes nothing in place pays nothing.
struct EditorsEmitter: Emitter {
  let name = "editors"
  let summary = "changes of numbers in place"
  let isDefault = false
  let needsStore = false

  func outputName(forStem stem: String) -> String { stem + "_editors_generated.swift" }

  func emit(_ unit: EmissionUnit) -> [UInt8] {
    var writer = CodeWriter()
    writer.header(for: unit, imports: ["FlatBuffersCore"])
    for definition in unit.file.definitions {
      switch definition {
      case .enumeration(let id): writer.line("\nextension \(unit.names.value(id)): FlatBufferEditableElement {}")
      case .union(let id): UnionEditorGenerator(unit, id).emit(to: &writer)
      case .table(let id): TableEditorGenerator(unit, id).emit(to: &writer)
      case .structure(let id): StructEditorGenerator(unit, id).emit(to: &writer)
      }
    }
    return writer.bytes
  }
}

/// A table's editor: what it reads and changes in place.
struct TableEditorGenerator {
  private let definition: TableDefinition
  private let fields: [SwiftField]

  init(_ unit: EmissionUnit, _ id: TableID) {
    definition = unit.schema[id]
    fields = SwiftField.live(definition, in: unit)
  }

  func emit(to writer: inout CodeWriter) {
    let name = SwiftKeywords.escape(definition.name.name + Namer.Suffix.editor)
    writer.declaration(in: definition.name.namespace) { writer in
      writer.documentation(
        "Changes \(definition.name.withArticle) where it stands in a buffer.",
        then: definition.declaration.documentation)
      writer.block("public struct \(name): FlatBufferTableEditorView") { writer in
        writer.line("public let _editor: FlatBufferTableEditor")
        writer.blank()
        writer.block("public init(_ editor: FlatBufferTableEditor)") { $0.line("_editor = editor") }
        for field in fields {
          guard let type = field.editorType, let read = field.editorRead else { continue }
          writer.blank()
          writer.documentation(field.field.declaration.documentation)
          writer.line("public var \(field.name): \(type) { \(read) }")
          guard let (argument, change) = field.editorChange else { continue }
          writer.line("/// Changes \(field.documentedName); false when it is absent, so that there is no room for it.")
          writer.block("public func mutate(\(field.parameter): \(argument)) -> Bool") { $0.line(change) }
        }
      }
    }
  }
}

/// A struct's editor: all its fields can be read and set.
struct StructEditorGenerator {
  private let definition: StructDefinition
  private let fields: [SwiftStructField]

  init(_ unit: EmissionUnit, _ id: StructID) {
    definition = unit.schema[id]
    fields = SwiftStructField.all(definition, in: unit)
  }

  func emit(to writer: inout CodeWriter) {
    let name = SwiftKeywords.escape(definition.name.name + Namer.Suffix.editor)
    let value = SwiftKeywords.escape(definition.name.name + Namer.Suffix.value)
    writer.declaration(in: definition.name.namespace) { writer in
      writer.documentation(
        "Changes \(definition.name.withArticle) where it stands in a buffer.",
        then: definition.declaration.documentation)
      writer.block("public struct \(name): FlatBufferStructEditorView") { writer in
        writer.line("public typealias Value = \(value)")
        writer.line("public let _editor: FlatBufferStructEditor")
        writer.blank()
        writer.block("public init(_ editor: FlatBufferStructEditor)") { $0.line("_editor = editor") }
        for field in fields {
          writer.blank()
          writer.documentation(field.field.declaration.documentation)
          guard let set = field.editorSet else {
            writer.line("public var \(field.name): \(field.editorType) { \(field.editorRead) }")
            continue
          }
          writer.block("public var \(field.name): \(field.editorType)") { writer in
            writer.line("get { \(field.editorRead) }")
            writer.line("nonmutating set { \(set) }")
          }
        }
      }
    }
  }
}

/// A union's editor: its member's.
struct UnionEditorGenerator {
  private let definition: UnionDefinition
  private let names: Namer

  init(_ unit: EmissionUnit, _ id: UnionID) {
    definition = unit.schema[id]
    names = unit.names
  }

  func emit(to writer: inout CodeWriter) {
    let name = SwiftKeywords.escape(definition.name.name + Namer.Suffix.editor)
    writer.declaration(in: definition.name.namespace) { writer in
      writer.documentation(
        "Changes the member of \(definition.name.withArticle) where it stands in a buffer.",
        then: definition.declaration.documentation)
      writer.block("public enum \(name): FlatBufferUnionEditorView") { writer in
        for member in definition.members {
          writer.documentation(member.declaration.documentation)
          writer.line("case \(names.caseName(member))(\(type(member)))")
        }
        writer.line("/// A member that this version does not know, by its type code.")
        writer.line("case unknown(UInt8)")
        writer.blank()
        writer.line("/// Sees `member` as what `code` says it is; nil when that is nothing, or it cannot be read.")
        writer.block("public init?(code: UInt8, member: FlatBufferUnionMemberEditor)") { writer in
          writer.line("switch code {")
          writer.line("case 0:")
          writer.line("  return nil")
          for member in definition.members {
            writer.line("case \(member.code):")
            writer.line("  guard let member = member.\(read(member)) else { return nil }")
            writer.line("  self = .\(names.caseName(member))(member)")
          }
          writer.line("default:")
          writer.line("  self = .unknown(code)")
          writer.line("}")
        }
      }
    }
  }

  private func type(_ member: UnionDefinition.Member) -> String {
    switch member.type {
    case .string: "String"
    case .structure(let id): names.editor(id)
    case .table(let id): names.editor(id)
    }
  }

  private func read(_ member: UnionDefinition.Member) -> String {
    switch member.type {
    case .string: "string"
    case .structure: "structure(\(type(member)).self)"
    case .table: "table(\(type(member)).self)"
    }
  }
}
