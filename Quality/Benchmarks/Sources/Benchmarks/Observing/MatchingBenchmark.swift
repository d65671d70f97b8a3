@_spi(Benchmarks) import Dflat
import FlatBuffersCore
import Foundation
import WireFormatCPlusPlus

/// How long it takes to find the standing queries that match a row, with more and more of them; beside the evaluation of
/// each.
struct MatchingBenchmark {
  private let rounds: Int
  /// The file to draw the figures in; nil for none.
  private let svg: String?
  private let reporter: Reporter
  /// How many queries there are.
  private let counts: [Int]

  private static let smallCounts = [1, 2, 4, 8, 9, 16, 32, 33, 64]

  private typealias Lookup = (FlatBufferTable, inout ContiguousArray<Int32>) -> Void

  /// What is measured of one job with one number of queries.
  private struct Figure {
    /// Of one lookup.
    var nanoseconds = Double.infinity
    /// Of one row, on the average.
    var matches = 0.0
    /// Of one lookup; nil where nobody counts.
    var allocations: Double?
  }

  init(_ measurement: Measurement) {
    rounds = measurement.rounds
    svg = measurement.svg
    reporter = measurement.reporter
    counts = [100, 1_000, 10_000] + (measurement.extent == .full ? [100_000] : [])
  }

  func run() throws {
    reporter.print("matching a row with standing queries: ns per lookup, and the ratio to \(counts[0]) queries")
    reporter.print(
      "  " + column("predicates, rows", 46) + counts.map { column("\($0)", 16) }.joined() + "matches, allocations")
    var plot = LogLogPlot(Plot.matching)
    for job in MatchingJob.all {
      let lookups = counts.map { (IndexedPredicates(job.predicates($0)).appendMatches, job.rows($0)) }
      try report(job.name, measure(lookups), in: &plot)
    }
    let job = MatchingJob.mixed
    // Few rows of many queries: it takes long enough.
    let lookups = counts.map { count in
      (EvaluatedPredicates(job.predicates(count)).appendMatches, job.rows(count, atMost: max(8, 100_000 / count)))
    }
    try report("\(job.name), each evaluated", measure(lookups), in: &plot, isDashed: true)
    reportSmallSets()
    reportChanges()
    if let svg {
      try Data(plot.svg.utf8).write(to: URL(fileURLWithPath: svg))
      reporter.print("  drawn in \(svg)")
    }
  }

  // MARK: Measuring

  /// Measures lookups, each with the rows beside it, in turn, so that all of them have their share of what else the
  /// machine does.
  private func measure(_ lookups: [(lookup: Lookup, rows: [FlatBufferTable])]) -> [Figure] {
    var ids: ContiguousArray<Int32> = []
    var passes: [Int] = []
    var figures = lookups.map { lookup, rows in
      // Once for the caches, and for the room in `ids`.
      let (duration, matches) = time(lookup, rows, 1, &ids)
      let allocations = allocation_count()
      _ = time(lookup, rows, 1, &ids)
      let allocated = allocation_count() - allocations
      // About a millisecond, in which the machine has mostly nothing else to do.
      passes.append(max(1, min(50, Int(0.001 / max(duration, 1e-9)))))
      return Figure(
        matches: Double(matches) / Double(rows.count),
        allocations: allocations < 0 ? nil : Double(allocated) / Double(rows.count))
    }
    for _ in 0..<rounds * 6 {
      for (number, (lookup, rows)) in lookups.enumerated() {
        let nanoseconds = time(lookup, rows, passes[number], &ids).seconds / Double(passes[number] * rows.count) * 1e9
        // The fastest round: so short a job is only ever slowed down by what else the machine does.
        figures[number].nanoseconds = min(figures[number].nanoseconds, nanoseconds)
      }
    }
    return figures
  }

  @inline(never)
  private func time(
    _ lookup: Lookup, _ rows: [FlatBufferTable], _ passes: Int, _ ids: inout ContiguousArray<Int32>
  ) -> (seconds: Double, matches: Int) {
    var matches = 0
    let start = ContinuousClock.now
    for _ in 0..<passes {
      for row in rows {
        lookup(row, &ids)
        if !ids.isEmpty {
          matches += ids.count
          ids.removeAll(keepingCapacity: true)
        }
      }
    }
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return (Double(seconds) + Double(attoseconds) * 1e-18, matches)
  }

  // MARK: Reporting

  private func report(_ name: String, _ figures: [Figure], in plot: inout LogLogPlot, isDashed: Bool = false) throws {
    let cells = figures.map { figure in
      column("\(number(figure.nanoseconds)) (\(decimals(figure.nanoseconds / figures[0].nanoseconds)))", 16)
    }
    let last = figures.last ?? Figure()
    let allocations = last.allocations.map { decimals($0) } ?? "?"
    reporter.print("  " + column(name, 46) + cells.joined() + "\(decimals(last.matches)), \(allocations)")
    let points = zip(counts, figures).map { (x: Double($0), y: $1.nanoseconds) }
    plot.add(name, points, isDashed: isDashed)
    try reporter.add(.matching, name, points, isDashed: isDashed)
  }

  /// Up to 8 values and 32 ranges of a field are searched from the first to the last.
  private func reportSmallSets() {
    reporter.print("  few queries: ns per lookup, and the ratio to evaluating each")
    reporter.print("  " + column("", 46) + Self.smallCounts.map { column("\($0)", 13) }.joined())
    for job in [MatchingJob.numbers, .texts, .ranges, .mixed] {
      let indexed = Self.smallCounts.map { (IndexedPredicates(job.predicates($0)).appendMatches, job.rows($0)) }
      let evaluated = Self.smallCounts.map { (EvaluatedPredicates(job.predicates($0)).appendMatches, job.rows($0)) }
      let figures = measure(indexed + evaluated)
      let cells = zip(figures, figures[Self.smallCounts.count...]).map { indexed, evaluated in
        column("\(number(indexed.nanoseconds)) (\(decimals(indexed.nanoseconds / evaluated.nanoseconds)))", 13)
      }
      reporter.print("  " + column(job.name, 46) + cells.joined())
    }
  }

  private func reportChanges() {
    let count = counts.last ?? 0
    for job in [MatchingJob.numbers, .ranges, .mixed] {
      let predicates = job.predicates(count)
      var timings = Timings(.matching)
      for _ in 0..<max(1, rounds / 2) {
        let index = timings.measure("insert") { IndexedPredicates(predicates) }
        timings.measure("remove") { for id in 0..<count { index.remove(id) } }
      }
      let insertion = timings.median("insert") / Double(count) * 1e9
      let removal = timings.median("remove") / Double(count) * 1e9
      reporter.print(
        "  \(job.name), \(count) one by one: inserted in \(number(insertion)) ns, removed in \(number(removal)) ns each"
      )
    }
  }

  private func column(_ text: String, _ width: Int) -> String {
    text.padding(toLength: max(width, text.count + 1), withPad: " ", startingAt: 0)
  }

  private func number(_ value: Double) -> String { String(format: value < 100 ? "%.1f" : "%.0f", value) }
  private func decimals(_ value: Double) -> String { String(format: "%.2f", value) }
}
