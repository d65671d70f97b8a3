import FBSDiagnostics

/// Withdraws fixes that lead from one mistake to the next: a person or program that applies a fix should be done with
/// the mistake. Each fix is applied to a copy of the text, which is compiled.
struct FixVerification<Provider: SourceProvider> {
  let inputs: [String]
  let includePaths: [String]
  let included: IncludedFiles
  let provider: Provider

  /// The most bytes of schemas that are compiled again, which takes some tenths of a second. The remaining fixes are
  /// kept unverified.
  private static var maximumBytes: Int { 4 << 20 }
  /// The most fixes that are tried, in case the files are small.
  private static var maximumFixes: Int { 200 }

  /// Returns the diagnostics of a compilation, without the fixes that leave their mistake or cause another one.
  func verify(_ diagnostics: [Diagnostic], in sources: SourceMap) -> [Diagnostic] {
    verify(diagnostics, among: diagnostics, in: sources)
  }

  /// Verifies the fixes of some of the diagnostics of a compilation.
  func verify(_ diagnostics: [Diagnostic], among all: [Diagnostic], in sources: SourceMap) -> [Diagnostic] {
    guard diagnostics.contains(where: { !$0.fixes.isEmpty }) else { return diagnostics }
    let before = counts(of: all)
    let size = max(1, sources.files.reduce(0) { $0 + $1.bytes.count })
    var fixesLeft = min(Self.maximumFixes, Self.maximumBytes / size)
    return diagnostics.map { diagnostic in
      let fixes = diagnostic.fixes.filter { fix in
        guard fixesLeft > 0 else { return true }
        fixesLeft -= 1
        return mends(fix, diagnostic, before, sources)
      }
      guard fixes.count < diagnostic.fixes.count else { return diagnostic }
      return diagnostic.with(fixes: fixes)
    }
  }

  /// A kind of mistake, wherever it stands.
  private struct Mistake: Hashable {
    let code: DiagnosticCode
    let message: String
  }

  private func counts(of diagnostics: [Diagnostic]) -> [Mistake: Int] {
    var counts: [Mistake: Int] = [:]
    for diagnostic in diagnostics {
      counts[Mistake(code: diagnostic.code, message: diagnostic.message), default: 0] += 1
    }
    return counts
  }

  private func mends(
    _ fix: Diagnostic.Fix, _ diagnostic: Diagnostic, _ before: [Mistake: Int], _ sources: SourceMap
  ) -> Bool {
    guard let file = fix.edits.first?.range.file else { return false }
    var bytes = sources[file].bytes
    for edit in fix.edits.sorted(by: { $0.range.start > $1.range.start }) {
      bytes.replaceSubrange(edit.range.start..<edit.range.end, with: Array(edit.replacement.utf8))
    }
    var texts: [String: SourceText] = [:]
    for source in sources.files {
      texts[provider.identity(of: source.path)] = SourceText(
        bytes: source.id == file ? bytes : source.bytes, isOfBinarySchema: source.isOfBinarySchema)
    }
    let changed = KnownFiles(provider: provider, texts: texts)
    let (compilation, _) = SchemaCompiler.run(
      inputs: inputs, includePaths: includePaths, included: included, provider: changed)
    let after = counts(of: compilation.diagnostics)
    let mistake = Mistake(code: diagnostic.code, message: diagnostic.message)
    guard after[mistake, default: 0] < before[mistake, default: 0] else { return false }
    return compilation.diagnostics.allSatisfy { diagnostic in
      let mistake = Mistake(code: diagnostic.code, message: diagnostic.message)
      return diagnostic.severity != .error || after[mistake, default: 0] <= before[mistake, default: 0]
    }
  }
}

/// The files of a provider, some of which have been read.
private struct KnownFiles<Provider: SourceProvider>: SourceProvider {
  let provider: Provider
  /// The texts that replace or cache files, by the identity of the file.
  let texts: [String: SourceText]

  func read(_ path: String) throws(SourceReadError) -> [UInt8] { try readText(path).bytes }

  func readText(_ path: String) throws(SourceReadError) -> SourceText {
    if let text = texts[provider.identity(of: path)] { return text }
    return try provider.readText(path)
  }

  func identity(of path: String) -> String { provider.identity(of: path) }

  func includePaths(of path: String) -> [String] { provider.includePaths(of: path) }
}
