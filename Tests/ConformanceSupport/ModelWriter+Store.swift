import FBSSchema

/// What a Swift program needs to send the objects of a root table through a store.
extension ModelWriter {
  /// The list of what can be done with each root.
  package func stores() -> [String] {
    let roots = schema.files.compactMap(\.rootTable)
    return roots.map { root -> String in
      let table = schema[root]
      let name = "\(table.name)"
      let live = table.fields.filter { !$0.isDeprecated }
      let key = live.filter(\.isPrimary).map { "\\($0.\(label($0)))" }.joined(separator: "|")
      let changes = live.filter { !$0.isPrimary }.map { "$0.\(label($0)) = $1.\(label($0))" }
      let questions = live.flatMap { queries($0, of: name) }
      let request = "\(name)ChangeRequest"
      return """
        StoreEntry(
            \(name).self, random: { \(make(name))(&$0, 0, -1) }, key: { "\(key)" }, hasUnique: \(hasUnique),
            creation: { \(request).creationRequest($0) }, change: { \(request).changeRequest($0) },
            upsert: { \(request).upsertRequest($0) }, deletion: { \(request).deletionRequest($0) },
            assign: { _ = ($0, $1); \(changes.joined(separator: "; ")) },
            queries: [\(questions.joined(separator: ",\n      "))])
        """
    }
  }

  private var hasUnique: Bool {
    schema.tables.contains { $0.fields.contains { $0.indexes.contains(where: \.isUnique) } }
      || schema.structs.contains { $0.fields.contains { $0.declaration.attribute("unique") != nil } }
  }

  /// The queries about a field, and about the fields of what it holds.
  private func queries(_ field: FieldDefinition, of root: String) -> [String] {
    let name = label(field)
    switch field.type {
    case .scalar, .enumeration, .string: return [query(root, name, "$0.\(name)")]
    case .structure(let id):
      let dot = mustBeGiven(field) ? "" : "?"
      return schema[id].fields.compactMap { inner in
        switch inner.type {
        case .scalar, .enumeration: query(root, "\(name).\(inner.name)", "$0.\(name)\(dot).\(inner.name)")
        case .structure, .array: nil
        }
      }
    case .table(let id):
      let dot = mustBeGiven(field) ? "" : "?"
      return schema[id].fields.filter { !$0.isDeprecated }.compactMap { inner in
        switch inner.type {
        case .string: query(root, "\(name).\(label(inner))", "$0.\(name)\(dot).\(label(inner))")
        case .scalar, .enumeration, .structure, .table, .union, .vector: nil
        }
      }
    case .union, .vector: return []
    }
  }

  private func query(_ root: String, _ path: String, _ get: String) -> String {
    "query(\"\(path)\", \(root).\(path)) { \(get) }"
  }
}
