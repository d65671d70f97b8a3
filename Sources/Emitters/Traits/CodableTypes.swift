import FBSDiagnostics
import FBSParser
import FBSSchema

/// Which types are `Codable`: those that say `(codable)`, and all that they reach.
struct CodableTypes: Sendable {
  private let types: Set<DefinitionID>

  init(_ schema: Schema) {
    let starts = Self.marked(in: schema.files, of: schema)
    types = starts.isEmpty ? [] : schema.contents(reachedFrom: starts)
  }

  /// Whether a type is `Codable`.
  func contains(_ definition: DefinitionID) -> Bool { types.contains(definition) }

  /// A file is compiled by itself, perhaps in a run of its own. So what a codable type reaches in a file that is not an
  /// input must be codable by what that file and its includes say.
  func diagnostics(_ schema: Schema) -> [Diagnostic] {
    schema.files.filter { !$0.isInput }.flatMap { file -> [Diagnostic] in
      let wanted = file.definitions.filter(types.contains)
      if wanted.isEmpty { return [] }
      let known = schema.contents(
        reachedFrom: Self.marked(in: Self.closure(of: file, in: schema), of: schema))
      return wanted.filter { !known.contains($0) }.map { definition in
        Diagnostic(
          EmitterCode.notCodable, .error,
          "`\(schema.name(of: definition))` has to be codable, and its own file does not say so",
          at: schema.declaration(of: definition).nameRange, advice: "write `(codable)` behind its name",
          notes: ["a codable type of another file holds it", "each file is compiled without those that include it"])
      }
    }
  }

  private static func closure(of file: SchemaFile, in schema: Schema) -> [SchemaFile] {
    var seen: Set<FileID> = [file.id]
    var queue = [file.id]
    while let id = queue.popLast() {
      for include in schema[id].includes where seen.insert(include).inserted { queue.append(include) }
    }
    return schema.files.filter { seen.contains($0.id) }
  }

  private static func marked(in files: [SchemaFile], of schema: Schema) -> [DefinitionID] {
    files.flatMap(\.definitions).filter { schema.declaration(of: $0).has("codable") }
  }
}
