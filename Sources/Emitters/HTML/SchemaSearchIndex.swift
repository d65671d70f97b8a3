import FBSSchema

/// The names and doc comments of all schemas of a run, for the search on the page that links to them all.
struct SchemaSearchIndex {
  /// The index as two constants of JavaScript. `pages` has the addresses of the pages. `types` has, for each type, the
  /// number of its page, its name, its doc comment, and its fields, values or methods with their comments. A member
  /// without a comment has only its name. A service whose links do not end with its name has what they end with.
  let script: String

  init(_ schema: Schema, files: [SchemaFile], address: (SchemaFile) -> String) {
    var pages: [String] = []
    var types: [String] = []
    for (number, file) in files.enumerated() {
      pages.append(HTMLText.scriptLiteral(address(file)))
      func add(
        _ name: QualifiedName, _ declaration: Declaration, _ members: [(String, Declaration)], _ anchor: String
      ) {
        let members = members.map { member in
          let text = HTMLText.line(member.1.documentation)
          return "[" + HTMLText.scriptLiteral(member.0) + (text.isEmpty ? "" : "," + HTMLText.scriptLiteral(text)) + "]"
        }
        let own = anchor == HTMLText.anchor(name) ? "" : "," + HTMLText.scriptLiteral(anchor)
        let shownName = HTMLText.scriptLiteral(name.description)
        let text = HTMLText.scriptLiteral(HTMLText.line(declaration.documentation))
        types.append("[\(number),\(shownName),\(text),[\(members.joined(separator: ","))]\(own)]")
      }
      for definition in file.definitions {
        let name = schema.name(of: definition)
        let members = Self.members(of: definition, schema)
        add(name, schema.declaration(of: definition), members, HTMLText.anchor(name))
      }
      let anchors = ServiceAnchors(file, in: schema)
      for service in file.services.map({ schema[$0] }) {
        let methods = service.methods.map { ($0.name, $0.declaration) }
        add(service.name, service.declaration, methods, anchors.anchor(of: service.name))
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
