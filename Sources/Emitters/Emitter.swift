import FBSParser
import FBSSchema

/// Turns one file of a schema into one output file.
///
/// To add an emitter, make a folder beside this file, conform a type to this protocol, and add one line to
/// `EmitterRegistry`. An emitter reads the resolved schema and gives bytes: it parses nothing, resolves nothing, and is a
/// function of its input alone, so that the same schema gives the same bytes on every machine.
public protocol Emitter: Sendable {
  /// The name for `--emit`.
  var name: String { get }

  /// What it emits, in a line, for `--help`.
  var summary: String { get }

  /// Whether it runs when `--emit` is not given.
  var isDefault: Bool { get }

  /// Whether its output needs a schema that a store can hold: then `StoreValidator`'s rules apply.
  var needsStore: Bool { get }

  /// The name of the output for an input called `stem.fbs`.
  func outputName(forStem stem: String) -> String

  /// Whether its output is Swift: then names must be ones that Swift can hold, and constructs ones that can be emitted.
  var emitsSwift: Bool { get }

  /// Whether it asks what anything is called in Swift. If no emitter of a run does, names are not made, which takes as long as
  /// reading the schema.
  var usesSwiftNames: Bool { get }

  /// How long it takes beside others, roughly. Those that take long begin first, so that no processor waits for one in the end.
  var relativeTime: Int { get }

  /// Whether its output links types to those that hold them, and the outputs of a run to each other.
  var linksTypes: Bool { get }

  /// The output for the definitions of one file.
  /// - Throws: `EmissionError` when the output's form cannot hold the schema.
  func emit(_ unit: EmissionUnit) throws(EmissionError) -> [UInt8]
}

/// Why a valid schema has no output: it is more than the output's form can hold.
public struct EmissionError: Error, Hashable, Sendable {
  /// The path of the schema.
  public let path: String
  /// What is too much.
  public let reason: String
}

extension Emitter {
  /// Most output stands for itself.
  public var linksTypes: Bool { false }

  /// Most emitters run by default.
  public var isDefault: Bool { true }

  /// Most emitters write Swift.
  public var emitsSwift: Bool { true }

  /// The least there is.
  public var relativeTime: Int { 1 }

  /// Whoever does not say otherwise may ask for names.
  public var usesSwiftNames: Bool { true }
}

/// What an emitter gets to see: a schema with its names, and the file whose definitions are wanted.
///
/// A class, since everything that is emitted holds on to it: copying a schema's arrays for each field costs more than all
/// else that emitting a field does.
public final class EmissionUnit: Sendable {
  /// The whole schema.
  public let schema: Schema

  /// The Swift name of everything in `schema`; of nothing if no emitter of the run uses names.
  public let names: Namer

  /// What there is to know about a definition beyond its own text; nothing if no emitter of the run uses names.
  let traits: SchemaTraits

  /// The file whose definitions are to be emitted. Those of its includes are emitted when they are inputs themselves.
  public let file: SchemaFile

  /// What the output calls the file: the last component of its path, or more of it where several inputs have the same.
  public let fileName: String

  /// How types and files lead to one another, for emitters that link them.
  let links: SchemaLinks?

  init(
    schema: Schema, names: Namer, traits: SchemaTraits, file: SchemaFile, fileName: String? = nil,
    links: SchemaLinks? = nil
  ) {
    self.schema = schema
    self.names = names
    self.traits = traits
    self.file = file
    self.links = links
    self.fileName = fileName ?? file.fileName
  }

  /// Who may use what is generated for a type.
  func access(of definition: DefinitionID) -> AccessLevel { traits.access.level(of: definition) }

  /// How generated code spells the types of other modules.
  var imported: ImportedTypeNames { names.imported }

  /// The root table of the FlatBuffer that is nested in a field of `table`; nil where none is.
  func nestedTable(_ field: FieldDefinition, of table: TableDefinition) -> TableID? {
    traits.nestedTables.table(field, of: table)
  }

  /// More bytes of Swift than an emitter writes for the file, as a rule.
  var textCapacity: Int {
    var count = 16 * 1024
    for definition in file.definitions {
      count += 2048
      switch definition {
      case .table(let id): count += 512 * schema[id].fields.count
      case .structure(let id): count += 512 * schema[id].fields.count
      case .enumeration(let id): count += 128 * schema[id].names.count
      case .union(let id): count += 512 * schema[id].members.count
      }
    }
    return count
  }

  /// Whether a table is the root type of the file that defines it, and so a class that a store can hold.
  public func isRoot(_ id: TableID) -> Bool {
    names.isRoot(id)
  }

  /// Whether a definition is the root table of its file.
  func isRoot(_ definition: DefinitionID) -> Bool {
    if case .table(let id) = definition { isRoot(id) } else { false }
  }
}

extension SchemaFile {
  /// The last component of its path.
  var fileName: String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }
}

/// The version of the compiler, as `dflatc --version` and the first line of each generated file tell it.
public enum CompilerVersion {
  /// A semantic version (https://semver.org).
  public static let current = "0.1.0"
}
