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

  /// The reported findings, by place in NEW.
  public private(set) var findings: [Finding]
  /// The diagnostics about comments that silence findings.
  public let commentDiagnostics: [Diagnostic]
  /// The findings of programs with a team's own rules, by places in NEW.
  public private(set) var outsideFindings: [Diagnostic] = []
  /// Warnings about a team's configuration, by places in `configurationSources`.
  public private(set) var configurationWarnings: [Diagnostic] = []
  /// The files of the configuration that have warnings.
  public private(set) var configurationSources = SourceMap()
  /// How many findings comments silenced.
  public private(set) var silencedCount: Int
  /// The errors in files of either version that could not be compared.
  public private(set) var faults: (old: [Diagnostic], new: [Diagnostic])

  /// Chooses the findings to report.
  /// - Parameters:
  ///   - findings: All that was found.
  ///   - new: The new version, whose comments count.
  ///   - settings: The configured settings, by the ids of rules.
  ///   - levels: The levels to report.
  ///   - otherRules: The ids of rules of other tools, which comments may name.
  public init(
    _ findings: [Finding], new: SchemaVersion, settings: [String: Setting] = [:],
    levels: Set<EvolutionRule.Level> = EvolutionRule.Level.usual, otherRules: Set<String> = []
  ) {
    self.init(
      findings, faults: ([], []), new: new.sources, settings: settings, levels: levels, otherRules: otherRules)
  }

  /// Chooses the findings of a transition to report.
  /// - Parameters:
  ///   - transition: The step from one version to the other.
  ///   - settings: The configured settings, by the ids of rules.
  ///   - levels: The levels to report.
  ///   - otherRules: The ids of rules of other tools, which comments may name.
  ///   - judge: returns the setting of a single finding, which takes precedence over its rule's; nil if the rule's
  ///     counts.
  public init(
    _ transition: Transition, settings: [String: Setting] = [:],
    levels: Set<EvolutionRule.Level> = EvolutionRule.Level.usual, otherRules: Set<String> = [],
    judge: (Finding) -> Setting? = { _ in nil }
  ) {
    self.init(
      transition.findings, faults: transition.faults, new: transition.sources.new, settings: settings, levels: levels,
      otherRules: otherRules, judge: judge)
  }

  private init(
    _ findings: [Finding], faults: (old: [Diagnostic], new: [Diagnostic]), new: SourceMap,
    settings: [String: Setting], levels: Set<EvolutionRule.Level>, otherRules: Set<String>,
    judge: (Finding) -> Setting? = { _ in nil }
  ) {
    self.faults = faults
    var comments = AllowComments(new.files, rules: .init(own: Set(EvolutionRule.all.map(\.id)), others: otherRules))
    var kept: [Finding] = []
    var silenced = 0
    for finding in findings {
      // A comment counts as used even if its finding would not be shown: what is shown differs from run to run. What is
      // gone has no range in NEW, and no comment speaks for it.
      if !finding.isAboutGoneFile, !finding.range.isEmpty, comments.silences(finding.rule.id, at: finding.range) {
        silenced += 1
        continue
      }
      guard !levels.isDisjoint(with: finding.levels) else { continue }
      var finding = finding
      // A name that is lost is an error to who keeps JSON.
      if finding.breaksJSON, levels.contains(.json) { finding.severity = .error }
      switch judge(finding) ?? settings[finding.rule.id] {
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
      && !outsideFindings.contains { $0.severity == .error } && !commentDiagnostics.contains { $0.severity == .error }
  }

  /// Whether the report has warnings. They do not keep NEW from replacing OLD.
  public var hasWarnings: Bool {
    findings.contains { $0.severity == .warning } || outsideFindings.contains { $0.severity == .warning }
      || commentDiagnostics.contains { $0.severity == .warning } || !configurationWarnings.isEmpty
  }

  /// Adds the findings of a program, by places in NEW.
  public mutating func add(outside findings: [Diagnostic]) { outsideFindings += findings }

  /// Adds warnings about the configuration, whose places are in `sources`.
  public mutating func add(aboutConfiguration warnings: [Diagnostic], in sources: SourceMap) {
    var join = SourceJoin()
    _ = join.add(configurationSources)
    let place = join.add(sources)
    configurationSources = join.sources
    configurationWarnings += warnings.map { place($0) }
  }

  /// Returns the report without the faults, for a caller that has shown them already.
  public func withoutFaults() -> EvolutionReport {
    var report = self
    report.faults = ([], [])
    return report
  }

  /// Returns the report with some of its findings. The others count as silenced.
  public func filtered(_ isKept: (Finding) -> Bool) -> EvolutionReport {
    var report = self
    report.findings = findings.filter(isKept)
    report.silencedCount += findings.count - report.findings.count
    return report
  }

  /// Returns the report with some of the findings of programs. The others count as silenced.
  public func filteringOutsideFindings(_ isKept: (Diagnostic) -> Bool) -> EvolutionReport {
    var report = self
    report.outsideFindings = outsideFindings.filter(isKept)
    report.silencedCount += outsideFindings.count - report.outsideFindings.count
    return report
  }

  /// Returns the report as diagnostics, with the files that they are about: those of NEW, then those of OLD.
  /// - Parameter oldPath: Returns the path to show for a file of OLD.
  public func diagnostics(
    old: SchemaVersion, new: SchemaVersion, oldPath: (String) -> String = { $0 }
  ) -> (diagnostics: [Diagnostic], sources: SourceMap) {
    diagnostics(old: old.sources, new: new.sources, oldPath: oldPath)
  }

  /// Returns the report as diagnostics, with the files that they are about: those of NEW, those of OLD, then those of
  /// the configuration.
  /// - Parameters:
  ///   - oldPath: returns the path to show for a file of OLD.
  ///   - gonePath: returns the path to show for a file that NEW does not have and that a finding is about; `oldPath` if
  ///     nil.
  public func diagnostics(
    old: SourceMap, new: SourceMap, oldPath: (String) -> String = { $0 }, gonePath: ((String) -> String)? = nil
  ) -> (diagnostics: [Diagnostic], sources: SourceMap) {
    var sources = new
    let count = sources.files.count
    let gone = Set(findings.lazy.filter(\.isAboutGoneFile).map(\.oldRange.file))
    for file in old.files {
      let path = gone.contains(file.id) ? gonePath?(file.path) : nil
      _ = sources.add(path: path ?? oldPath(file.path), bytes: file.bytes)
    }
    func shifted(_ range: SourceRange, by count: Int) -> SourceRange {
      SourceRange(file: FileID(range.file.index + count), start: range.start, end: range.end)
    }
    func shifted(_ range: SourceRange) -> SourceRange { shifted(range, by: count) }
    let configurationStart = sources.files.count
    for file in configurationSources.files { _ = sources.add(path: file.path, bytes: file.bytes) }
    let diagnostics = findings.map { finding in
      var notes = [finding.harm] + finding.notes
      if let fix = finding.fix { notes.append(Self.text(of: fix)) }
      if finding.isAboutGoneFile {
        return Diagnostic(
          finding.rule.code, finding.severity, finding.message, at: shifted(finding.oldRange), advice: finding.advice,
          notes: ["the new version does not have this file"] + notes)
      }
      return Diagnostic(
        finding.rule.code, finding.severity, finding.message, at: finding.range, advice: finding.advice,
        labels: finding.labels + [.init(shifted(finding.oldRange), finding.oldText)], notes: notes,
        fixes: finding.fix.map { [Self.edits(of: $0)] } ?? [])
    }
    let oldFaults = faults.old.map { $0.relocated { shifted($0) } }
    let warnings = configurationWarnings.map { $0.relocated { shifted($0, by: configurationStart) } }
    let all = faults.new + diagnostics + outsideFindings + commentDiagnostics + oldFaults + warnings
    return (all.inOrder(), sources)
  }

  /// Returns the fix in a form that programs can apply. NEW's files come first, so that its range stays valid.
  private static func edits(of fix: Finding.FixIt) -> Diagnostic.Fix {
    .init(fix.title.prefix(1).uppercased() + fix.title.dropFirst(), [.init(fix.range, fix.replacement)])
  }

  private static func text(of fix: Finding.FixIt) -> String {
    if fix.replacement.isEmpty { return "fix: \(fix.title)" }
    // A line that is added begins or ends with what ends the others, and is shown without that.
    var text = fix.replacement.drop { $0.isWhitespace || $0 == "," }
    while text.last?.isWhitespace == true { text.removeLast() }
    return "fix: \(fix.title): `\(text)`"
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
