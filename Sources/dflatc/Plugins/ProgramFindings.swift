import FBSDiagnostics
import FBSParser
import FBSSchema

extension Configurations {
  /// The ids of the rules of all programs, which comments may name.
  var programRules: Set<String> { Set(all.flatMap { $0.programs.flatMap(\.rules.keys) }) }

  /// Runs the programs of the inputs of a schema, each once for the files whose configurations name it with the same settings.
  /// - Parameters:
  ///   - old: The old version, if two are compared.
  ///   - sources: The files among which the findings are to have their places.
  func programFindings(
    in compilation: Compilation, old: Compilation? = nil, among sources: SourceMap, _ format: ReportFormat
  ) throws -> [Diagnostic] {
    guard all.contains(where: { !$0.programs.isEmpty }) else { return [] }
    var jobs: [(program: RuleProgram, files: Set<FileID>)] = []
    var indices: [RuleProgram.Settings: Int] = [:]
    for file in compilation.schema.files where file.isInput && !isVendored(file.path) {
      for program in self[file.path].programs {
        if let index = indices[program.settings] {
          jobs[index].files.insert(file.id)
        } else {
          indices[program.settings] = jobs.count
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
