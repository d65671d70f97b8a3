import FBSSchema

/// Generates the comparison of optional properties in a file that has many.
///
/// Swift synthesizes the structs' `==`, which compares property by property. The standard library's `==` of optionals
/// is inlined for each, which is a large part of a compiled data model. So such a file declares a `==` of its own,
/// which is private to it and not inlined: Swift prefers a module's own declaration to the standard library's. Its
/// constraints are stronger than those of an app's own `==` of optionals may be, so that Swift sees neither a
/// redeclaration nor an ambiguity.
struct OptionalComparison {
  /// The fewest optional properties for which a file gets its own `==`. With fewer, the standard library's is as good,
  /// and the file shorter.
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

  /// Writes the comparison after the definitions of the file, if it is needed.
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
