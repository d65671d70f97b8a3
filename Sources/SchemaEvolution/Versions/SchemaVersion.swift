import FBSDiagnostics
import FBSParser
import FBSSchema

/// One of the two versions of a schema that are compared.
public struct SchemaVersion: Sendable {
  /// What the files define.
  public let schema: Schema
  /// The files' texts.
  public let sources: SourceMap
  /// A name for each input, by which it is the same file in the other version: its path below the folder that was
  /// named, say. Inputs without a name are matched by what they define.
  public let names: [FileID: String]
  /// Whether it was read from a binary schema, which does not hold the defaults of strings and vectors.
  public let isBinary: Bool
  /// The attributes that are unknown, rather than absent, where they are missing: a binary schema may lack them though its
  /// schema has them.
  public let unknownAttributes: Set<String>
  /// The names of types that files define which belong to this version and are not part of `schema`: a type that moved
  /// there is not gone.
  public let namesElsewhere: Set<QualifiedName>

  /// A version. The schema must have been resolved without errors.
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
