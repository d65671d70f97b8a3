import FBSDiagnostics
import FBSParser

/// Something that differs between two versions of a schema, in words: also what harms nobody.
public struct SchemaChange: Hashable, Sendable {
  /// What kind of change it is.
  public enum Kind: String, Sendable {
    case added, removed, changed
  }

  /// The file, by the path that it has in the new version, or in the old one if the new one does not have it.
  public let path: String
  /// What the type is, in a word, such as `table`. Empty for a file as a whole.
  public let typeKind: String
  /// What the type is called, such as `Shop.Post`. Empty for a file as a whole.
  public let typeName: String
  /// What changed: a field, say. Empty for the type itself.
  public let member: String
  /// What kind of change it is.
  public let kind: Kind
  /// The change in a sentence without a full stop.
  public let text: String
  /// What `dflatc check` says of it.
  public internal(set) var findings: [Finding] = []

  /// How much the worst of the findings matters. Nil if there is none.
  public var severity: Severity? {
    for severity in [Severity.error, .warning, .note] where findings.contains(where: { $0.severity == severity }) {
      return severity
    }
    return nil
  }
}
