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

    let checks = EmissionChecks(schema: schema, emitters: emitters)
    var found = known + checks.storeDiagnostics(knowing: known)
    // The further checks need a resolved schema.
    guard !found.contains(where: isHarmful) else {
      (diagnostics, generator) = (found, nil)
      return
    }
    let named = checks.usesNames ? schema : Schema()
    let traits = SchemaTraits(named, roots: named.rootTables)
    let naming = SwiftNaming(
      named, output: checks.output, recursion: traits.recursion, nested: traits.nestedTables)
    found += checks.swiftDiagnostics(naming, traits.nestedTables, traits.codable, isGenerated: isGenerated)
    diagnostics = found
    guard !found.contains(where: isHarmful) else {
      generator = nil
      return
    }
    let names = Namer(named, naming)
    generator = Generator(
      schema: schema, emitters: emitters, names: names, traits: traits,
      levels: AccessLevels(named, traits.nestedTables, names, run: access))
  }

  /// Returns the diagnostics that checking a compilation's schema gives. It costs far less than a `CheckedSchema`,
  /// which also names everything that is to be written.
  public static func diagnostics(of compilation: Compilation, emitters: [any Emitter]) -> [Diagnostic] {
    diagnostics(of: compilation, emitters: emitters) { TypeFacts($0, output: $1) }
  }

  /// Returns the diagnostics that checking a compilation's schema gives.
  /// - Parameter facts: returns the facts about the schema's types, for the code to write.
  static func diagnostics(
    of compilation: Compilation, emitters: [any Emitter], facts: (Schema, SwiftOutput) -> TypeFacts
  ) -> [Diagnostic] {
    let schema = compilation.schema
    let checks = EmissionChecks(schema: schema, emitters: emitters)
    let found = compilation.diagnostics + checks.storeDiagnostics(knowing: compilation.diagnostics)
    guard checks.writesSwift, !found.contains(where: { $0.severity == .error }) else { return found }
    let facts = facts(schema, checks.output)
    return found + SwiftNaming(schema, facts).diagnostics + facts.diagnostics
  }
}

/// The checks of a resolved schema that depend on the emitters to run.
private struct EmissionChecks {
  let schema: Schema
  let emitters: [any Emitter]

  var output: SwiftOutput { SwiftOutput(emitters) }
  var writesSwift: Bool { emitters.contains(where: \.emitsSwift) }
  /// Whether an emitter needs names in Swift, to write them or to show them.
  var usesNames: Bool { writesSwift || emitters.contains(where: \.usesSwiftNames) }

  /// Returns the reasons why a store cannot hold objects of the inputs' root types; none if no emitter needs a store.
  /// - Parameter known: The schema's diagnostics so far. If they have errors, nothing is concluded from a missing
  ///   definition.
  func storeDiagnostics(knowing known: [Diagnostic]) -> [Diagnostic] {
    guard emitters.contains(where: \.needsStore) else { return [] }
    return StoreValidator.validate(schema: schema, files: schema.files.filter(\.isInput).map(\.id), knowing: known)
  }

  /// Returns the reasons why the Swift for the schema cannot be written, or differs from the schema; none if no emitter
  /// writes Swift.
  func swiftDiagnostics(
    _ naming: SwiftNaming, _ nested: NestedTables, _ codable: CodableTypes, isGenerated: (SchemaFile) -> Bool
  ) -> [Diagnostic] {
    guard writesSwift else { return [] }
    var found = naming.diagnostics
    // Limits of the data model do not matter to programs that only use the accessors.
    if output.hasModel { found += schema.modelDiagnostics(codable) }
    return found + UngeneratedIncludes(schema: schema, nested).diagnostics(isGenerated: isGenerated)
  }
}

extension Diagnostic {
  /// Returns whether the diagnostic prevents all output.
  func stopsEmission(isStrict: Bool) -> Bool { severity == .error || isStrict && severity == .warning }
}
