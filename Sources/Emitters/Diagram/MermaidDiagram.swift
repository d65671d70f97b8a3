import FBSSchema

/// Draws the types of one file, and the types that they hold, as a Mermaid class diagram (https://mermaid.js.org).
struct MermaidDiagram {
  private let schema: Schema
  private let definitions: [DefinitionID]
  private let root: TableID?

  init(_ unit: EmissionUnit) {
    schema = unit.schema
    definitions = unit.file.definitions
    root = unit.file.rootTable
  }

  func emit(to writer: inout CodeWriter) {
    if definitions.isEmpty { return }
    // Types of other files are shown, by their names, if a type of this file holds them.
    var shown = definitions
    var seen = Set(definitions)
    for other in definitions.flatMap({ schema.contents(of: $0) }) where seen.insert(other).inserted {
      shown.append(other)
    }
    let numbers = Dictionary(uniqueKeysWithValues: shown.enumerated().map { ($1, $0) })
    writer.blank()
    writer.line("```mermaid")
    writer.line("classDiagram")
    writer.indented { writer in
      for (index, definition) in shown.enumerated() {
        node(definition, index, isOfThisFile: index < definitions.count, to: &writer)
      }
      for (index, definition) in definitions.enumerated() {
        for edge in edges(from: definition) {
          // Every held type has a number.
          guard let target = numbers[edge.target] else { continue }
          writer.line("\(id(index)) \(edge.arrow) \(id(target)) : \(edge.label)")
        }
      }
    }
    writer.line("```")
  }

  /// Returns the identifier of a node. It is a number, with the name as its label, since names of a schema may be words
  /// of Mermaid.
  private func id(_ index: Int) -> String { "type\(index)" }

  private func node(_ definition: DefinitionID, _ index: Int, isOfThisFile: Bool, to writer: inout CodeWriter) {
    let head = "class \(id(index))[\"\(schema.name(of: definition))\"]"
    let members = isOfThisFile ? members(of: definition) : []
    writer.block(head) { writer in
      writer.line("<<\(stereotype(definition, isOfThisFile))>>")
      for member in members {
        writer.line(member)
      }
    }
  }

  private func stereotype(_ definition: DefinitionID, _ isOfThisFile: Bool) -> String {
    if !isOfThisFile { return "of another file" }
    return switch definition {
    case .enumeration(let id): schema[id].isBitFlags ? "bit flags" : "enumeration"
    case .structure: "struct"
    case .table(let id): id == root ? "root table" : "table"
    case .union: "union"
    }
  }

  private func members(of definition: DefinitionID) -> [String] {
    switch definition {
    case .enumeration(let id): schema[id].names.map(\.name)
    case .union(let id): schema[id].members.map(\.name)
    case .structure(let id): schema[id].fields.map { "\($0.name) : \(SchemaTypeName(schema).of($0.type))" }
    case .table(let id):
      schema[id].fields.filter { !$0.isDeprecated }.map { "\($0.name) : \(SchemaTypeName(schema).of($0.type))" }
    }
  }

  private func edges(from definition: DefinitionID) -> [(target: DefinitionID, arrow: String, label: String)] {
    switch definition {
    case .enumeration: return []
    case .union(let id):
      return schema[id].members.compactMap { member in
        switch member.type {
        case .table(let id): (.table(id), "..>", member.name)
        case .structure(let id): (.structure(id), "..>", member.name)
        case .string: nil
        }
      }
    case .structure(let id):
      return schema[id].fields.compactMap { field in
        let isArray = if case .array = field.type { true } else { false }
        return field.type.definition.map { ($0, isArray ? "--> \"*\"" : "-->", field.name) }
      }
    case .table(let id):
      return schema[id].fields.filter { !$0.isDeprecated }.compactMap { field in
        let isVector = if case .vector = field.type { true } else { false }
        return field.type.definition.map { ($0, isVector ? "--> \"*\"" : "-->", field.name) }
      }
    }
  }
}

/// Spells types as the schema language does.
struct SchemaTypeName {
  private let schema: Schema

  init(_ schema: Schema) {
    self.schema = schema
  }

  func of(_ type: FieldType) -> String {
    switch type {
    case .scalar(let scalar): scalar.rawValue
    case .string: "string"
    case .enumeration(let id): schema[id].name.description
    case .structure(let id): schema[id].name.description
    case .table(let id): schema[id].name.description
    case .union(let id): schema[id].name.description
    case .vector(let element): "[\(of(element))]"
    }
  }

  func of(_ type: StructDefinition.FieldType) -> String {
    switch type {
    case .scalar(let scalar): scalar.rawValue
    case .enumeration(let id): schema[id].name.description
    case .structure(let id): schema[id].name.description
    case .array(let element, let count): "[\(of(element)):\(count)]"
    }
  }

  func of(_ type: UnionDefinition.MemberType) -> String {
    switch type {
    case .string: "string"
    case .structure(let id): schema[id].name.description
    case .table(let id): schema[id].name.description
    }
  }

  private func of(_ element: ElementType) -> String {
    switch element {
    case .scalar(let scalar): scalar.rawValue
    case .string: "string"
    case .enumeration(let id): schema[id].name.description
    case .structure(let id): schema[id].name.description
    case .table(let id): schema[id].name.description
    case .union(let id): schema[id].name.description
    }
  }
}
