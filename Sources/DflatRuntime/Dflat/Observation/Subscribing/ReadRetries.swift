/// When reads for subscribers that have failed are tried again: after pauses that get longer with each attempt.
package struct ReadRetries {
  /// How many attempts have begun since all reads last succeeded.
  private var attempts = 0
  private var isScheduled = false

  /// The shortest and the longest pause, in seconds. Each pause is twice as long as the one before.
  private static let pauses = 0.1...10.0

  package init() {}

  /// Requests another attempt.
  ///
  /// - Returns: after how many seconds the caller has to make it; nil if one is scheduled already.
  package mutating func request() -> Double? {
    if isScheduled { return nil }
    isScheduled = true
    // Seven times twice as long, the shortest pause is longer than the longest.
    return min(ReadRetries.pauses.lowerBound * Double(1 << min(attempts, 7)), ReadRetries.pauses.upperBound)
  }

  /// Records that the attempt begins. Reads that fail again request another one.
  package mutating func begin() {
    isScheduled = false
    attempts += 1
  }

  /// Records that all reads have succeeded: the next failure begins with the shortest pause.
  package mutating func end() { attempts = 0 }
}
