import FBSDiagnostics
import FBSSchema

/// The names in Swift that a schema's types and members have, as `Namer` hands them to emitters, with the diagnostics
/// about them.
struct SwiftNaming {
  /// How much of a schema gets Swift names.
  enum Extent {
    /// All types and members.
    case everything
    /// All types, and the members that may lead to a diagnostic: those of the inputs, and, in other files, those of a
    /// type that has a `swift_name` on one of its members.
    case whatIsReported
  }

  let imported: ImportedTypeNames
  let types: TypeNaming
  let members: MemberNaming

  /// The diagnostics about names that differ from the schema, and about wrong uses of `swift_name`.
  var diagnostics: [Diagnostic] {
    types.errors + members.errors + (types.renamed + members.renamed).map { Diagnostic($0) }
  }

  /// Names a schema for the code that `output` describes.
  init(_ schema: Schema, output: SwiftOutput, recursion: Recursion, nested: NestedTables) {
    let roots = schema.rootTables
    imported = ImportedTypeNames(schema, roots: roots)
    types = TypeNaming(schema, output: output, roots: roots, nested: nested, imported: imported)
    members = MemberNaming(
      schema, types: types, recursion: recursion, output: output, roots: roots, imported: imported, of: .everything)
  }

  /// Names a schema for its diagnostics, given the names of its types.
  init(_ schema: Schema, _ facts: TypeFacts) {
    imported = facts.imported
    types = facts.types
    members = MemberNaming(
      schema, types: types, recursion: facts.recursion, output: facts.output, roots: schema.rootTables,
      imported: imported, of: .whatIsReported)
  }
}
