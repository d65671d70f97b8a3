import Foundation

/// Seconds that jobs took, by name.
struct Timings {
  /// Stands behind the names of the rows that are printed.
  private let label: String
  private var seconds: [String: [Double]] = [:]

  init() { label = "" }

  /// Of jobs that depend on the memory policy.
  init(_ memory: MemoryPolicy) { label = ", \(memory.label)" }

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

  mutating func record(_ name: String, _ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.seconds[name, default: []].append(Double(seconds) + Double(attoseconds) * 1e-18)
  }

  /// The median time of a job.
  func median(_ name: String) -> Double {
    let sorted = (seconds[name] ?? []).sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
  }

  /// Stands before the names of jobs that GRDB does.
  static let grdb = "GRDB: "

  /// Prints a job's median, and its ratio to another's; then GRDB's ratio to that, if it has done the job, too. The
  /// other is printed by its name, or as it is `called`.
  func report(_ name: String, to other: String, called: String? = nil) {
    var line = "  \(name)\(label): \(milliseconds(name)) ms, \(called ?? other): \(milliseconds(other)) ms"
    line += ", ratio \(ratio(name, to: other))"
    if seconds[Timings.grdb + name] != nil { line += ", GRDB \(ratio(Timings.grdb + name, to: other))" }
    print(line)
  }

  func ratio(_ name: String, to other: String) -> String {
    String(format: "%.2f", median(name) / median(other))
  }

  func milliseconds(_ name: String) -> String { String(format: "%.1f", median(name) * 1000) }
}
