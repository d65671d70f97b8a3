import FBSSchema

/// The C++ that looks for each element of an object's sorted vectors by its key, with the library's own search.
package struct CppLookUps {
  private var cases = ""
  /// How many vectors are searched.
  package private(set) var count = 0

  package init() {}

  /// Adds the tables of a schema, of which `tables` are those that objects are made of, in the order of their numbers.
  package mutating func add(_ schema: Schema, index: Int, tables: [String]) {
    for (number, name) in tables.enumerated() {
      guard let table = schema.tables.first(where: { $0.name.description == name }) else { continue }
      let searches = table.fields.filter { !$0.isDeprecated }.compactMap { search($0, in: schema) }
      guard !searches.isEmpty else { continue }
      count += searches.count
      cases += "  case \(index * 100 + number): {\n"
      cases += "    auto t = root<\(cpp(table.name))>(bytes, prefixed);\n"
      cases += searches.joined() + "    return true;\n  }\n"
    }
  }

  /// A function that says whether all were found.
  package var source: String {
    """
    template<typename T> static const T *root(const uint8_t *bytes, bool prefixed) {
      return prefixed ? flatbuffers::GetSizePrefixedRoot<T>(bytes) : flatbuffers::GetRoot<T>(bytes);
    }
    static const char *key(const flatbuffers::String *text) { return text->c_str(); }
    template<typename T> static T key(T number) { return number; }
    static bool found(int type, const uint8_t *bytes, bool prefixed) {
      switch (type) {
    \(cases)  default: return true;
      }
    }

    """
  }

  private func search(_ field: FieldDefinition, in schema: Schema) -> String? {
    let key: String?
    switch field.type {
    case .vector(.table(let id)): key = schema[id].fields.first { $0.declaration.attribute("key") != nil }?.name
    case .vector(.structure(let id)): key = schema[id].fields.first { $0.declaration.attribute("key") != nil }?.name
    default: return nil
    }
    guard let key else { return nil }
    return
      "    if (auto v = t->\(field.name)()) for (auto e : *v) if (v->LookupByKey(key(e->\(key)())) != e) return false;\n"
  }

  private func cpp(_ name: QualifiedName) -> String {
    name.description.split(separator: ".").joined(separator: "::")
  }
}
