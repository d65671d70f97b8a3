import FBSDiagnostics
import FBSParser

/// The result of a check: the findings that remain after a team's configuration and the comments of NEW.
public struct EvolutionReport: Sendable {
  /// How a configuration changes a rule.
  public enum Setting: Hashable, Sendable {
    /// The rule's findings have this severity instead of their own.
    case severity(Severity)
    /// The rule's findings are not reported.
    case off
  }

  /// The reported findings, in the order of their ranges in NEW.
  public let findings: [Finding]
  /// Diagnostics about the comments that silence findings.
  public let commentDiagnostics: [Diagnostic]
  /// The number of findings that comments silenced.
  public let silencedCount: Int
  /// Errors in files of either version. Such files were not compared.
  public private(set) var faults: (old: [Diagnostic], new: [Diagnostic])

  /// Chooses what to report.
  /// - Parameters:
  ///   - findings: All that was found.
  ///   - new: The new version, whose comments count.
  ///   - settings: The configured settings, by the ids of rules.
  ///   - levels: The levels to report.
  ///   - otherRules: The ids of rules of other tools, which comments may name.
  public init(
    _ findings: [Finding], new: SchemaVersion, settings: [String: Setting] = [:],
    levels: Set<EvolutionRule.Level> = Set(EvolutionRule.Level.allCases), otherRules: Set<String> = []
  ) {
    self.init(
      findings, faults: ([], []), new: new.sources, settings: settings, levels: levels, otherRules: otherRules)
  }

  /// Chooses what to report of a transition.
  /// - Parameters:
  ///   - transition: The step from one version to the other.
  ///   - settings: The configured settings, by the ids of rules.
  ///   - levels: The levels to report.
  ///   - otherRules: The ids of rules of other tools, which comments may name.
  public init(
    _ transition: Transition, settings: [String: Setting] = [:],
    levels: Set<EvolutionRule.Level> = Set(EvolutionRule.Level.allCases), otherRules: Set<String> = []
  ) {
    self.init(
      transition.findings, faults: transition.faults, new: transition.sources.new, settings: settings, levels: levels,
      otherRules: otherRules)
  }

  private init(
    _ findings: [Finding], faults: (old: [Diagnostic], new: [Diagnostic]), new: SourceMap,
    settings: [String: Setting], levels: Set<EvolutionRule.Level>, otherRules: Set<String>
  ) {
    self.faults = faults
    var comments = AllowComments(new.files, rules: .init(own: Set(EvolutionRule.all.map(\.id)), others: otherRules))
    var kept: [Finding] = []
    var silenced = 0
    for finding in findings {
      // A comment counts as used even if its finding would not be shown: what is shown differs from run to run.
      if comments.silences(finding.rule.id, at: finding.range) {
        silenced += 1
        continue
      }
      guard levels.contains(finding.rule.level) else { continue }
      var finding = finding
      switch settings[finding.rule.id] {
      case .off: continue
      case .severity(let severity): finding.severity = severity
      case nil: break
      }
      kept.append(finding)
    }
    self.findings = kept
    silencedCount = silenced
    commentDiagnostics =
      comments.diagnostics
      + comments.unusedWarnings(note: "what it allowed is in the old version, too, or stands elsewhere")
  }

  /// Whether NEW may replace OLD.
  public var isCompatible: Bool {
    faults.old.isEmpty && faults.new.isEmpty && !findings.contains { $0.severity == .error }
      && !commentDiagnostics.contains { $0.severity == .error }
  }

  /// Whether the report has warnings. They do not keep NEW from replacing OLD.
  public var hasWarnings: Bool {
    findings.contains { $0.severity == .warning } || commentDiagnostics.contains { $0.severity == .warning }
  }

  /// Returns the report without its faults, for a caller that has shown them already.
  public func withoutFaults() -> EvolutionReport {
    var report = self
    report.faults = ([], [])
    return report
  }

  /// Returns the report as diagnostics, with the files that their ranges refer to: those of NEW, then those of OLD.
  /// - Parameter oldPath: Returns the path to show for a file of OLD.
  public func diagnostics(
    old: SchemaVersion, new: SchemaVersion, oldPath: (String) -> String = { $0 }
  ) -> (diagnostics: [Diagnostic], sources: SourceMap) {
    diagnostics(old: old.sources, new: new.sources, oldPath: oldPath)
  }

  /// Returns the report as diagnostics, with the files that their ranges refer to: those of NEW, then those of OLD.
  /// - Parameter oldPath: Returns the path to show for a file of OLD.
  public func diagnostics(
    old: SourceMap, new: SourceMap, oldPath: (String) -> String = { $0 }
  ) -> (diagnostics: [Diagnostic], sources: SourceMap) {
    var sources = new
    let count = sources.files.count
    for file in old.files { _ = sources.add(path: oldPath(file.path), bytes: file.bytes) }
    func shifted(_ range: SourceRange) -> SourceRange {
      SourceRange(file: FileID(range.file.index + count), start: range.start, end: range.end)
    }
    let diagnostics = findings.map { finding in
      var notes = [finding.harm] + finding.notes
      if let fix = finding.fix { notes.append(Self.text(of: fix)) }
      return Diagnostic(
        finding.rule.code, finding.severity, finding.message, at: finding.range, advice: finding.advice,
        labels: finding.labels + [.init(shifted(finding.oldRange), finding.oldText)], notes: notes,
        fixes: finding.fix.map { [Self.edits(of: $0)] } ?? [])
    }
    let oldFaults = faults.old.map { $0.relocated(shifted) }
    return ((faults.new + diagnostics + commentDiagnostics + oldFaults).inOrder(), sources)
  }

  /// Returns the fix in a form that programs can apply. NEW's files come first, so that its range stays valid.
  private static func edits(of fix: Finding.FixIt) -> Diagnostic.Fix {
    .init(fix.title.prefix(1).uppercased() + fix.title.dropFirst(), [.init(fix.range, fix.replacement)])
  }

  private static func text(of fix: Finding.FixIt) -> String {
    if fix.replacement.isEmpty { return "fix: \(fix.title)" }
    return "fix: \(fix.title): `\(fix.replacement.drop { $0 == " " || $0 == "," })`"
  }
}

extension [Diagnostic] {
  /// Returns the diagnostics in the order of their ranges. The sort is stable, since findings and comments come from
  /// two lists.
  fileprivate func inOrder() -> [Diagnostic] {
    enumerated().sorted { first, second in
      if first.element.range != second.element.range { return first.element.range < second.element.range }
      return first.offset < second.offset
    }.map(\.element)
  }
}
