import FBSDiagnostics
import FBSSchema

/// Checks the results of an `IncrementalCompiler`, as `CheckedSchema.diagnostics(of:emitters:)` does.
///
/// Names of types, cycles and other facts about types do not depend on the names of tables' fields. So they are found
/// again only if the shape of the schema has changed. Facts that led to a diagnostic are not kept, since the places in a
/// diagnostic may have moved.
public struct IncrementalChecker {
  /// The facts of the last schemas, the latest last. An editor checks the documents that a change concerns in turn.
  private var known: [(shape: SchemaShape, facts: TypeFacts)] = []
  private static let maximumKnown = 8
  /// How often facts were found, and not taken from an earlier check.
  package private(set) var foundCount = 0

  /// Creates a checker that has checked nothing.
  public init() {}

  /// Returns the diagnostics that checking a compilation's schema gives.
  /// - Parameter shape: the shape of the schema.
  public mutating func diagnostics(
    of compilation: Compilation, shape: SchemaShape, emitters: [any Emitter]
  ) -> [Diagnostic] {
    CheckedSchema.diagnostics(of: compilation, emitters: emitters) { schema, output in
      let place = known.firstIndex { $0.shape == shape && $0.facts.output == output }
      let earlier = place.map { known.remove(at: $0).facts }
      if earlier == nil { foundCount += 1 }
      let facts = earlier ?? TypeFacts(schema, output: output)
      if facts.isSilent { known.append((shape, facts)) }
      if known.count > Self.maximumKnown { known.removeFirst() }
      return facts
    }
  }
}

/// Facts about the types of a schema that its generated code depends on. Renaming a table's field changes none of them.
struct TypeFacts {
  /// The code to write.
  let output: SwiftOutput
  /// Which tables hold others of their kind.
  let recursion: Recursion
  /// The names of imported types.
  let imported: ImportedTypeNames
  /// The names of types and namespaces.
  let types: TypeNaming
  /// The diagnostics about what types hold.
  let diagnostics: [Diagnostic]

  init(_ schema: Schema, output: SwiftOutput) {
    self.output = output
    let roots = schema.rootTables
    recursion = Recursion(schema, roots: roots)
    imported = ImportedTypeNames(schema, roots: roots)
    types = TypeNaming(schema, output: output, roots: roots, nested: NestedTables(schema), imported: imported)
    diagnostics = output.hasModel ? schema.modelDiagnostics(CodableTypes(schema)) : []
  }

  /// Whether no diagnostic comes from the facts.
  fileprivate var isSilent: Bool { types.errors.isEmpty && types.renamed.isEmpty && diagnostics.isEmpty }
}

extension Schema {
  /// Returns the diagnostics about types for which no data model can be written.
  func modelDiagnostics(_ codable: CodableTypes) -> [Diagnostic] {
    EndlessTables(schema: self).diagnostics() + LargeTables(schema: self).diagnostics() + codable.diagnostics(self)
  }
}
