import FBSDiagnostics
import FBSSchema
import SchemaEvolution

/// Applies the configurations to the findings of a check: severities by the files that a finding is about, and findings that are let through.
final class FindingJudge {
  private let configurations: Configurations
  private let sources: (old: SourceMap, new: SourceMap)
  private var settings: [String: [String: EvolutionReport.Setting]] = [:]
  private var oldNames: [FileID: DeclaredNames] = [:]
  private var newNames: [FileID: DeclaredNames] = [:]

  init(_ configurations: Configurations, _ sources: (old: SourceMap, new: SourceMap)) {
    self.configurations = configurations
    self.sources = sources
  }

  /// The setting of a finding. Nil if nothing is set.
  func setting(of finding: Finding) -> EvolutionReport.Setting? {
    let oldPath = sources.old[finding.oldRange.file].path
    let path = finding.isAboutGoneFile ? oldPath : sources.new[finding.range.file].path
    if configurations.isVendored(path) { return .off }
    if isAllowed(finding, path, oldPath) { return .off }
    let own = settings[path] ?? configurations[path].checkSettings(for: path)
    settings[path] = own
    return own[finding.rule.id]
  }

  private func isAllowed(_ finding: Finding, _ path: String, _ oldPath: String) -> Bool {
    let candidates = configurations[path].allowances.filter { allowance in
      // A table is gone with the `root_type` of its file.
      (allowance.rule == finding.rule.id || finding.isAboutGoneFile && allowance.rule == "type-removed")
        && (allowance.paths.map { $0.contains(path) || $0.contains(oldPath) } ?? true)
    }
    guard !candidates.isEmpty else { return false }
    let names = names(of: finding)
    return candidates.contains { allowance in
      guard let name = allowance.name else { return true }
      // With its namespace, or without it.
      return names.contains { $0 == name || $0.hasSuffix("." + name) }
    }
  }

  /// The types and members of both versions that the finding is about.
  private func names(of finding: Finding) -> [String] {
    let old = oldNames[finding.oldRange.file] ?? DeclaredNames(sources.old[finding.oldRange.file])
    oldNames[finding.oldRange.file] = old
    var names = old.names(at: finding.oldRange)
    guard !finding.isAboutGoneFile else { return names }
    let new = newNames[finding.range.file] ?? DeclaredNames(sources.new[finding.range.file])
    newNames[finding.range.file] = new
    // A whole file, or the root that stands for a type that is gone, declares nothing of it.
    if finding.rule.id != "type-removed", finding.range.start < finding.range.end {
      names += new.names(at: finding.range)
    }
    return names
  }
}
