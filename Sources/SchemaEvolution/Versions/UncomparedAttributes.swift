import FBSSchema

extension VersionFiles {
  /// The attributes of this version that another one may have, too, without that showing there: they are not compared.
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
