import FBSDiagnostics
import FBSParser

/// Everything that the files of a run define, resolved: every name is bound, every field has its id, every default its
/// value. Emitters read it, and nothing else.
///
/// Definitions stand in the order in which they were read: inputs in the order given, an include before what includes it.
public struct Schema: Sendable {
  /// The files, inputs and includes, in the order in which they were first read.
  public var files: [SchemaFile] = []
  /// The enums.
  public var enums: [EnumDefinition] = []
  /// The structs.
  public var structs: [StructDefinition] = []
  /// The tables.
  public var tables: [TableDefinition] = []
  /// The unions.
  public var unions: [UnionDefinition] = []
  /// The services, for plug-ins.
  public var services: [ServiceDefinition] = []

  /// Creates a schema with nothing in it.
  public init() {}

  /// The file that `id` names.
  @inlinable
  public subscript(id: FileID) -> SchemaFile { files[id.index] }
  /// The enum that `id` names.
  @inlinable
  public subscript(id: EnumID) -> EnumDefinition { enums[id.index] }
  /// The struct that `id` names.
  @inlinable
  public subscript(id: StructID) -> StructDefinition { structs[id.index] }
  /// The table that `id` names.
  @inlinable
  public subscript(id: TableID) -> TableDefinition { tables[id.index] }
  /// The union that `id` names.
  @inlinable
  public subscript(id: UnionID) -> UnionDefinition { unions[id.index] }
  /// The service that `id` names.
  @inlinable
  public subscript(id: ServiceID) -> ServiceDefinition { services[id.index] }
}

/// An enum of a `Schema`, identified by its index.
public struct EnumID: Hashable, Sendable {
  /// The index into `Schema.enums`.
  public let index: Int
  /// Creates the ID of the enum at `index`.
  public init(_ index: Int) { self.index = index }
}

/// A struct of a `Schema`, identified by its index.
public struct StructID: Hashable, Sendable {
  /// The index into `Schema.structs`.
  public let index: Int
  /// Creates the ID of the struct at `index`.
  public init(_ index: Int) { self.index = index }
}

/// A table of a `Schema`, identified by its index.
public struct TableID: Hashable, Sendable {
  /// The index into `Schema.tables`.
  public let index: Int
  /// Creates the ID of the table at `index`.
  public init(_ index: Int) { self.index = index }
}

/// A union of a `Schema`, identified by its index.
public struct UnionID: Hashable, Sendable {
  /// The index into `Schema.unions`.
  public let index: Int
  /// Creates the ID of the union at `index`.
  public init(_ index: Int) { self.index = index }
}

/// A service of a `Schema`, identified by its index.
public struct ServiceID: Hashable, Sendable {
  /// The index into `Schema.services`.
  public let index: Int
  /// Creates the ID of the service at `index`.
  public init(_ index: Int) { self.index = index }
}

/// One file of a schema.
public struct SchemaFile: Sendable {
  /// An `include` statement.
  public struct Inclusion: Hashable, Sendable {
    /// The file that it names.
    public let file: FileID
    /// The range of the string that names the file.
    public let range: SourceRange

    /// Creates an `include` of `file`.
    public init(file: FileID, range: SourceRange) {
      self.file = file
      self.range = range
    }
  }

  /// The file's index, which is also its index in the run's `SourceMap`.
  public let id: FileID
  /// The path by which the file was read.
  public let path: String
  /// Whether the file is compiled, checked and linted: it was named as an input, or counts as one because an input
  /// includes it. See `IncludedFiles`.
  public let isInput: Bool
  /// Whether the file is an entry file: an input whose includes decide which definitions the files that it reaches may
  /// use. Every input is one, or with `IncludedFiles.compiled` every input that no other input includes.
  public let isEntry: Bool
  /// The files it includes, in order.
  public var includes: [FileID] = []
  /// Its `include` statements, in order. Several may name one file.
  public var inclusions: [Inclusion] = []
  /// One identifier in a `namespace` statement, such as `B` in `namespace A.B;`.
  public struct NamespacePart: Sendable {
    /// The names of the namespace up to this identifier, and with it: `A` and `B` for `B` in `namespace A.B;`.
    public let namespace: [String]
    /// The range of the identifier.
    public let range: SourceRange
  }

  /// The identifiers in the file's `namespace` statements, in the order of the text.
  public internal(set) var namespaceParts: [NamespacePart] = []
  /// The definitions of the file, in the order of the text.
  public var definitions: [DefinitionID] = []
  /// The services it defines, in the order of the text.
  public var services: [ServiceID] = []
  /// The attributes it declares, in the order of the text.
  public var declaredAttributes: [String] = []
  /// The table that `root_type` names.
  public var rootTable: TableID?
  /// The range of the table's name in `root_type`.
  public var rootTypeRange: SourceRange?
  /// The four bytes of `file_identifier`.
  public var fileIdentifier: String?
  /// The range of the string in `file_identifier`.
  public var fileIdentifierRange: SourceRange?
  /// The extension of `file_extension`, without a dot.
  public var fileExtension: String?

  /// Creates a file with nothing in it.
  public init(id: FileID, path: String, isInput: Bool, isEntry: Bool) {
    self.id = id
    self.path = path
    self.isInput = isInput
    self.isEntry = isEntry
  }
}

/// One thing that a file defines.
public enum DefinitionID: Hashable, Sendable {
  /// An enum.
  case enumeration(EnumID)
  /// A struct.
  case structure(StructID)
  /// A table.
  case table(TableID)
  /// A union.
  case union(UnionID)
}

/// A name with the namespace that it stands in.
public struct QualifiedName: Hashable, Sendable, CustomStringConvertible {
  /// The namespace's components, outermost first; empty for the global one.
  public let namespace: [String]
  /// The name itself.
  public let name: String

  /// Creates the name `name` in `namespace`.
  public init(namespace: [String], name: String) {
    self.namespace = namespace
    self.name = name
  }

  /// The name as schemas write it: `A.B.Name`.
  public var description: String { (namespace + [name]).joined(separator: ".") }
}

/// One attribute as it was written: `(name)` or `(name: value)`.
public struct Attribute: Hashable, Sendable {
  /// The value after an attribute's colon.
  public enum Value: Hashable, Sendable {
    /// A whole number.
    case integer(Int64)
    /// A string.
    case string(String)
  }

  /// The name of the attribute.
  public let name: String
  /// The value, if one was written.
  public let value: Value?
  /// The range of the attribute, from its name to its value.
  public let range: SourceRange
  /// The range to delete so that the attribute is gone, with its comma or parentheses. Nil if no plain edit does that.
  public let removal: SourceRange?

  /// Creates an attribute.
  public init(name: String, value: Value?, range: SourceRange, removal: SourceRange? = nil) {
    self.name = name
    self.value = value
    self.range = range
    self.removal = removal
  }

  /// The edit that takes it away.
  var removalFixes: [Diagnostic.Fix] { removal.map { [.remove(name, at: $0)] } ?? [] }
}

/// The documentation, the attributes and the ranges that every definition, field and value has.
public struct Declaration: Sendable {
  /// The lines of its doc comment, as they stand after the slashes.
  public var documentation: [String]
  /// Its attributes, in order.
  public var attributes: [Attribute]
  /// The range of the name.
  public var nameRange: SourceRange
  /// The ranges after the name, in the name's file.
  private let type: CompactRange?
  private let value: CompactRange?

  /// The range of the type: of a field, of a union's member that has an alias, or of the numbers of an enum or union.
  /// Nil if none was written.
  public var typeRange: SourceRange? { type?.range(in: nameRange.file) }
  /// The range of the value: the default of a field, the number of an enum's value, or the code of a union's member.
  /// Nil if none was written.
  public var valueRange: SourceRange? { value?.range(in: nameRange.file) }

  /// Creates the documentation, attributes and ranges of a declaration.
  /// - Parameters:
  ///   - typeRange: the range of the type, in the file of the name.
  ///   - valueRange: the range of the value, in the file of the name.
  public init(
    documentation: [String] = [], attributes: [Attribute] = [], nameRange: SourceRange, typeRange: SourceRange? = nil,
    valueRange: SourceRange? = nil
  ) {
    self.documentation = documentation
    self.attributes = attributes
    self.nameRange = nameRange
    type = typeRange.map { CompactRange($0) }
    value = valueRange.map { CompactRange($0) }
  }

  /// Returns the attribute called `name`; nil if it was not written. If it was written twice, the first one counts.
  public func attribute(_ name: String) -> Attribute? {
    attributes.first { $0.name == name }
  }

  /// Returns whether the attribute called `name` was written. This is quicker than to get the attribute: most fields
  /// have none.
  public func has(_ name: String) -> Bool {
    !attributes.isEmpty && attributes.contains { $0.name == name }
  }
}

/// A range without its file, in 9 bytes rather than 24: a large schema has a million of them.
struct CompactRange: Sendable {
  // The lexer's offsets are of this type, too.
  private let start: UInt32
  private let end: UInt32

  init(_ range: SourceRange) {
    start = UInt32(range.start)
    end = UInt32(range.end)
  }

  func range(in file: FileID) -> SourceRange { SourceRange(file: file, start: Int(start), end: Int(end)) }
}

extension DefinitionID {
  /// Whether it is a struct or a table.
  var isStructure: Bool {
    switch self {
    case .structure, .table: true
    case .enumeration, .union: false
    }
  }

  /// Whether it is a union.
  var isUnion: Bool { if case .union = self { true } else { false } }

  /// The kind with its article, such as "an enum".
  public var kindName: String {
    switch self {
    case .enumeration: "an enum"
    case .structure: "a struct"
    case .table: "a table"
    case .union: "a union"
    }
  }
}
