import FBSDiagnostics
import FBSParser

/// A change between two versions of a schema that matters. It says where the change is and what to do, and not how it
/// is shown.
public struct Finding: Hashable, Sendable {
  /// Why a finding is reported.
  public enum Evidence: String, Sendable {
    /// Some object, written under one version, is lost, misread or refused under the other; or, for rules of level
    /// `source`, code stops building.
    case data
    /// No object that either version can write shows it: the finding warns of something else, which its rule explains.
    case precaution
  }

  /// An edit of NEW after which the finding is gone.
  public struct FixIt: Hashable, Sendable {
    /// What the edit does, in a few words.
    public let title: String
    /// The bytes of NEW that are replaced. Empty for an insertion.
    public let range: SourceRange
    /// The text that replaces the range.
    public let replacement: String
  }

  /// The rule that the change breaks.
  public let rule: EvolutionRule
  /// How much the change matters, before any configuration.
  public var severity: Severity
  /// What changed, in one line, without a full stop.
  public let message: String
  /// What goes wrong for a user's data, or code.
  public let harm: String
  /// What to do instead.
  public let advice: String
  /// The range of the change in the files of NEW.
  public let range: SourceRange
  /// The range of the change in the files of OLD.
  public let oldRange: SourceRange
  /// What the range in OLD shows, in a few words.
  public let oldText: String
  /// Further ranges of NEW, with their texts.
  public var labels: [Diagnostic.Label] = []
  /// Further facts, a line each.
  public var notes: [String] = []
  /// An edit after which the finding is gone, or nil if no single edit does that.
  public var fix: FixIt?
  /// Why the change is reported.
  public var evidence = Evidence.data
  /// Whether JSON that was written under OLD has a name that NEW does not know.
  public var breaksJSON = false
  /// Whether the finding is about a definition in a file that NEW does not have. Its place is then the range in OLD,
  /// and the range in NEW has no meaning.
  public var isAboutGoneFile = false
}

extension Finding {
  /// The levels at which the finding is reported: that of its rule, and `json` too if it breaks JSON.
  var levels: Set<EvolutionRule.Level> { breaksJSON ? [rule.level, .json] : [rule.level] }

  /// Returns the finding with its ranges in the joined files of several runs.
  func relocated(old: FileRelocation, new: FileRelocation) -> Finding {
    var result = Finding(
      rule: rule, severity: severity, message: message, harm: harm, advice: advice, range: new(range),
      oldRange: old(oldRange), oldText: oldText)
    result.labels = labels.map { .init(new($0.range), $0.text) }
    result.notes = notes
    result.fix = fix.map { FixIt(title: $0.title, range: new($0.range), replacement: $0.replacement) }
    result.evidence = evidence
    result.breaksJSON = breaksJSON
    result.isAboutGoneFile = isAboutGoneFile
    return result
  }
}

/// The identity of a finding: of several with the same key, one is reported.
private struct Key: Hashable {
  let rule: String
  let range: SourceRange
  let oldRange: SourceRange
}

extension [Finding] {
  /// Returns the findings in the order of their ranges in NEW, then in OLD, each rule once per pair of ranges. A finding
  /// breaks JSON if any of those that it stands for does.
  func sortedByPlace() -> [Finding] {
    let sorted = sorted { first, second in
      if first.range != second.range { return first.range < second.range }
      if first.oldRange != second.oldRange { return first.oldRange < second.oldRange }
      if first.rule != second.rule { return first.rule.id < second.rule.id }
      // Of findings with one key, the one that data shows comes first, and is kept.
      return first.evidence == .data && second.evidence != .data
    }
    var places: [Key: Int] = [:]
    var result: [Finding] = []
    for finding in sorted {
      let key = Key(rule: finding.rule.id, range: finding.range, oldRange: finding.oldRange)
      if let place = places[key] {
        if finding.breaksJSON { result[place].breaksJSON = true }
      } else {
        places[key] = result.count
        result.append(finding)
      }
    }
    return result
  }
}

extension SourceRange {
  /// Orders ranges by file, then by their offsets.
  static func < (first: SourceRange, second: SourceRange) -> Bool {
    if first.file != second.file { return first.file < second.file }
    return (first.start, first.end) < (second.start, second.end)
  }
}
