import FBSDiagnostics
import FBSParser
import FBSSchema

/// One of the two versions of a schema that are compared.
public struct SchemaVersion: Sendable {
  /// What the files define.
  public let schema: Schema
  /// The files' texts.
  public let sources: SourceMap
  /// A name for each input, by which it is the same file in the other version: its path below the folder that was
  /// named, say. Inputs without a name are matched by what they define.
  public let names: [FileID: String]
  /// Whether it was read from a binary schema, which does not hold the defaults of strings and vectors.
  public let isBinary: Bool
  /// The names of types that files define which belong to this version and are not part of `schema`: a type that moved
  /// there is not gone.
  public let namesElsewhere: Set<QualifiedName>

  /// A version. The schema must have been resolved without errors.
  public init(
    schema: Schema, sources: SourceMap, names: [FileID: String] = [:], isBinary: Bool = false,
    namesElsewhere: Set<QualifiedName> = []
  ) {
    self.schema = schema
    self.sources = sources
    self.names = names
    self.isBinary = isBinary
    self.namesElsewhere = namesElsewhere
  }
}

/// Definitions by their kind and place in a schema, each with what all kinds have.
struct DefinitionIndex {
  private(set) var byName: [QualifiedName: DefinitionID] = [:]
  let ids: [DefinitionID]

  init(_ schema: Schema) {
    var ids: [DefinitionID] = []
    ids.reserveCapacity(schema.tables.count + schema.structs.count + schema.enums.count + schema.unions.count)
    ids += schema.tables.indices.map { .table(TableID($0)) }
    ids += schema.structs.indices.map { .structure(StructID($0)) }
    ids += schema.enums.indices.map { .enumeration(EnumID($0)) }
    ids += schema.unions.indices.map { .union(UnionID($0)) }
    byName.reserveCapacity(ids.count)
    // Of inputs that do not know one another, two may define one name: the first stands for both.
    for id in ids where byName[schema.name(of: id)] == nil { byName[schema.name(of: id)] = id }
    self.ids = ids
  }

  /// The table that an attribute's value names, from a namespace outwards.
  func table(named text: String, from namespace: [String]) -> DefinitionID? {
    let parts = text.split(separator: ".").map(String.init)
    guard let last = parts.last else { return nil }
    for length in stride(from: namespace.count, through: 0, by: -1) {
      let name = QualifiedName(namespace: Array(namespace[..<length]) + parts.dropLast(), name: last)
      if let id = byName[name] { return id }
    }
    return nil
  }
}

extension Schema {
  func name(of id: DefinitionID) -> QualifiedName {
    switch id {
    case .table(let id): self[id].name
    case .structure(let id): self[id].name
    case .enumeration(let id): self[id].name
    case .union(let id): self[id].name
    }
  }

  func declaration(of id: DefinitionID) -> Declaration {
    switch id {
    case .table(let id): self[id].declaration
    case .structure(let id): self[id].declaration
    case .enumeration(let id): self[id].declaration
    case .union(let id): self[id].declaration
    }
  }

  /// The root tables of the inputs, each once, with the file that names it first.
  var roots: [(file: SchemaFile, table: TableID)] {
    var seen: Set<TableID> = []
    return files.compactMap { file in
      guard file.isInput, let table = file.rootTable, seen.insert(table).inserted else { return nil }
      return (file, table)
    }
  }
}

extension DefinitionID {
  /// The kind, in a word.
  var kind: String {
    switch self {
    case .table: "table"
    case .structure: "struct"
    case .enumeration: "enum"
    case .union: "union"
    }
  }

  var kindWithArticle: String { (kind == "enum" ? "an " : "a ") + kind }
}

extension FieldType {
  /// What the type refers to.
  var definition: DefinitionID? {
    switch self {
    case .scalar, .string: nil
    case .enumeration(let id): .enumeration(id)
    case .structure(let id): .structure(id)
    case .table(let id): .table(id)
    case .union(let id): .union(id)
    case .vector(of: let element): element.asField.definition
    }
  }

  /// The type as schemas write it.
  func text(in schema: Schema) -> String {
    switch self {
    case .scalar(let type): type.schemaName
    case .string: "string"
    case .vector(of: let element): "[\(element.asField.text(in: schema))]"
    case .enumeration, .structure, .table, .union: definition.map { schema.name(of: $0).description } ?? ""
    }
  }
}

extension StructDefinition.FieldType {
  /// What the type refers to.
  var definition: DefinitionID? {
    switch self {
    case .scalar: nil
    case .enumeration(let id): .enumeration(id)
    case .structure(let id): .structure(id)
    case .array(of: let element, _): element.definition
    }
  }

  /// The type as schemas write it.
  func text(in schema: Schema) -> String {
    switch self {
    case .scalar(let type): type.schemaName
    case .array(of: let element, let count): "[\(element.text(in: schema)):\(count)]"
    case .enumeration, .structure: definition.map { schema.name(of: $0).description } ?? ""
    }
  }
}

extension UnionDefinition.MemberType {
  /// What the type refers to.
  var definition: DefinitionID? {
    switch self {
    case .table(let id): .table(id)
    case .structure(let id): .structure(id)
    case .string: nil
    }
  }
}
