import FBSDiagnostics
import FBSParser

extension FindingBaseline.Owner {
  /// Returns the baseline's entries for the findings of programs that this command has run. Diagnostics about unused
  /// comments are no findings.
  func entries(ofPrograms findings: [Diagnostic], in sources: SourceMap) -> [FindingBaseline.Entry] {
    findings.filter { $0.code != AllowComments.unused }.map { entry(ofProgram: $0, in: sources) }
  }

  fileprivate func entry(ofProgram finding: Diagnostic, in sources: SourceMap) -> FindingBaseline.Entry {
    FindingBaseline.Entry(
      rule: finding.code.id, path: sources[finding.range.file].path, message: finding.message, task: task)
  }
}

extension FindingBaseline {
  /// Lets a finding of a program through if it is one of the baseline.
  /// - Returns: Whether it is let through.
  mutating func take(_ finding: Diagnostic, ofProgramIn sources: SourceMap) -> Bool {
    take(owner.entry(ofProgram: finding, in: sources))
  }
}
