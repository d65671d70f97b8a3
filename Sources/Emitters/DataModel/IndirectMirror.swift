/// Generates the mirror of a struct that stores some fields indirectly: without it, `print` would show these under
/// names that begin with an underscore.
///
/// The mirror has the wrappers of recursive fields, not the values: `print` descends into values, however deep they are
/// nested.
struct IndirectMirror {
  /// The code of a child: its label and its value.
  private struct Child {
    let label: String
    let value: String
  }

  private let children: [Child]
  private let imported: ImportedTypeNames

  /// Creates the generator for a table with `fields`. It writes nothing if Swift's own mirror is as good, or a field has
  /// the mirror's name.
  init(_ fields: [SwiftField], _ imported: ImportedTypeNames) {
    let needsOne = fields.contains { $0.isIndirect || $0.wrapper != nil } && !fields.contains { $0.name == Self.name }
    let shown = needsOne ? fields : []
    children = shown.map { field in
      let value = field.isIndirect ? "self._\(field.plainName)" : "self.\(field.name) as Any"
      return Child(label: swiftStringLiteral(field.plainName), value: value)
    }
    self.imported = imported
  }

  /// Creates the generator for a struct with `fields`. It writes nothing if Swift's own mirror is as good, or a field has
  /// the mirror's name.
  init(_ fields: [SwiftStructField], _ imported: ImportedTypeNames) {
    let needsOne = fields.contains { $0.wrapper != nil } && !fields.contains { $0.name == Self.name }
    let shown = needsOne ? fields : []
    children = shown.map { field in
      Child(label: swiftStringLiteral(field.plainName), value: "self.\(field.name) as Any")
    }
    self.imported = imported
  }

  private static let name = "customMirror"

  /// The conformance, written after the other protocols of the struct.
  var conformance: CodeText { children.isEmpty ? "" : ", \(imported[.customReflectable])" }

  /// Writes the mirror after the properties, if it is needed.
  func emit(to writer: inout CodeWriter) {
    guard !children.isEmpty else { return }
    writer.blank()
    writer.line("/// A mirror with the fields.")
    let type = imported[.mirror]
    writer.block("public var customMirror: \(type)") { writer in
      guard children.count > CodeWriter.longestCall else {
        let items: [CodeText] = children.map { "\($0.label): \($0.value)" }
        return writer.list("\(type)(self, children: [", items, "], displayStyle: .struct)")
      }
      writer.line("var children: [\(type).Child] = []")
      for child in children {
        writer.line("children.append((\(child.label), \(child.value)))")
      }
      writer.line("return \(type)(self, children: children, displayStyle: .struct)")
    }
  }
}
