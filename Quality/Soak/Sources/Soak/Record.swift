import Foundation

/// What was tried and found so far.
struct Record: Sendable {
  /// What became of a form.
  struct Entry: Sendable {
    var runs = 0
    var failures = 0
    var seconds = 0.0
    /// What the runs counted, by what it is.
    var counts: [String: Int] = [:]
  }

  private(set) var entries: [Entry]
  /// The logs of runs that failed, in the order in which they ended.
  private(set) var failures: [String] = []
  let start = Date()
  let forms: [Form]

  init(_ forms: [Form]) {
    self.forms = forms
    entries = forms.map { _ in Entry() }
  }

  var runs: Int { entries.reduce(0) { $0 + $1.runs } }
  var minutes: Double { Date().timeIntervalSince(start) / 60 }

  mutating func add(_ form: Int, seconds: Double, counts: [String: Int], failure: String?) {
    entries[form].runs += 1
    entries[form].seconds += seconds
    entries[form].counts.merge(counts, uniquingKeysWith: +)
    if let failure {
      entries[form].failures += 1
      failures.append(failure)
    }
  }

  /// The table, as Markdown.
  func table(seed: Int, machine: String, commit: String) -> String {
    var text = """
      \(Self.date.string(from: start)), \(Int(minutes.rounded())) minutes, \(Self.text(runs, "run")) from seed \(seed), commit \(commit), \
      \(machine).

      | what was tried | how often | failures |
      |---|---|---|

      """
    for (form, entry) in zip(forms, entries) {
      let counts = entry.counts.sorted { $0.key < $1.key }.map { "\(Self.grouped($0.value)) \($0.key)" }
      let often = (counts + [Self.text(entry.runs, "run")]).joined(separator: "; ")
      text += "| \(form.title) | \(often) | \(entry.failures) |\n"
    }
    return text
  }

  private static let date: DateFormatter = {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "yyyy-MM-dd"
    return formatter
  }()

  private static func text(_ count: Int, _ noun: String) -> String {
    "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  private static func grouped(_ number: Int) -> String {
    var digits = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index % 3 == 0 { digits.append(",") }
      digits.append(digit)
    }
    return String(digits.reversed())
  }

  /// Puts a table into a page, between the lines `<!-- soak -->` and `<!-- end of soak -->`.
  static func insert(_ table: String, into page: URL) throws {
    let text = try String(contentsOf: page, encoding: .utf8)
    guard let start = text.range(of: "<!-- soak -->\n"), let end = text.range(of: "<!-- end of soak -->"),
      start.upperBound <= end.lowerBound
    else { throw SoakError("\(page.path) has no lines <!-- soak --> and <!-- end of soak -->") }
    let new = text[..<start.upperBound] + "\n" + table + "\n" + text[end.lowerBound...]
    try Data(new.utf8).write(to: page, options: .atomic)
  }
}
