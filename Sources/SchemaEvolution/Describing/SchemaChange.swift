import FBSDiagnostics
import FBSParser

/// A difference between two versions of a schema, in words, whether or not it does harm.
public struct SchemaChange: Hashable, Sendable {
  /// The kind of a change.
  public enum Kind: String, Sendable {
    case added, removed, changed
  }

  /// The file, by the path that it has in the new version, or in the old one if the new one does not have it.
  public let path: String
  /// The kind of the type, such as `table`. Empty for a file as a whole.
  public let typeKind: String
  /// The name of the type, such as `Shop.Post`. Empty for a file as a whole.
  public let typeName: String
  /// The member that changed, such as a field. Empty for the type itself.
  public let member: String
  /// The kind of this change.
  public let kind: Kind
  /// The change in a sentence without a full stop.
  public let text: String
  /// The findings of `dflatc check` about the change.
  public internal(set) var findings: [Finding] = []

  /// The severity of the worst finding; nil if there is none.
  public var severity: Severity? {
    for severity in [Severity.error, .warning, .note] where findings.contains(where: { $0.severity == severity }) {
      return severity
    }
    return nil
  }
}
