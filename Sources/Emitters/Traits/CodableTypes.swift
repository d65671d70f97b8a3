import FBSDiagnostics
import FBSParser
import FBSSchema

/// Which types are `Codable`: those that say `(codable)`, and all that they reach.
struct CodableTypes: Sendable {
  private let types: Set<DefinitionID>

  init(_ schema: Schema) {
    let starts = Self.marked(in: schema.files, of: schema)
    types = starts.isEmpty ? [] : Self.reached(from: starts, in: schema)
  }

  /// Whether a type is `Codable`.
  func contains(_ definition: DefinitionID) -> Bool { types.contains(definition) }

  /// A file is compiled by itself, perhaps in a run of its own. So what a codable type reaches in a file that is not an
  /// input must be codable by what that file and its includes say.
  func diagnostics(_ schema: Schema) -> [Diagnostic] {
    schema.files.filter { !$0.isInput }.flatMap { file -> [Diagnostic] in
      let wanted = file.definitions.filter(types.contains)
      if wanted.isEmpty { return [] }
      let known = Self.reached(from: Self.marked(in: Self.closure(of: file, in: schema), of: schema), in: schema)
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
    files.flatMap(\.definitions).filter { schema.declaration(of: $0).attribute("codable") != nil }
  }

  private static func reached(from starts: [DefinitionID], in schema: Schema) -> Set<DefinitionID> {
    var found = Set(starts)
    var queue = starts
    while let definition = queue.popLast() {
      for next in schema.held(by: definition) where found.insert(next).inserted { queue.append(next) }
    }
    return found
  }
}

extension Schema {
  /// What a definition carries besides its meaning.
  func declaration(of definition: DefinitionID) -> Declaration {
    switch definition {
    case .enumeration(let id): self[id].declaration
    case .structure(let id): self[id].declaration
    case .table(let id): self[id].declaration
    case .union(let id): self[id].declaration
    }
  }

  /// The types that a definition holds, as often as it does: of its fields, their elements, or its members.
  func held(by definition: DefinitionID) -> [DefinitionID] {
    switch definition {
    case .enumeration: []
    case .structure(let id): self[id].fields.compactMap { Self.held(in: $0.type) }
    case .table(let id): self[id].fields.filter { !$0.isDeprecated }.compactMap { Self.held(in: $0.type) }
    case .union(let id):
      self[id].members.compactMap { Self.held(in: $0.type) }
    }
  }

  static func held(in type: UnionDefinition.MemberType) -> DefinitionID? {
    switch type {
    case .table(let id): .table(id)
    case .structure(let id): .structure(id)
    case .string: nil
    }
  }

  static func held(in type: StructDefinition.FieldType) -> DefinitionID? {
    switch type {
    case .scalar: nil
    case .enumeration(let id): .enumeration(id)
    case .structure(let id): .structure(id)
    case .array(let element, _): Self.held(in: element)
    }
  }

  static func held(in type: FieldType) -> DefinitionID? {
    switch type {
    case .scalar, .string, .vector(of: .scalar), .vector(of: .string): nil
    case .enumeration(let id), .vector(of: .enumeration(let id)): .enumeration(id)
    case .structure(let id), .vector(of: .structure(let id)): .structure(id)
    case .table(let id), .vector(of: .table(let id)): .table(id)
    case .union(let id), .vector(of: .union(let id)): .union(id)
    }
  }
}
