import FBSDiagnostics
import FBSSchema

/// A resolved schema after every check that its emitters need: the only way to a `Generator`.
public struct CheckedSchema: Sendable {
  /// The diagnostics known before the checks, then those of the checks.
  public let diagnostics: [Diagnostic]

  /// The generator that emits the schema; nil if a diagnostic is an error.
  public let generator: Generator?

  /// Checks a compilation's schema.
  /// - Parameters:
  ///   - emitters: the emitters to run. They decide which rules apply.
  ///   - isStrict: whether warnings prevent output, as errors do.
  ///   - access: the access level of generated code for types that are not private.
  ///   - isGenerated: whether the Swift of a file that is no input exists already. Each file without it gets a note.
  public init(
    _ compilation: Compilation, emitters: [any Emitter], isStrict: Bool = false, access: AccessLevel = .public,
    isGenerated: (SchemaFile) -> Bool = { _ in true }
  ) {
    self.init(
      schema: compilation.schema, knowing: compilation.diagnostics, emitters: emitters, isStrict: isStrict,
      access: access, isGenerated: isGenerated)
  }

  /// Checks a schema with the diagnostics `known` so far.
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
    // The further checks need a resolved schema.
    guard !found.contains(where: isHarmful) else {
      (diagnostics, generator) = (found, nil)
      return
    }
    let named = emitters.contains { $0.emitsSwift || $0.usesSwiftNames } ? schema : Schema()
    let traits = SchemaTraits(named, roots: named.rootTables, access: access)
    let names = Namer(named, output: SwiftOutput(emitters), traits: traits)
    if emitters.contains(where: \.emitsSwift) {
      found += names.diagnostics
      // Limits of the data model do not matter to programs that only use the accessors.
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
  /// Returns whether the diagnostic prevents all output.
  func stopsEmission(isStrict: Bool) -> Bool { severity == .error || isStrict && severity == .warning }
}
