import FBSSchema

/// Decides whether the class of a root table is `Identifiable`.
enum ObjectIdentity {
  /// The names that a conformance to `Identifiable` gives to members of the class.
  private static let members: Set<String> = ["ID", "id"]

  /// Returns the field that identifies the objects of a root table; nil if the class cannot be `Identifiable`.
  ///
  /// The field is the primary key, if that is a single field and nothing conflicts. A field that is called `id` in
  /// Swift conflicts unless it is the key. So does a field called `ID`, since its query has the name of the type that
  /// `Identifiable` requires. A type or namespace called `ID` or `id` conflicts if the class uses it: the members of
  /// the class would hide it.
  static func field(of id: TableID, _ fields: [SwiftField], in unit: EmissionUnit) -> SwiftField? {
    guard unit.schema[id].primaryKey.count == 1, let key = fields.first(where: \.field.isPrimary) else { return nil }
    if fields.contains(where: { members.contains($0.name) && !($0.field.isPrimary && $0.name == "id") }) { return nil }
    let held = fields.compactMap { field -> DefinitionID? in
      // The code has `UUID` in place of a struct that stands for it.
      field.mapping == nil ? field.field.type.definition : nil
    }
    let hides = ([.table(id)] + held).contains { definition in
      let name = unit.names.declared(definition)
      return members.contains(name.namespace.first ?? name.simple)
    }
    return hides ? nil : key
  }
}
