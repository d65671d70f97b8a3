import FBSDiagnostics
import FBSParser
import FBSSchema

/// The types that are `Codable`: those with `(codable)`, and all that they reach.
struct CodableTypes: Sendable {
  private let types: Set<DefinitionID>

  init(_ schema: Schema) {
    let starts = Self.marked(in: schema.files, of: schema)
    types = starts.isEmpty ? [] : schema.contents(reachedFrom: starts)
  }

  /// Returns whether a type is `Codable`.
  func contains(_ definition: DefinitionID) -> Bool { types.contains(definition) }

  /// Reports the types that a codable type of another file reaches, and that are not codable by their own file and its
  /// includes alone. A file that is not an input may be compiled by itself, in a run of its own.
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
