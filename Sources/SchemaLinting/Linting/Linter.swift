import FBSDiagnostics
import FBSParser
import FBSSchema

/// Finds violations of the rules of naming and style in schemas.
///
///     let report = Linter().lint(SchemaModules(inputs: ["post.fbs"], provider: files))
///     for finding in report.findings { ... }
public struct Linter: Sendable {
  /// The ids of rules of other tools, which comments may name.
  public var otherRules: Set<String> = []
  /// A team's settings of the rules.
  public var configuration: LintConfiguration
  /// The settings of files that have a configuration of their own, by the files' paths. `configuration` holds for the
  /// others.
  public var configurations: [String: LintConfiguration] = [:]

  /// Creates a linter.
  public init(_ configuration: LintConfiguration = LintConfiguration()) {
    self.configuration = configuration
  }

  /// Lints the inputs of a run, module by module. Included files that are no inputs are not linted.
  ///
  /// A module with errors has no findings: the errors have to be fixed first. The time is linear in the size of the
  /// files.
  public func lint(_ schemas: SchemaModules) -> LintReport {
    var join = SourceJoin()
    // All files are added first: their order is that of the report.
    _ = join.add(schemas.whole.sources)
    var report = LintReport()
    for module in schemas.modules {
      let place = join.add(module.sources)
      guard module.isValid else {
        report.faults += module.diagnostics.filter { $0.severity == .error }.map { place($0) }
        continue
      }
      lint(module, place, into: &report)
    }
    report.sources = join.sources
    report.findings = report.findings.inSourceOrder()
    report.commentDiagnostics = report.commentDiagnostics.inSourceOrder()
    report.faults = report.faults.inSourceOrder()
    return report
  }

  /// Lints the result of an `IncrementalCompiler`, without parsing it again. The report is that of one module.
  public func lint(_ result: IncrementalCompiler.Result) -> LintReport {
    var report = LintReport()
    report.sources = result.compilation.sources
    if result.compilation.isValid {
      let collector = collect(LintSubject(result.compilation, configuration(of:), trees: result.trees))
      report.findings = collector.findings.elements.inSourceOrder()
      report.commentDiagnostics = collector.commentDiagnostics().inSourceOrder()
      report.silencedCount = collector.silencedCount
    } else {
      report.faults = result.compilation.diagnostics.filter { $0.severity == .error }.inSourceOrder()
    }
    return report
  }

  private func lint(_ module: Compilation, _ place: FileRelocation, into report: inout LintReport) {
    let collector = collect(LintSubject(module, configuration(of:)))
    report.findings += collector.findings.elements.map { place($0) }
    report.commentDiagnostics += collector.commentDiagnostics().map { place($0) }
    report.silencedCount += collector.silencedCount
  }

  private func configuration(of path: String) -> LintConfiguration { configurations[path] ?? configuration }

  private func collect(_ subject: LintSubject) -> LintCollector {
    var collector = LintCollector(subject, otherRules: otherRules)
    for rule in LintRule.all where collector.isOn(rule) {
      collector.rule = rule
      rule.check(subject, &collector)
    }
    return collector
  }
}

/// The result of a run of `Linter`.
public struct LintReport: Sendable {
  /// The findings, by file and position. The code of each is the id of its rule.
  public internal(set) var findings: [Diagnostic] = []
  /// The diagnostics about comments that silence findings.
  public internal(set) var commentDiagnostics: [Diagnostic] = []
  /// The errors of schemas that could not be linted.
  public internal(set) var faults: [Diagnostic] = []
  /// The findings of programs with a team's own rules.
  public private(set) var outsideFindings: [Diagnostic] = []
  /// How many findings comments silenced.
  public internal(set) var silencedCount = 0
  /// The files to which all ranges refer.
  public internal(set) var sources = SourceMap()

  /// All diagnostics, by file and place.
  public var diagnostics: [Diagnostic] {
    (findings + outsideFindings + commentDiagnostics + faults).inSourceOrder()
  }

  /// Adds the findings of a program, by places in the files of the report.
  public mutating func add(outside findings: [Diagnostic]) { outsideFindings += findings }

  /// Returns the report with some of its findings. The others count as silenced.
  public func filtered(_ isKept: (Diagnostic) -> Bool) -> LintReport {
    var report = self
    report.findings = findings.filter(isKept)
    report.silencedCount += findings.count - report.findings.count
    return report
  }

  /// Returns the report with some of the findings of programs. The others count as silenced.
  public func filteringOutsideFindings(_ isKept: (Diagnostic) -> Bool) -> LintReport {
    var report = self
    report.outsideFindings = outsideFindings.filter(isKept)
    report.silencedCount += outsideFindings.count - report.outsideFindings.count
    return report
  }

  /// Whether there are no diagnostics except notes.
  public var isClean: Bool { diagnostics.allSatisfy { $0.severity == .note } }
}
