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

  /// The most bytes that a program may write: far more than people read.
  private static let maximumOutput = 16 << 20

  /// Runs the program, and returns its findings in the order of their places. Prints the error and ends the command if
  /// the program fails.
  /// - Parameters:
  ///   - compilation: a valid schema.
  ///   - inputs: the files that findings may be about.
  ///   - old: the old version, if two versions are compared.
  func findings(
    in compilation: Compilation, inputs: Set<FileID>, old: Compilation? = nil, _ format: ReportFormat
  ) throws -> [Diagnostic] {
    let found: [OutsideFinding]
    do {
      found = try run(compilation.schema, inputs, old?.schema)
    } catch let failure as Failure {
      throw show(failure.message, format)
    }
    let files = compilation.sources.files.filter { inputs.contains($0.id) }
    let names = files.map { DeclaredNames($0) }
    var diagnostics: [Diagnostic] = []
    for finding in found {
      guard let setting = rules[finding.rule] else {
        let known = rules.keys.sorted().joined(separator: ", ")
        throw show("it reports `\(finding.rule)`, which is none of its \"rules\": \(known)", format)
      }
      guard let severity = setting else { continue }
      guard let file = files.first(where: { $0.id == finding.file }) ?? files.first else { continue }
      let range =
        names.lazy.compactMap { $0.range(of: finding.name) }.first
        ?? SourceRange(file: file.id, start: 0, end: 0)
      diagnostics.append(
        Diagnostic(
          DiagnosticCode(finding.rule, "a rule of \(name)"), severity, finding.message, at: range,
          advice: finding.advice))
    }
    return silenced(diagnostics, files).inSourceOrder()
  }

  /// Returns the findings that no comment lets through, and diagnostics about such comments.
  private func silenced(_ diagnostics: [Diagnostic], _ files: [SourceFile]) -> [Diagnostic] {
    let others = Set(EvolutionRule.all.map(\.id) + LintRule.all.map(\.id))
    var comments = AllowComments(files, rules: .init(own: Set(rules.keys), others: others))
    let left = diagnostics.filter { !comments.silences($0.code.id, at: $0.range) }
    return left
      + comments.unusedWarnings(note: "what it allowed is gone, or stands elsewhere") { rule, _ in
        rules[rule].map { $0 != nil } ?? false
      }
  }

  private struct Failure: Error {
    let message: String
  }

  private func run(_ schema: Schema, _ inputs: Set<FileID>, _ old: Schema?) throws -> [OutsideFinding] {
    do {
      let request = try PluginExchange.request(rules: schema, inputs: inputs, old: old, parameter: parameter)
      let child = ChildProcess(
        path: path.contains("/") ? path : "./" + path, arguments: [], timeout: timeout,
        maximumOutput: Self.maximumOutput)
      return try PluginExchange.findings(in: try child.run(input: request), of: schema)
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

extension Configurations {
  /// The ids of the rules of all programs, which comments may name.
  var programRules: Set<String> { Set(all.flatMap { $0.programs.flatMap(\.rules.keys) }) }

  /// Runs the programs of the inputs of a schema, each once for the files whose configuration names it.
  /// - Parameters:
  ///   - old: the old version, if two versions are compared.
  ///   - sources: the files in which the ranges of the findings are.
  func programFindings(
    in compilation: Compilation, old: Compilation? = nil, among sources: SourceMap, _ format: ReportFormat
  ) throws -> [Diagnostic] {
    guard all.contains(where: { !$0.programs.isEmpty }) else { return [] }
    var jobs: [(program: RuleProgram, files: Set<FileID>)] = []
    for file in compilation.schema.files where file.isInput && !isVendored(file.path) {
      for program in self[file.path].programs {
        if let index = jobs.firstIndex(where: { $0.program.path == program.path && $0.program.name == program.name }) {
          jobs[index].files.insert(file.id)
        } else {
          jobs.append((program, [file.id]))
        }
      }
    }
    let places = Dictionary(sources.files.map { ($0.path, $0.id) }) { first, _ in first }
    return try jobs.flatMap { program, files in
      try program.findings(in: compilation, inputs: files, old: old, format).map { diagnostic in
        diagnostic.relocated { range in
          let file = places[compilation.sources[range.file].path] ?? range.file
          return SourceRange(file: file, start: range.start, end: range.end)
        }
      }
    }
  }
}
