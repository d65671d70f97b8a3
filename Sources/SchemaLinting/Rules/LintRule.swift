import FBSDiagnostics

/// A rule of `dflatc lint`: one habit of naming or style that a team may ask of its schemas.
///
/// All rules are in one list, `LintRule.all`. An id never changes its meaning.
public struct LintRule: Hashable, Sendable {
  /// The subjects of rules. A configuration may set all rules of a group at once, by its name.
  public enum Group: String, CaseIterable, Sendable {
    /// The spelling of names.
    case names
    /// The values of enums.
    case enums
    /// Includes, and uses of types.
    case uses
    /// White space and line breaks.
    case layout
    /// Doc comments, and comments that give a reason.
    case docs
    /// Statements that should be explicit.
    case explicit
  }

  /// Example files with their texts. The first one is linted.
  public struct Example: Hashable, Sendable {
    /// A file of an example.
    public struct File: Hashable, Sendable {
      /// The path of the file.
      public let path: String
      /// The text of the file.
      public let text: String
    }

    /// The files of the example.
    public let files: [File]

    init(_ text: String, path: String = "post.fbs", beside others: [String: String] = [:]) {
      files =
        [File(path: path, text: text)] + others.sorted { $0.key < $1.key }.map { File(path: $0.key, text: $0.value) }
    }
  }

  /// The name by which people and configurations know it, such as `type-case`.
  public let id: String
  /// The subject of the rule.
  public let group: Group
  /// Whether the rule is on unless configured otherwise.
  public let isOn: Bool
  /// The violation that it finds, in a few words.
  public let summary: String
  /// The reason for the rule, and what to do: plain text, in paragraphs separated by empty lines.
  public let explanation: String
  /// A schema that the rule reports.
  public let reported: Example
  /// The schema of `reported` without the finding.
  public let allowed: Example
  /// Finds violations of the rule.
  let check: @Sendable (LintSubject, inout LintCollector) -> Void

  /// The rule as a diagnostic's code.
  public var code: DiagnosticCode { DiagnosticCode(id, summary) }

  /// The severity of the rule's findings unless configured otherwise. A linter's findings harm no data.
  public var severity: Severity { .warning }

  /// Returns the rule called `id`; nil if there is none.
  public static func named(_ id: String) -> LintRule? { byID[id] }

  private static let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })

  /// Rules are the same if their ids are.
  public static func == (first: LintRule, second: LintRule) -> Bool { first.id == second.id }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// All rules, in the order of the documentation.
  public static let all: [LintRule] =
    nameRules + enumRules + useRules + layoutRules + documentationRules + explicitnessRules
}
