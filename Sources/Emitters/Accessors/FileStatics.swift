import FBSSchema

extension SchemaFile {
  /// Writes the static members that give a root table's reader the identifier and extension of its files.
  func emitStatics(_ imported: ImportedTypeNames, to writer: inout CodeWriter, isFirst: Bool = false) {
    if let fileIdentifier {
      if !isFirst { writer.blank() }
      writer.line("/// What stands in a file of this kind behind the offset to its root.")
      writer.line("public static var fileIdentifier: \(imported[.string])? { \(swiftStringLiteral(fileIdentifier)) }")
    }
    if let fileExtension {
      if !isFirst || fileIdentifier != nil { writer.blank() }
      writer.line("/// What the names of files of this kind end with, after a dot.")
      writer.line("public static var fileExtension: \(imported[.string])? { \(swiftStringLiteral(fileExtension)) }")
    }
  }

  /// Writes the identifier and extension of files for a root table of an included file, whose reader is emitted with
  /// that file.
  func emitStaticsOfIncludedRoot(in unit: EmissionUnit, to writer: inout CodeWriter) {
    guard let rootTable, fileIdentifier != nil || fileExtension != nil, !definitions.contains(.table(rootTable)),
      // If several files have this root, the first one decides.
      unit.schema.files.first(where: { $0.rootTable == rootTable })?.id == id
    else { return }
    writer.access = unit.access(of: .table(rootTable))
    writer.blank()
    writer.block("extension \(unit.names.reader(rootTable))") { emitStatics(unit.imported, to: &$0, isFirst: true) }
  }
}
