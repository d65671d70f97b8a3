import FBSDiagnostics
import FBSParser
import FBSSchema

/// Names the included files whose Swift the output uses, and that nobody has generated.
///
/// Only what the inputs define is emitted, and what they include only if `IncludedFiles` says so. So the Swift of an input needs that of the files whose types it uses, and of those
/// whose types these use.
struct UngeneratedIncludes {
  private let schema: Schema
  private let nestedTables: NestedTables
  /// Whether included files are inputs already, but for some.
  private let isWhole: Bool

  init(schema: Schema) {
    self.schema = schema
    isWhole = schema.files.contains { $0.isInput && !$0.isEntry }
    nestedTables = NestedTables(schema)
  }

  /// A note for each file, at the first use that leads to it.
  /// - Parameter isGenerated: Whether the Swift of a file that is no input is there already.
  func diagnostics(isGenerated: (SchemaFile) -> Bool) -> [Diagnostic] {
    guard schema.files.contains(where: { !$0.isInput }) else { return [] }
    var found: [Diagnostic] = []
    var known: Set<FileID> = []
    var seen: Set<DefinitionID> = []
    for definition in schema.files.lazy.filter(\.isInput).flatMap(\.definitions) {
      for (type, range) in uses(of: definition) {
        var queue = [type]
        while let type = queue.popLast() {
          let file = schema[schema.declaration(of: type).nameRange.file]
          guard !file.isInput, seen.insert(type).inserted else { continue }
          if known.insert(file.id).inserted, !isGenerated(file) { found.append(note(file, type, at: range)) }
          queue += uses(of: type).map(\.type)
        }
      }
    }
    return found
  }

  private func note(_ file: SchemaFile, _ type: DefinitionID, at range: SourceRange) -> Diagnostic {
    Diagnostic(
      EmitterCode.ungeneratedInclude, .note,
      "the generated code needs `\(schema.name(of: type).name)` of \(file.shownPath), which is not among the inputs",
      at: range,
      advice: "compile \(file.shownPath), too",
      notes: [
        isWhole
          ? "name it as a further input, or compile it to the same folder"
          : "name it as a further input, compile it to the same folder, or use `--gen-all`, which compiles all that is included",
        "a Swift module needs the output of both",
      ])
  }

  /// The types that a definition holds, and those in its nested FlatBuffers, each with where it says so.
  private func uses(of definition: DefinitionID) -> [(type: DefinitionID, range: SourceRange)] {
    func place(_ declaration: Declaration) -> SourceRange { declaration.typeRange ?? declaration.nameRange }
    switch definition {
    case .enumeration: return []
    case .structure(let id):
      return schema[id].fields.compactMap { field in
        field.type.definition.map { ($0, place(field.declaration)) }
      }
    case .table(let id):
      let table = schema[id]
      return table.fields.filter { !$0.isDeprecated }.compactMap { field in
        let nested = nestedTables.table(field, of: table).map { DefinitionID.table($0) }
        return (nested ?? field.type.definition).map { ($0, place(field.declaration)) }
      }
    case .union(let id):
      return schema[id].members.compactMap { member in
        member.type.definition.map { ($0, member.declaration.nameRange) }
      }
    }
  }
}
