import FBSDiagnostics

// The comparison of documents with their earlier version. It comes after all other diagnostics, when no message waits,
// and should wait until the client is quiet; see `hasOnlyComparisons`.

extension LanguageServerSession {
  /// Forgets the findings of all comparisons, and has all open documents compared again: a type may have moved to any
  /// of them.
  /// - Parameter first: the URI of the document to compare first.
  mutating func compareAgain(first: String?) {
    evolutions = [:]
    publishing.comparing = []
    guard options.check != false else { return }
    let others = documents.documents.keys.filter { $0 != first }.sorted()
    publishing.comparing = (first.map { [$0] } ?? []) + others
  }

  /// Compares the next document with its earlier version, and tells the client if its diagnostics have changed.
  mutating func compareNext() {
    let uri = publishing.comparing.removeFirst()
    guard let document = documents[uri], !document.isTooLarge else { return }
    let found = evolution(of: document)
    if client.pullsDiagnostics {
      // The last report lacks the findings of a document that was changed: they were forgotten. That of any other
      // document may have findings which the change of this one has ended.
      if client.refreshesDiagnostics, !found.isEmpty || publishing.pulledWithFindings.contains(uri) {
        request("workspace/diagnostic/refresh", NoParams?.none)
      }
      // Once is enough: a client may pull a document only when it shows it, and would be asked with each change before.
      if found.isEmpty { publishing.setPulled(withFindings: false, of: uri) }
      return
    }
    publish(publishing.set(diagnostics(analysis(document.path, of: document), of: document), of: uri))
  }

  /// Returns the findings in a document compared with its earlier version. Their ranges are in the document, the first
  /// file of its compilation. A document with errors has no findings.
  mutating func evolution(of document: OpenDocument) -> [Diagnostic] {
    if let known = evolutions[document.uri] { return known }
    guard options.check != false, document.path.hasPrefix("/"),
      analysis(document.path, of: document).compilation.isValid
    else { return [] }
    let answer = host.findings(
      about: document.path, in: folders, includePaths: includePaths, texts: texts(for: document))
    if let mistake = comparisonMistakes.update(answer?.mistake, of: document.uri) {
      notify("window/showMessage", ShowMessageParams(type: 2, message: "dflatc: \(mistake)"))
    }
    let found = answer?.diagnostics ?? []
    evolutions[document.uri] = found
    return found
  }
}
