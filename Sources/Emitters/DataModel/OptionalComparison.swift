import FBSSchema

/// How a file with many optional properties compares them.
///
/// `==` of the structs is Swift's own, which compares property by property. The standard library's `==` of optionals is inlined for
/// each, which is a large part of what a data model is compiled to. So such a file has a `==` of its own, which is not inlined and
/// which no other file sees: Swift prefers what a module declares itself to the standard library's. It asks for more than an app's
/// own `==` of optionals may, so that Swift sees neither a second declaration of that nor a choice between the two.
struct OptionalComparison {
  /// From how many optional properties on a file has it. With few, the standard library's is as good, and the file shorter.
  private static let fewestProperties = 20

  private let imported: ImportedTypeNames
  private let isNeeded: Bool

  init(_ unit: EmissionUnit) {
    imported = unit.imported
    var count = 0
    for case .table(let id) in unit.file.definitions where count < Self.fewestProperties {
      count += SwiftField.live(id, in: unit).count(where: \.isModelOptional)
    }
    isNeeded = count >= Self.fewestProperties
  }

  /// Writes it after the definitions of the file, if it is needed.
  func emit(to writer: inout CodeWriter) {
    guard isNeeded else { return }
    writer.blank()
    let constraints: CodeText = "Wrapped: \(imported[.equatable]) & \(imported[.sendable])"
    writer.block("extension \(imported[.optional]) where \(constraints)") { writer in
      writer.line("/// Compares properties in this file. The standard library's operator would be inlined for each of")
      writer.line("/// them, which would take the compiler longer.")
      writer.line("@inline(never)")
      let function: CodeText = "static func == (lhs: Wrapped?, rhs: Wrapped?) -> \(imported[.bool])"
      writer.block("fileprivate nonisolated \(function)") { writer in
        writer.line("switch (lhs, rhs) {")
        writer.line("case (let lhs?, let rhs?): lhs == rhs")
        writer.line("case (nil, nil): true")
        writer.line("default: false")
        writer.line("}")
      }
    }
  }
}
