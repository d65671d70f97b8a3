import Foundation

/// How much of the processors others used since a moment: other programs, and the host of a virtual machine.
struct ProcessorUse {
  /// Of all processors together, in seconds.
  private struct Times {
    var busy = 0.0
    var stolen = 0.0
    var total = 0.0
    /// Of this process and the ended ones that it started.
    var own = 0.0
  }

  private let start = Self.times()

  /// Shares of the time of all processors; nil where the system does not tell.
  func shareOfOthers() -> (programs: Double, host: Double)? {
    guard let start, let end = Self.times(), end.total > start.total else { return nil }
    let total = end.total - start.total
    let others = (end.busy - start.busy) - (end.own - start.own)
    return (max(0, others / total), max(0, (end.stolen - start.stolen) / total))
  }

  /// https://man7.org/linux/man-pages/man5/proc_stat.5.html
  private static func times() -> Times? {
    #if os(Linux)
      guard let line = try? String(contentsOfFile: "/proc/stat", encoding: .utf8).split(separator: "\n").first else {
        return nil
      }
      // user, nice, system, idle, iowait, irq, softirq, steal; what follows is contained in the first two.
      let values = line.split(separator: " ").dropFirst().prefix(8).compactMap { Double($0) }
      guard values.count == 8 else { return nil }
      let tick = Double(sysconf(Int32(_SC_CLK_TCK)))
      let idle = values[3] + values[4]
      let sum = values.reduce(0, +)
      return Times(
        busy: (sum - idle - values[7]) / tick, stolen: values[7] / tick, total: sum / tick,
        own: own(RUSAGE_SELF) + own(RUSAGE_CHILDREN))
    #else
      return nil
    #endif
  }

  #if os(Linux)
    private static func own(_ who: __rusage_who) -> Double {
      var usage = rusage()
      guard getrusage(numericCast(who.rawValue), &usage) == 0 else { return 0 }
      return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
  #endif
}
