/// The diagnostics of a run. Of each code it keeps the first 10,000, and of each file at least the first: a program that writes
/// schemas may repeat one mistake a million times, and a diagnostic takes several hundred bytes.
package struct DiagnosticList {
  /// How many diagnostics of one code are kept: more than a person reads, and few enough to take some megabytes.
  package static let maximumOfOneCode = 10_000

  /// The number of diagnostics that were appended, kept or not.
  package private(set) var count = 0
  private var kept: [Diagnostic] = []
  private var tallies: [DiagnosticCode: Tally] = [:]

  /// Creates an empty list.
  package init() {}

  private struct Tally {
    var kept = 0
    var omitted = 0
    /// The index in `kept` of the last diagnostic with the code.
    var last = 0
    var files: Set<FileID> = []
  }

  /// The diagnostics in the order in which they came. The last of each code says how many more there are.
  package var elements: [Diagnostic] {
    var elements = kept
    for tally in tallies.values where tally.omitted > 0 {
      elements[tally.last] = elements[tally.last].followed(byOmitted: tally.omitted)
    }
    return elements
  }

  package mutating func append(_ diagnostic: Diagnostic) {
    count += 1
    var tally = tallies[diagnostic.code] ?? Tally()
    // Released first, or the set would be copied.
    tallies[diagnostic.code] = nil
    if tally.files.insert(diagnostic.range.file).inserted || tally.kept < Self.maximumOfOneCode {
      tally.kept += 1
      tally.last = kept.count
      kept.append(diagnostic)
    } else {
      tally.omitted += 1
    }
    tallies[diagnostic.code] = tally
  }

  package mutating func append(contentsOf diagnostics: some Sequence<Diagnostic>) {
    for diagnostic in diagnostics { append(diagnostic) }
  }
}
