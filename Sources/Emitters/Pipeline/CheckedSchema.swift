import FBSDiagnostics
import FBSSchema

/// A resolved schema after every check that its emitters need: the only way to a `Generator`.
public struct CheckedSchema: Sendable {
  /// What is wrong with the schema, and what is worth knowing: what was known before the checks, then what they found.
  public let diagnostics: [Diagnostic]

  /// What emits the schema. Nil if a diagnostic is an error.
  public let generator: Generator?

  /// Checks what a compilation has resolved.
  /// - Parameters:
  ///   - emitters: Those that are to run. They decide which rules apply.
  ///   - isStrict: Whether a warning is an error.
  ///   - access: Who may use what is generated for types that are not private.
  ///   - isGenerated: Whether the Swift of a file that is no input is there already. There is a note for each that is not.
  public init(
    _ compilation: Compilation, emitters: [any Emitter], isStrict: Bool = false, access: AccessLevel = .public,
    isGenerated: (SchemaFile) -> Bool = { _ in true }
  ) {
    self.init(
      schema: compilation.schema, knowing: compilation.diagnostics, emitters: emitters, isStrict: isStrict,
      access: access, isGenerated: isGenerated)
  }

  /// Checks a schema of which `known` is known already.
  public init(
    schema: Schema, knowing known: [Diagnostic] = [], emitters: [any Emitter], isStrict: Bool = false,
    access: AccessLevel = .public, isGenerated: (SchemaFile) -> Bool = { _ in true }
  ) {
    func isHarmful(_ diagnostic: Diagnostic) -> Bool { diagnostic.stopsEmission(isStrict: isStrict) }

    var found = known
    if emitters.contains(where: \.needsStore) {
      found += StoreValidator.validate(
        schema: schema, files: schema.files.filter(\.isInput).map(\.id), knowing: known)
    }
    // The further checks take a schema that is resolved.
    guard !found.contains(where: isHarmful) else {
      (diagnostics, generator) = (found, nil)
      return
    }
    let named = emitters.contains { $0.emitsSwift || $0.usesSwiftNames } ? schema : Schema()
    let traits = SchemaTraits(named, roots: named.rootTables, access: access)
    let names = Namer(named, output: SwiftOutput(emitters), traits: traits)
    if emitters.contains(where: \.emitsSwift) {
      found += names.diagnostics
      // What the data model cannot hold is no matter to those who read and write bytes alone.
      if SwiftOutput(emitters).hasModel {
        found += EndlessTables(schema: schema).diagnostics()
        found += LargeTables(schema: schema).diagnostics()
        found += traits.codable.diagnostics(schema)
      }
      found += UngeneratedIncludes(schema: schema).diagnostics(isGenerated: isGenerated)
    }
    diagnostics = found
    generator =
      found.contains(where: isHarmful)
      ? nil : Generator(schema: schema, emitters: emitters, names: names, traits: traits)
  }
}

extension Diagnostic {
  /// Whether nothing is to be written for it.
  func stopsEmission(isStrict: Bool) -> Bool { severity == .error || isStrict && severity == .warning }
}
