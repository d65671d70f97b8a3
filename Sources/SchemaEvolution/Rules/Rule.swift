import FBSDiagnostics
import FBSParser

/// A rule of `dflatc check`: one kind of change, what it does to data, and how to do without it.
///
/// All rules are in one list, `EvolutionRule.all`. An id never changes its meaning.
public struct EvolutionRule: Hashable, Sendable {
  /// The kind of harm that a change does.
  public enum Level: String, CaseIterable, Sendable {
    /// Data already written would be lost, misread or refused.
    case storage
    /// The app's Swift code stops building.
    case source
    /// Calls of remote methods fail between programs of the two versions.
    case rpc
    /// JSON that one version writes is not read by the other.
    case json

    /// The levels that are reported unless others are asked for. Few schemas are used for JSON that is kept.
    public static let usual: Set<Level> = [.storage, .source, .rpc]
  }

  /// Two versions of a schema, as files with their texts.
  public struct Example: Hashable, Sendable {
    /// A file of an example.
    public struct File: Hashable, Sendable {
      /// The path, below the folder of its version.
      public let path: String
      /// The text of the file.
      public let text: String
    }

    /// The files of the version that data was written under.
    public let old: [File]
    /// The files of the version that shall replace it.
    public let new: [File]

    /// Creates an example with the same files on both sides.
    public init(files: [File]) {
      old = files
      new = files
    }

    /// Creates an example with one file on each side.
    init(old: String, new: String) {
      self.old = [File(path: "post.fbs", text: old)]
      self.new = [File(path: "post.fbs", text: new)]
    }

    /// Creates an example with several files.
    init(old: [(String, String)], new: [(String, String)]) {
      self.old = old.map { File(path: $0.0, text: $0.1) }
      self.new = new.map { File(path: $0.0, text: $0.1) }
    }
  }

  /// The rule's name in output and in configurations, such as `field-removed`.
  public let id: String
  /// The kind of harm that the change does.
  public let level: Level
  /// The severity of the findings unless configured otherwise.
  public let severity: Severity
  /// The change, in a few words.
  public let summary: String
  /// Why it matters and what to do instead: plain text, in paragraphs with an empty line between two.
  public let explanation: String
  /// A change that the rule reports.
  public let reported: Example
  /// A change with the same aim that the rule does not report.
  public let allowed: Example

  /// The rule as a diagnostic's code.
  public var code: DiagnosticCode { DiagnosticCode(id, summary) }

  /// Returns the rule with this id, or nil if there is none.
  public static func named(_ id: String) -> EvolutionRule? { byID[id] }

  /// The ids of the rules about the tables, keys and indexes of a store.
  public static let storeRuleIDs: [String] = storeRules.map(\.id)

  private static let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })

  /// Rules are the same if their ids are.
  public static func == (first: EvolutionRule, second: EvolutionRule) -> Bool { first.id == second.id }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// All rules, in the order of the documentation.
  public static let all: [EvolutionRule] =
    fieldRules + typeRules + additionRules + storeRules + attributeRules + serviceRules
}
