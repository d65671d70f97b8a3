/// Generates the mirror of a struct that stores some fields indirectly: without it, `print` would show these under
/// names that begin with an underscore.
///
/// The mirror has the wrappers of the fields, not the values: `print` descends into values, however deep they are
/// nested.
struct IndirectMirror {
  private let fields: [SwiftField]
  private let imported: ImportedTypeNames

  /// Creates the generator for a struct with `fields`. It writes nothing if Swift's own mirror is as good, or a field
  /// has the mirror's name.
  init(_ fields: [SwiftField], _ imported: ImportedTypeNames) {
    let needsOne =
      fields.contains { $0.isIndirect || $0.wrapper != nil } && !fields.contains { $0.name == "customMirror" }
    self.fields = needsOne ? fields : []
    self.imported = imported
  }

  /// The conformance, written after the other protocols of the struct.
  var conformance: CodeText { fields.isEmpty ? "" : ", \(imported[.customReflectable])" }

  /// Writes the mirror after the properties, if it is needed.
  func emit(to writer: inout CodeWriter) {
    guard !fields.isEmpty else { return }
    writer.blank()
    writer.line("/// A mirror with the fields.")
    let type = imported[.mirror]
    writer.block("public var customMirror: \(type)") { writer in
      guard fields.count > CodeWriter.longestCall else {
        let children: [CodeText] = fields.map { "\(label($0)): \(value($0))" }
        return writer.list("\(type)(self, children: [", children, "], displayStyle: .struct)")
      }
      writer.line("var children: [\(type).Child] = []")
      for field in fields {
        writer.line("children.append((\(label(field)), \(value(field))))")
      }
      writer.line("return \(type)(self, children: children, displayStyle: .struct)")
    }
  }

  private func label(_ field: SwiftField) -> String { swiftStringLiteral(field.plainName) }

  private func value(_ field: SwiftField) -> String {
    field.isIndirect ? "self._\(field.plainName)" : "self.\(field.name) as Any"
  }
}
