import Foundation

/// The report of a run, as a page with plots beside it.
struct ReportDocument {
  let machine: Machine
  /// What others used of the processors meanwhile; nil where the system does not tell.
  let othersUse: (programs: Double, host: Double)?
  let isQuick: Bool
  let rounds: Int
  let records: [Reporter.Record]

  private var rows: [ReportRow] { records.compactMap { if case .row(let row) = $0 { row } else { nil } } }
  private var points: [PlotPoint] { records.compactMap { if case .point(let point) = $0 { point } else { nil } } }

  /// Above this share of others, figures may be off.
  private static let idleLimit = 0.05

  /// Writes the page `REPORT.md`, and the plots that it shows, into a folder.
  func write(to folder: URL) throws {
    try FileManager.default.createDirectory(
      at: folder.appending(path: "plots"), withIntermediateDirectories: true)
    for plot in Plot.allCases {
      let points = points(of: plot)
      let file = folder.appending(path: plot.file)
      if !points.isEmpty {
        try Data(LogLogPlot(plot, points).svg.utf8).write(to: file)
      } else if FileManager.default.fileExists(atPath: file.path) {
        // Of an earlier run: the page would not show it.
        try FileManager.default.removeItem(at: file)
      }
    }
    try Data(markdown.utf8).write(to: folder.appending(path: "REPORT.md"))
  }

  private func points(of plot: Plot) -> [PlotPoint] { points.filter { $0.plot == plot } }

  var markdown: String {
    var text = """
      # Benchmark report

      Written by `make -C Quality \(isQuick ? "bench-quick" : "bench")`: do not edit it. Every job was run in \(rounds == 1 ? "one round" : "\(rounds) rounds") or more, in turn \
      with what it is compared with. A ratio is the median of the rounds' ratios, with their quartiles in brackets: 1.00 is as \
      fast as the other, less is faster. GRDB's ratio is to the same other.


      """
    text += summary + machineFacts
    for section in Section.allCases {
      let rows = rows.filter { $0.section == section }
      if !rows.isEmpty || !plots(of: section).isEmpty { text += self.text(of: section, rows) }
    }
    return text
  }

  // MARK: Summary

  private var summary: String {
    let judged = rows.filter { $0.reach != nil }
    guard !judged.isEmpty else { return "" }
    let missed = judged.filter { $0.isReached == false }
    let reached = "\(judged.count - missed.count) of \(judged.count)"
    var text = "\(reached) rows with a target reach it, or are within 5 % of it.\n\n"
    guard !missed.isEmpty else { return text }
    text += "These fall short:\n\n"
    for row in missed {
      let value = row.other == nil ? row.unit.text(row.judged) : decimals(row.judged)
      let reach = row.reach.map { row.other == nil ? row.unit.text($0) : decimals($0) } ?? ""
      text += "- \(name(row)): \(value), where \(reach) is the target\n"
    }
    return text + "\n"
  }

  private var machineFacts: String {
    var text = "## The machine\n\n| | |\n|---|---|\n"
    for fact in machine.facts { text += "| \(fact.name) | \(cell(fact.value)) |\n" }
    let calls = machine.systemCalls
    text += "| a system call | \(ReportRow.Unit.nanoseconds.text(calls.least)) |\n"
    text += "| locking and unlocking a file | \(ReportRow.Unit.nanoseconds.text(calls.locking)) |\n"
    text += "| reading 4 KiB from the system's cache | \(ReportRow.Unit.nanoseconds.text(calls.reading)) |\n"
    text += "| writing 4 KiB until it is on the disk | \(ReportRow.Unit.seconds.text(calls.syncing * 1e-9)) |\n\n"
    text += "Rows marked with † depend on what these calls cost, and differ between machines.\n\n"
    if let othersUse {
      let isIdle = othersUse.programs + othersUse.host <= Self.idleLimit
      text +=
        "Meanwhile other programs used \(percent(othersUse.programs)) of the processors, and the host of the machine "
      text += "\(percent(othersUse.host)): it was \(isIdle ? "idle" : "**not idle**, so figures may be off").\n\n"
    } else {
      text += "Whether the machine was idle, the system does not tell.\n\n"
    }
    return text
  }

  // MARK: Sections

  private func text(of section: Section, _ rows: [ReportRow]) -> String {
    var text = "## \(section.title)\n\n\(section.explanation)\n\n"
    if !rows.isEmpty {
      text += "| job | dflat | beside | ratio | target | | GRDB |\n|---|---|---|---|---|---|---|\n"
      for row in rows { text += line(row) }
      text += "\n"
    }
    for plot in plots(of: section) { text += "![\(plot.title)](\(plot.file))\n\n" }
    let notes = rows.filter { $0.note != nil || $0.floor != nil }
    guard !notes.isEmpty else { return text }
    for row in notes {
      var parts = [row.note].compactMap { $0 }
      if let floor = row.floor {
        parts.append("\(floor.name): \(row.unit.text(floor.median)), ratio \(decimals(floor.ratio))")
      }
      text += "- \(name(row)): \(parts.joined(separator: "; "))\n"
    }
    return text + "\n"
  }

  private func plots(of section: Section) -> [Plot] {
    Plot.allCases.filter { $0.section == section && !points(of: $0).isEmpty }
  }

  private func line(_ row: ReportRow) -> String {
    let beside = row.other.map { "\($0.name) \(row.unit.text($0.spread.median))" } ?? ""
    let ratio = row.other.map { other in
      "\(decimals(other.ratio.median)) (\(decimals(other.ratio.lower))–\(decimals(other.ratio.upper)))"
    }
    let reach = row.reach.map { row.other == nil ? row.unit.text($0) : decimals($0) }
    let verdict = row.isReached.map { $0 ? "reached" : "**missed**" }
    let cells = [
      name(row) + (row.dependsOnSystemCalls ? " †" : ""), row.unit.text(row.ours.median), beside, ratio ?? "",
      reach ?? "",
      verdict ?? "", row.grdb.map { decimals($0) } ?? "",
    ]
    return "| " + cells.map { cell($0) }.joined(separator: " | ") + " |\n"
  }

  private func name(_ row: ReportRow) -> String { row.job + (row.memory.map { ", \($0.label)" } ?? "") }
  private func cell(_ text: String) -> String { text.replacingOccurrences(of: "|", with: "\\|") }
  private func decimals(_ value: Double) -> String { String(format: "%.2f", value) }
  private func percent(_ share: Double) -> String { String(format: "%.1f %%", share * 100) }
}
