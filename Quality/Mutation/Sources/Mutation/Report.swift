/// What the tests have said of all mutants.
struct Report {
  let seed: Int
  let verdicts: [(mutant: Mutant, verdict: TestSuites.Verdict)]
  let explanations: Explanations

  private func count(_ matches: (TestSuites.Verdict) -> Bool) -> Int { verdicts.count { matches($0.verdict) } }

  private static func isNoticed(_ verdict: TestSuites.Verdict) -> Bool {
    if case .noticed = verdict { true } else { false }
  }

  /// Those that no test has noticed, and nobody has explained.
  var open: [(mutant: Mutant, verdict: TestSuites.Verdict)] {
    verdicts.filter { !Self.isNoticed($0.verdict) && !explanations.explains($0.mutant) }
  }

  var summary: String {
    let noticed = count(Self.isNoticed)
    let unreached = count { $0 == .unreached }
    let explained = verdicts.count { !Self.isNoticed($0.verdict) && explanations.explains($0.mutant) }
    return """
      \(verdicts.count) mutants from seed \(seed): \(noticed) noticed, \(verdicts.count - noticed) not; of these, \
      \(unreached) reached by no test, and \(explained) explained.
      """
  }

  /// A table of the kinds.
  var table: String {
    var lines = ["| what was wrong | mutants | noticed |", "|---|---:|---:|"]
    for kind in Mutant.Kind.allCases {
      let all = verdicts.filter { $0.mutant.kind == kind }
      if all.isEmpty { continue }
      lines.append("| \(kind.rawValue) | \(all.count) | \(all.count { Self.isNoticed($0.verdict) }) |")
    }
    return lines.joined(separator: "\n")
  }

  static func line(_ mutant: Mutant, _ verdict: TestSuites.Verdict) -> String {
    let words =
      switch verdict {
      case .noticed(let test): "noticed by \(test)"
      case .survived(let suites, let seconds): "SURVIVES \(suites) suites, \(Int(seconds.rounded())) s"
      case .unreached: "SURVIVES: no test reaches it"
      }
    return "\(mutant.place): \(mutant.kind.rawValue), \(mutant.change): \(words)\n    \(mutant.text)"
  }
}
