/// The names of what a table has beside its fields: the bytes of strings, and the roots of nested FlatBuffers.
///
/// Each is made longer until nothing else of the table has it. Readers and the data model ask here, so that what is the
/// same has one name in both.
struct DerivedNames {
  private var utf8Names: [Int: String] = [:]
  private var rootNames: [Int: String] = [:]

  /// The names beside those of all `fields` of a table.
  init(beside fields: [SwiftField]) {
    var taken = Set(fields.map(\.name))
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

  /// The bytes of a string.
  func utf8(of field: SwiftField) -> String? { utf8Names[field.slot] }

  /// The root of the FlatBuffer that is nested in a field.
  func root(of field: SwiftField) -> String? { rootNames[field.slot] }
}
