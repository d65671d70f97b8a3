import Foundation

/// Seconds that jobs took, by name, in the order of the rounds.
struct Timings {
  private let section: Section
  /// The memory policy that the jobs depend on.
  private let memory: MemoryPolicy?
  private var seconds: [String: [Double]] = [:]

  init(_ section: Section, _ memory: MemoryPolicy? = nil) {
    self.section = section
    self.memory = memory
  }

  /// Runs and times `body`.
  mutating func measure<T>(_ name: String, _ body: () throws -> T) rethrows -> T {
    let start = ContinuousClock.now
    let result = try body()
    record(name, ContinuousClock.now - start)
    return result
  }

  /// Runs and times `body`.
  mutating func measure<T>(_ name: String, _ body: () async throws -> T) async rethrows -> T {
    let start = ContinuousClock.now
    let result = try await body()
    record(name, ContinuousClock.now - start)
    return result
  }

  mutating func record(_ name: String, _ duration: Duration) { record(name, seconds: duration / .seconds(1)) }

  mutating func record(_ name: String, seconds: Double) { self.seconds[name, default: []].append(seconds) }

  /// What a job took in each round.
  func series(_ name: String) -> [Double] { seconds[name] ?? [] }

  /// The median time of a job.
  func median(_ name: String) -> Double { Spread(series(name)).median }

  /// Stands before the names of jobs that GRDB does.
  static let grdb = "GRDB: "

  /// A job's row, beside another; with GRDB's ratio to that, if it has done the job, too. The other is named as it is, or as
  /// it is `called`.
  func row(
    _ name: String, to other: String, called: String? = nil, reach: Double? = nil, dependsOnSystemCalls: Bool = false
  ) -> ReportRow {
    var row = ReportRow(section, name, .seconds, series(name), besides: called ?? other, series(other))
    row.memory = memory
    row.reach = reach
    row.dependsOnSystemCalls = dependsOnSystemCalls
    if seconds[Self.grdb + name] != nil { row.grdb = median(Self.grdb + name) / median(other) }
    return row
  }
}
