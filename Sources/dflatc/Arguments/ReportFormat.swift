import ArgumentParser
import Emitters
import FBSDiagnostics
import FBSParser
import FBSSchema
import ProtobufImport
import StoreInspection

/// A format in which `--format` shows diagnostics.
enum ReportFormat: String, CaseIterable, ExpressibleByArgument {
  case text, line, json, sarif, github, gitlab, junit

  /// The part of `--help` about the formats for programs. It follows the part about the format for people.
  static let programsHelp = """
    line (path:line:column: error: ...), json, sarif (2.1.0), github (workflow commands), gitlab (code quality) or junit \
    (XML) on standard output, for programs.
    """

  /// Shows diagnostics: as text to people on standard error, in the other formats to programs on standard output.
  ///
  /// Programs get a report even if there are no diagnostics.
  ///
  /// - Parameters:
  ///   - all: whether the text shows all diagnostics. Otherwise it shows the first of each code, and the number of the
  ///     others.
  ///   - explanations: the explanations of the codes, for programs.
  func show(
    _ diagnostics: [Diagnostic], in sources: SourceMap, all: Bool, explanations: [Explanation] = Explanation.all
  ) {
    let diagnostics = diagnostics.inSourceOrder()
    guard self != .text else {
      if !diagnostics.isEmpty { ReportFormat.showText(diagnostics, in: sources, all: all) }
      return
    }
    showToPrograms(diagnostics, in: sources, explanations: explanations)
  }

  /// Writes diagnostics to standard output, in the order given.
  func showToPrograms(_ diagnostics: [Diagnostic], in sources: SourceMap, explanations: [Explanation]) {
    let sources = sources.withPlainPaths()
    switch self {
    case .text: break  // It is for people.
    case .line: Terminal.writeText(LineReporter().report(diagnostics, in: sources))
    case .json: Terminal.write(JSONReporter().report(diagnostics, in: sources))
    case .sarif:
      let reporter = SARIFReporter(toolVersion: CompilerVersion.current, explanations: explanations)
      Terminal.write(reporter.report(diagnostics, in: sources))
    case .github: Terminal.write(GitHubReporter().report(diagnostics, in: sources))
    case .gitlab: Terminal.write(GitLabReporter().report(diagnostics, in: sources))
    case .junit: Terminal.write(JUnitReporter().report(diagnostics, in: sources))
    }
  }
}

extension ReportFormat {
  /// The number of diagnostics of one code that the text shows.
  static let shownOfOneKind = 20

  /// Shows diagnostics to people, in the order given.
  static func showText(_ diagnostics: [Diagnostic], in sources: SourceMap, all: Bool) {
    let (shown, rest) = all ? (diagnostics, []) : firstOfEachKind(diagnostics)
    let text = DiagnosticRenderer(usesColor: Terminal.isColored).render(shown, in: sources)
    Terminal.printRendered(rest.isEmpty ? text : text + "\n" + rest.joined(separator: "\n"))
  }

  /// Returns the first diagnostics of each code, and a line for each code that has more.
  private static func firstOfEachKind(_ diagnostics: [Diagnostic]) -> (shown: [Diagnostic], rest: [String]) {
    var counts: [DiagnosticCode: Int] = [:]
    var codes: [DiagnosticCode] = []
    var omitted: [DiagnosticCode: Int] = [:]
    let shown = diagnostics.filter { diagnostic in
      counts[diagnostic.code, default: 0] += 1
      omitted[diagnostic.code, default: 0] += diagnostic.omittedCount
      let count = counts[diagnostic.code] ?? 0
      if count == shownOfOneKind + 1 { codes.append(diagnostic.code) }
      return count <= shownOfOneKind
    }
    let rest = codes.map { code in
      let (listed, omitted) = (counts[code] ?? 0, omitted[code] ?? 0)
      return "... and \(listed + omitted - shownOfOneKind) more of \(code.id), \(code.title); "
        + (omitted == 0 ? "--all shows them" : "--all shows the first \(listed)")
    }
    return (shown, rest)
  }
}

extension Explanation {
  /// The explanations of all codes, in the order of the codes.
  static let all = parser + schema + emitters + options + inspection + protobuf
}
