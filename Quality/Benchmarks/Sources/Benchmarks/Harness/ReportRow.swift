import Foundation

/// A row of the report: what a job took, beside what another took for the same work in the same run.
///
/// A row without another is judged by itself.
struct ReportRow: Codable {
  let section: Section
  let job: String
  /// The memory policy, where it matters.
  var memory: MemoryPolicy?
  let unit: Unit
  let ours: Spread
  /// Who else did the work, and what it took.
  var other: Other?
  /// The most that the ratio, or without another the median, may be.
  var reach: Double?
  /// The ratio of GRDB to the other.
  var grdb: Double?
  /// What the other takes without what the job does not need: its median, and its ratio to the other.
  var floor: Floor?
  /// Whether the figure depends on what a system call costs, so that it differs from machine to machine.
  var dependsOnSystemCalls = false
  /// What else is to be said, such as numbers of allocations.
  var note: String?

  enum Unit: String, Codable {
    case seconds, nanoseconds, lines, mebibytes, bytesPerByte

    func text(_ value: Double) -> String {
      switch self {
      case .seconds where value >= 10: String(format: "%.1f s", value)
      case .seconds: String(format: value < 0.001 ? "%.3f ms" : "%.1f ms", value * 1000)
      case .nanoseconds: String(format: value < 100 ? "%.1f ns" : "%.0f ns", value)
      case .lines: String(format: "%.0f lines", value)
      case .mebibytes: String(format: "%.1f MiB", value)
      case .bytesPerByte: String(format: "%.1f bytes per byte", value)
      }
    }
  }

  struct Other: Codable {
    let name: String
    let spread: Spread
    /// Of each round's pair, or of the medians if the rounds are no pairs.
    let ratio: Spread
  }

  struct Floor: Codable {
    let name: String
    let median: Double
    let ratio: Double
  }

  init(_ section: Section, _ job: String, _ unit: Unit, _ values: [Double]) {
    self.section = section
    self.job = job
    self.unit = unit
    ours = Spread(values)
  }

  /// A job, beside another who did the same in each round.
  init(_ section: Section, _ job: String, _ unit: Unit, _ values: [Double], besides name: String, _ others: [Double]) {
    self.init(section, job, unit, values)
    let ratios =
      values.count == others.count
      ? Spread(zip(values, others).map { $0 / $1 }) : Spread([ours.median / Spread(others).median])
    other = Other(name: name, spread: Spread(others), ratio: ratios)
  }

  /// What `reach` is compared with.
  var judged: Double { other?.ratio.median ?? ours.median }

  /// Whether the row is within 5 % of its reach, which is less than it varies from run to run; nil where nothing is to be reached.
  var isReached: Bool? { reach.map { judged <= $0 * 1.05 } }

  /// The row as a line of text, and another for its floor.
  var text: String {
    var line = "  " + job
    if let memory { line += ", \(memory.label)" }
    line += ": \(unit.text(ours.median))"
    if let other {
      line += ", \(other.name): \(unit.text(other.spread.median))"
      line += String(format: ", ratio %.2f (%.2f to %.2f)", other.ratio.median, other.ratio.lower, other.ratio.upper)
    }
    if let reach {
      line += other == nil ? ", at most \(unit.text(reach))" : String(format: ", at most %.2f", reach)
      if isReached == false { line += " MISSED" }
    }
    if let grdb { line += String(format: ", GRDB %.2f", grdb) }
    if let note { line += "; \(note)" }
    if let floor {
      line += "\n    \(floor.name): \(unit.text(floor.median))" + String(format: ", ratio %.2f", floor.ratio)
    }
    return line
  }
}
