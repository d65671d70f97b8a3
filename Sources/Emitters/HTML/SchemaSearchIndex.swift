import FBSSchema

/// The names and doc comments of all schemas of a run, for the search on the page that links to them all.
struct SchemaSearchIndex {
  /// The index as two constants of JavaScript. `pages` has the addresses of the pages. `types` has, for each type, the
  /// number of its page, its name, its doc comment, and its fields, values or methods with their comments. A member
  /// without a comment has only its name.
  let script: String

  init(_ schema: Schema, files: [SchemaFile], address: (SchemaFile) -> String) {
    var pages: [String] = []
    var types: [String] = []
    for (number, file) in files.enumerated() {
      pages.append(HTMLText.scriptLiteral(address(file)))
      func add(_ name: QualifiedName, _ declaration: Declaration, _ members: [(String, Declaration)]) {
        let members = members.map { member in
          let text = HTMLText.line(member.1.documentation)
          return "[" + HTMLText.scriptLiteral(member.0) + (text.isEmpty ? "" : "," + HTMLText.scriptLiteral(text)) + "]"
        }
        let name = HTMLText.scriptLiteral(name.description)
        let text = HTMLText.scriptLiteral(HTMLText.line(declaration.documentation))
        types.append("[\(number),\(name),\(text),[\(members.joined(separator: ","))]]")
      }
      for definition in file.definitions {
        add(schema.name(of: definition), schema.declaration(of: definition), Self.members(of: definition, schema))
      }
      for service in file.services.map({ schema[$0] }) {
        add(service.name, service.declaration, service.methods.map { ($0.name, $0.declaration) })
      }
    }
    script = """
      const pages = [\(pages.joined(separator: ","))];
      const types = [
      \(types.joined(separator: ",\n"))
      ];

      """
  }

  private static func members(of definition: DefinitionID, _ schema: Schema) -> [(String, Declaration)] {
    switch definition {
    case .enumeration(let id): schema[id].names.map { ($0.name, $0.declaration) }
    case .structure(let id): schema[id].fields.map { ($0.name, $0.declaration) }
    case .table(let id): schema[id].fields.map { ($0.name, $0.declaration) }
    case .union(let id): schema[id].members.map { ($0.name, $0.declaration) }
    }
  }
}
