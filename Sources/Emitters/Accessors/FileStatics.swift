import FBSDiagnostics
import FBSSchema

extension Schema {
  /// Returns the file whose identifier and extension a root table has; nil if no file gives it one.
  ///
  /// The file that defines the table decides, if it gives one. Of several others, it is the one with the least path,
  /// whatever the order of the inputs is.
  func fileThatNames(root: TableID) -> SchemaFile? {
    let own = self[declaration(of: .table(root)).nameRange.file]
    if own.rootTable == root, own.hasStatics { return own }
    // By index: copying a file counts references.
    let index = files.indices.filter { files[$0].rootTable == root && files[$0].hasStatics }
      .min { files[$0].path < files[$1].path }
    return index.map { files[$0] }
  }
}

extension SchemaFile {
  /// Whether the file gives its root table an identifier or an extension.
  fileprivate var hasStatics: Bool { fileIdentifier != nil || fileExtension != nil }

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
    guard let rootTable, hasStatics, !definitions.contains(.table(rootTable)),
      unit.schema.fileThatNames(root: rootTable)?.id == id
    else { return }
    writer.access = unit.access(of: .table(rootTable))
    writer.blank()
    writer.block("extension \(unit.names.reader(rootTable))") { emitStatics(unit.imported, to: &$0, isFirst: true) }
  }
}
