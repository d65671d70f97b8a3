import FBSDiagnostics

// The comparison of documents with their earlier version. It comes after all other diagnostics, when no message waits.

extension LanguageServerSession {
  /// Forgets the findings of all comparisons, and has all open documents compared again: a type may have moved to any
  /// of them.
  /// - Parameter first: the identity of the document to compare first.
  mutating func compareAgain(first: String?) {
    evolutions = [:]
    publishing.comparing = []
    guard options.check != false else { return }
    let others = documents.documents.keys.filter { $0 != first }.sorted()
    publishing.comparing = (first.map { [$0] } ?? []) + others
  }

  /// Compares the next document with its earlier version, and tells the client if its diagnostics have changed.
  mutating func compareNext() {
    let identity = publishing.comparing.removeFirst()
    guard let document = documents[identity], !document.isTooLarge else { return }
    let found = evolution(of: document.path, identity: identity)
    if client.pullsDiagnostics {
      // Its last report had no findings: they were forgotten with the change before.
      if client.refreshesDiagnostics, !found.isEmpty { request("workspace/diagnostic/refresh", NoParams?.none) }
      return
    }
    publish(publishing.set(diagnostics(analysis(document.path, identity: identity), of: identity), of: identity))
  }

  /// Returns the findings in a document compared with its earlier version. Their ranges are in the document, the first
  /// file of its compilation. A document with errors has no findings.
  mutating func evolution(of path: String, identity: String) -> [Diagnostic] {
    if let known = evolutions[identity] { return known }
    guard options.check != false, path.hasPrefix("/"), documents[identity] != nil,
      analysis(path, identity: identity).compilation.isValid
    else { return [] }
    let answer = host.findings(
      about: path, in: folders, includePaths: includePaths, texts: documents.documents.mapValues(\.text.bytes))
    if let mistake = answer?.mistake, configurationMistakes.insert(mistake).inserted {
      notify("window/showMessage", ShowMessageParams(type: 2, message: "dflatc: \(mistake)"))
    }
    let found = answer?.diagnostics ?? []
    evolutions[identity] = found
    return found
  }
}
