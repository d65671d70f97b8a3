/// The names of a table's derived members: the bytes of strings, and the roots of nested FlatBuffers.
///
/// Each name is extended until nothing else of the table has it. Readers and the data model both ask here, so that the
/// same member has the same name in both.
struct DerivedNames {
  private var utf8Names: [Int: String] = [:]
  private var rootNames: [Int: String] = [:]

  /// Makes the names, given all `fields` of a table and the table's own name.
  init(beside fields: [SwiftField], of table: Namer.DeclaredName) {
    var taken = Set(fields.map(\.name))
    // In an expression, a member hides the type or namespace of its name, which the code beside it may mean.
    taken.insert(table.firstPart)
    for field in fields { taken.formUnion(field.typesInCode.map(\.firstPart)) }
    func free(_ wanted: String) -> String {
      var name = wanted
      while !taken.insert(name).inserted { name += "_" }
      return name
    }
    for field in fields {
      if case .string = field.field.type {
        utf8Names[field.slot] = free(field.plainName + "UTF8")
      }
      if field.nestedTable != nil {
        rootNames[field.slot] = free(Namer.name(of: "root", beside: field.plainName))
      }
    }
  }

  /// Returns the name for the bytes of a string; nil for other fields.
  func utf8(of field: SwiftField) -> String? { utf8Names[field.slot] }

  /// Returns the name for the root of the FlatBuffer that is nested in a field; nil for other fields.
  func root(of field: SwiftField) -> String? { rootNames[field.slot] }
}
