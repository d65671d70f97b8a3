import FBSDiagnostics
import FBSParser
import FBSSchema

/// Finds the included files whose Swift the output uses although no run has generated it.
///
/// Only the inputs' definitions are emitted, and those of included files only if `IncludedFiles` says so. So the Swift
/// of an input needs that of the files whose types it uses, and of the files whose types these use.
struct UngeneratedIncludes {
  private let schema: Schema
  private let nestedTables: NestedTables
  /// Whether a file that other inputs include is an input as well. Then most included files are inputs.
  private let isWhole: Bool

  init(schema: Schema, _ nestedTables: NestedTables) {
    self.schema = schema
    self.nestedTables = nestedTables
    isWhole = schema.files.contains { $0.isInput && !$0.isEntry }
  }

  /// Returns a note for each file, at the first use that leads to it.
  /// - Parameter isGenerated: whether the Swift of a file that is no input exists already.
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

  /// Returns the types that a definition holds, and those in its nested FlatBuffers, each with its range in the text.
  private func uses(of definition: DefinitionID) -> [(type: DefinitionID, range: SourceRange)] {
    func place(_ declaration: Declaration) -> SourceRange { declaration.typeRange ?? declaration.nameRange }
    switch definition {
    case .enumeration: return []
    case .structure(let id):
      return schema[id].fields.compactMap { field in
        field.type.definition.map { ($0, place(field.declaration)) }
      }
    case .table(let id):
      return schema[id].fields.filter { !$0.isDeprecated }.compactMap { field in
        let nested = nestedTables.table(field).map { DefinitionID.table($0) }
        return (nested ?? field.type.definition).map { ($0, place(field.declaration)) }
      }
    case .union(let id):
      return schema[id].members.compactMap { member in
        member.type.definition.map { ($0, member.declaration.nameRange) }
      }
    }
  }
}
