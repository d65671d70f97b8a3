import FBSParser
import FBSSchema

/// Turns one file of a schema into one output file.
///
/// To add an emitter, make a folder beside this file, conform a type to this protocol, and add one line to
/// `EmitterRegistry`. An emitter reads the resolved schema and gives bytes: it parses nothing, resolves nothing, and is a
/// function of its input alone, so that the same schema gives the same bytes on every machine.
public protocol Emitter: Sendable {
  /// The name by which `--emit` selects the emitter.
  var name: String { get }

  /// A one-line summary of the output, for `--help`.
  var summary: String { get }

  /// Whether the emitter runs without `--emit`.
  var isDefault: Bool { get }

  /// Whether the output needs a schema that a store can hold. If so, `StoreValidator`'s rules apply.
  var needsStore: Bool { get }

  /// Returns the name of the output for an input called `stem.fbs`.
  func outputName(forStem stem: String) -> String

  /// Whether the output is Swift. If so, names must be valid in Swift, and every construct must have a Swift form.
  var emitsSwift: Bool { get }

  /// Whether the emitter uses Swift names. If no emitter of a run does, names are not made: that takes as long as
  /// reading the schema.
  var usesSwiftNames: Bool { get }

  /// The time that the emitter takes, roughly, relative to others. Slow ones begin first, so that no processor idles at
  /// the end.
  var relativeTime: Int { get }

  /// Whether the output links types to the types that hold them, and the outputs of a run to each other.
  var linksTypes: Bool { get }

  /// Returns the output for the definitions of one file.
  /// - Throws: `EmissionError` when the output's form cannot hold the schema.
  func emit(_ unit: EmissionUnit) throws(EmissionError) -> [UInt8]
}

/// The reason why a valid schema has no output: the output's format cannot hold it.
public struct EmissionError: Error, Hashable, Sendable {
  /// The path of the schema.
  public let path: String
  /// The part of the schema that exceeds the format, in words.
  public let reason: String
}

extension Emitter {
  /// By default, the output has no links.
  public var linksTypes: Bool { false }

  /// By default, an emitter runs without `--emit`.
  public var isDefault: Bool { true }

  /// By default, the output is Swift.
  public var emitsSwift: Bool { true }

  /// By default, an emitter counts as one of the fastest.
  public var relativeTime: Int { 1 }

  /// By default, an emitter uses Swift names.
  public var usesSwiftNames: Bool { true }
}

/// The input of an emitter: a schema with its names, and the file whose definitions are to be emitted.
///
/// A class, since all generators hold on to it: copying a schema's arrays for each field costs more than everything
/// else about a field.
public final class EmissionUnit: Sendable {
  /// The whole schema.
  public let schema: Schema

  /// The Swift names of everything in `schema`; empty if no emitter of the run uses names.
  public let names: Namer

  /// The derived facts about definitions; empty if no emitter of the run uses names.
  let traits: SchemaTraits

  /// The access levels of the code that is generated for each definition.
  private let levels: AccessLevels

  /// The file whose definitions are to be emitted. Those of its includes are emitted when they are inputs themselves.
  public let file: SchemaFile

  /// The name by which the output refers to the file: the last component of its path, or more of the path if several
  /// inputs share that component.
  public let fileName: String

  /// The links between types and between files; nil if no emitter of the run links them.
  let links: SchemaLinks?

  init(
    schema: Schema, names: Namer, traits: SchemaTraits, levels: AccessLevels, file: SchemaFile,
    fileName: String? = nil, links: SchemaLinks? = nil
  ) {
    self.schema = schema
    self.names = names
    self.traits = traits
    self.levels = levels
    self.file = file
    self.links = links
    self.fileName = fileName ?? file.fileName
  }

  /// Returns the access level of the code that is generated for a type.
  func access(of definition: DefinitionID) -> AccessLevel { levels.level(of: definition) }

  /// The spellings of other modules' types in generated code.
  var imported: ImportedTypeNames { names.imported }

  /// Returns the root table of the FlatBuffer that is nested in a field; nil if there is none.
  func nestedTable(_ field: FieldDefinition) -> TableID? { traits.nestedTables.table(field) }

  /// An estimate of how many bytes of Swift an emitter writes for the file. Most outputs are not larger.
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

  /// Returns whether a table is the root type of the file that defines it, and so a class that a store can hold.
  public func isRoot(_ id: TableID) -> Bool {
    names.isRoot(id)
  }

  /// Returns whether a definition is the root table of its file.
  func isRoot(_ definition: DefinitionID) -> Bool {
    if case .table(let id) = definition { isRoot(id) } else { false }
  }
}

extension SchemaFile {
  /// The last component of the path.
  var fileName: String { GeneratedFile.parts(of: path).last.map { String($0) } ?? path }
}

/// The version of the compiler, which `dflatc --version` and the first line of each generated file show.
public enum CompilerVersion {
  /// A semantic version (https://semver.org).
  public static let current = "0.1.0"
}
