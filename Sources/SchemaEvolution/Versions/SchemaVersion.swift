import FBSDiagnostics
import FBSParser
import FBSSchema

/// One of the two versions of a schema that are compared.
public struct SchemaVersion: Sendable {
  /// The resolved schema.
  public let schema: Schema
  /// The texts of the files.
  public let sources: SourceMap
  /// A name for each input, which identifies the same file in the other version: its path below the given folder, say.
  /// Inputs without a name are matched by what they define.
  public let names: [FileID: String]
  /// Whether the version was read from a binary schema, which does not hold the defaults of strings and vectors.
  public let isBinary: Bool
  /// The attributes whose absence says nothing: a binary schema may lack them though its source has them.
  public let unknownAttributes: Set<String>
  /// The names of types in files that belong to this version but are not part of `schema`. A type that moved there is
  /// not gone.
  public let namesElsewhere: Set<QualifiedName>

  /// Creates a version. The schema must have been resolved without errors.
  public init(
    schema: Schema, sources: SourceMap, names: [FileID: String] = [:], isBinary: Bool = false,
    unknownAttributes: Set<String> = [], namesElsewhere: Set<QualifiedName> = []
  ) {
    self.schema = schema
    self.sources = sources
    self.names = names
    self.isBinary = isBinary
    self.unknownAttributes = unknownAttributes
    self.namesElsewhere = namesElsewhere
  }
}
