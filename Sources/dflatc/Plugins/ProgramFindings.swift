import FBSDiagnostics
import FBSParser
import FBSSchema
import SchemaEvolution

/// Applies the configurations to the findings of programs: severities for some paths, and findings that `allow` lets through.
struct ProgramJudge {
  let configurations: Configurations

  /// Returns the severity of a rule in a file. Nil if it is off there.
  /// - Parameter settings: The rules' settings in the program's entry. A setting in the file's configuration precedes
  ///   them.
  func severity(of rule: String, for path: String, otherwise settings: [String: RuleProgram.Setting]) -> Severity? {
    switch configurations[path].checkSettings(for: path)[rule] {
    case .severity(let severity): severity
    case .off: nil
    case nil: settings[rule] ?? nil
    }
  }

  /// Returns whether an entry of `allow` lets a finding of a rule through.
  /// - Parameter names: The type and member that it is about, with namespaces.
  func allows(_ rule: String, in path: String, names: [String]) -> Bool {
    configurations[path].allowances.contains { allowance in
      allowance.rule == rule && (allowance.paths?.contains(path) ?? true) && allowance.isAbout(names)
    }
  }
}

extension Configurations {
  /// The ids of the rules of all programs, which comments may name.
  var programRules: Set<String> { Set(all.flatMap { $0.programs.flatMap(\.rules.keys) }) }

  /// Runs the programs of the inputs of schemas, each once for the files of a schema whose configurations name it with the same settings.
  /// - Parameters:
  ///   - modules: Valid schemas, each with its old version if two are compared. A file of several is asked about in the first.
  ///   - sources: The files among which the findings are to have their places.
  func programFindings(
    in modules: [(schema: Compilation, old: Compilation?)], among sources: SourceMap, _ format: ReportFormat
  ) throws -> [Diagnostic] {
    guard all.contains(where: { !$0.programs.isEmpty }) else { return [] }
    let places = Dictionary(sources.files.map { ($0.path, $0.id) }) { first, _ in first }
    let judge = ProgramJudge(configurations: self)
    var known: Set<String> = []
    var findings: [Diagnostic] = []
    for (compilation, old) in modules {
      let inputs = compilation.schema.files.filter { $0.isInput && known.insert($0.path).inserted }
      for (program, files) in jobs(for: inputs) {
        findings += try program.findings(in: compilation, inputs: files, old: old, judge, format).map { diagnostic in
          diagnostic.relocated { range in
            let file = places[compilation.sources[range.file].path] ?? range.file
            return SourceRange(file: file, start: range.start, end: range.end)
          }
        }
      }
    }
    return findings
  }

  /// Returns the programs of files, each with the files whose configurations name it with the same settings.
  private func jobs(for inputs: [SchemaFile]) -> [(program: RuleProgram, files: Set<FileID>)] {
    var jobs: [(program: RuleProgram, files: Set<FileID>)] = []
    var indices: [RuleProgram.Settings: Int] = [:]
    for file in inputs where !isVendored(file.path) {
      for program in self[file.path].programs {
        if let index = indices[program.settings] {
          jobs[index].files.insert(file.id)
        } else {
          indices[program.settings] = jobs.count
          jobs.append((program, [file.id]))
        }
      }
    }
    return jobs
  }
}
