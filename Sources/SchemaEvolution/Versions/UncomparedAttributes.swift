import FBSSchema

extension VersionFiles {
  /// Returns the attributes of this version whose absence in `other` says nothing, sorted. They are not compared.
  public func attributes(unknownTo other: VersionFiles) -> [String] {
    guard !other.unknownAttributes.isEmpty else { return [] }
    let schema = compilation.schema
    var names: Set<String> = []
    func collect(_ declaration: Declaration) {
      for attribute in declaration.attributes where other.unknownAttributes.contains(attribute.name) {
        names.insert(attribute.name)
      }
    }
    for table in schema.tables { for field in table.fields { collect(field.declaration) } }
    for structure in schema.structs { for field in structure.fields { collect(field.declaration) } }
    for enumeration in schema.enums { collect(enumeration.declaration) }
    return names.sorted()
  }
}
