import Emitters
import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation
import SchemaEvolution
import SchemaLinting

/// A program with a team's own rules, as a configuration names it: see Documentation/plugin.fbs.
struct RuleProgram: Sendable {
  /// The severity of a rule; nil if the rule is off.
  typealias Setting = Severity?

  let name: String
  /// The path of the executable file.
  let path: String
  /// The text that is passed to the program.
  let parameter: String
  /// The time limit in seconds.
  let timeout: Int
  /// The settings of the program's rules, by their ids.
  let rules: [String: Setting]
  /// The configuration that names the program, as the only file of the map. `place` is the range there.
  let sources: SourceMap
  let place: SourceRange

  /// The settings that the program is run with. Entries whose settings differ are separate programs.
  struct Settings: Hashable {
    let name: String
    let path: String
    let parameter: String
    let timeout: Int
    let rules: [String: Setting]
  }

  var settings: Settings {
    Settings(name: name, path: path, parameter: parameter, timeout: timeout, rules: rules)
  }

  /// The most bytes that a program may write to its standard output: far more than people read.
  private static let maximumOutput = 16 << 20

  /// Runs the program, and returns its findings in the order of their places. Prints the error and ends the command if
  /// the program fails.
  /// - Parameters:
  ///   - compilation: A valid schema.
  ///   - inputs: The files that findings may be about.
  ///   - old: The old version, if two are compared.
  ///   - judge: The settings of the files.
  func findings(
    in compilation: Compilation, inputs: Set<FileID>, old: Compilation?, _ judge: ProgramJudge, _ format: ReportFormat
  ) throws -> [Diagnostic] {
    let answer: OutsideAnswer
    do {
      answer = try run(compilation.schema, inputs, old?.schema)
    } catch let failure as Failure {
      throw show(failure.message, format)
    }
    var places = FindingPlaces(in: compilation, inputs: inputs)
    var diagnostics: [Diagnostic] = []
    for finding in answer.findings {
      guard let range = places.range(of: finding) else { continue }
      guard rules.keys.contains(finding.rule) else {
        let known = rules.keys.sorted().joined(separator: ", ")
        throw show("it reports `\(finding.rule)`, which is none of its \"rules\": \(known)", format)
      }
      let path = compilation.sources[range.file].path
      guard let severity = judge.severity(of: finding.rule, for: path, otherwise: rules) else { continue }
      diagnostics.append(
        Diagnostic(
          DiagnosticCode(finding.rule, "a rule of \(name)"), severity, finding.message, at: range,
          advice: finding.advice))
    }
    let (left, unused) = silenced(diagnostics, places.files) { rule, path in
      answer.checkedRules.contains(rule) && judge.severity(of: rule, for: path, otherwise: rules) != nil
    }
    let reported = left.filter {
      !judge.allows($0.code.id, in: compilation.sources[$0.range.file].path, names: places.names(at: $0.range))
    }
    return (reported + unused).inSourceOrder()
  }

  /// Returns the findings that no comment lets through, and a warning for each comment that lets none through.
  /// - Parameter isJudged: Whether the comments of a rule are judged in a file. Other rules may find something in another task.
  private func silenced(
    _ diagnostics: [Diagnostic], _ files: [SourceFile], isJudged: (_ rule: String, _ path: String) -> Bool
  ) -> (left: [Diagnostic], unused: [Diagnostic]) {
    let others = Set(EvolutionRule.all.map(\.id) + LintRule.all.map(\.id))
    var comments = AllowComments(files, rules: .init(own: Set(rules.keys), others: others))
    let left = diagnostics.filter { !comments.silences($0.code.id, at: $0.range) }
    let paths = Dictionary(uniqueKeysWithValues: files.map { ($0.id, $0.path) })
    let unused = comments.unusedWarnings(note: "what it allowed is gone, or stands elsewhere") { rule, file in
      paths[file].map { isJudged(rule, $0) } ?? false
    }
    return (left, unused)
  }

  private struct Failure: Error {
    let message: String
  }

  private func run(_ schema: Schema, _ inputs: Set<FileID>, _ old: Schema?) throws -> OutsideAnswer {
    do {
      let request = try PluginExchange.request(rules: schema, inputs: inputs, old: old, parameter: parameter)
      let child = ChildProcess(
        path: path.contains("/") ? path : "./" + path, arguments: [], timeout: timeout,
        maximumOutput: Self.maximumOutput)
      return try PluginExchange.answer(try child.run(input: request), about: schema)
    } catch let failure as ChildProcess.Failure {
      throw Failure(message: failure.reason(path, option: "\"timeout\""))
    } catch let error as PluginExchange.ResponseError {
      switch error {
      case .refused(let message), .invalid(let message): throw Failure(message: message)
      }
    } catch let error as EmissionError {
      throw Failure(message: error.reason)
    }
  }

  private func show(_ message: String, _ format: ReportFormat) -> any Error {
    format.show(
      [
        Diagnostic(
          OptionsCode.failedProgram, .error, "the rules of `\(name)` cannot be told: \(message)", at: place,
          advice: "this program")
      ], in: sources, all: true)
    return ExitStatus.inputOutput.exitCode
  }
}
