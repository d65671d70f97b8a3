import Foundation
import Synchronization

/// Runs all forms side by side until the time is over.
final class Soak: Sendable {
  private struct State {
    var record: Record
    /// How many runs of each form have begun.
    var begun: [Int]
    /// How many of each are under way.
    var active: [Int]
  }

  let options: Options
  private let state: Mutex<State>

  init(_ options: Options) {
    self.options = options
    let forms = options.forms
    state = Mutex(
      State(record: Record(forms), begun: forms.map { _ in 0 }, active: forms.map { _ in 0 }))
  }

  var record: Record { state.withLock { $0.record } }

  func run() throws {
    try checkFilters()
    try FileManager.default.createDirectory(at: options.folder, withIntermediateDirectories: true)
    let end = Date(timeIntervalSinceNow: options.minutes * 60)
    let workers = DispatchGroup()
    let error = Mutex<(any Error)?>(nil)
    for _ in 0..<options.workers {
      workers.enter()
      Thread.detachNewThread {
        defer { workers.leave() }
        do {
          while error.withLock({ $0 == nil }), let (form, seed) = self.next(isOver: Date() >= end) {
            try self.perform(form, seed)
          }
        } catch let failure {
          error.withLock { $0 = failure }
        }
      }
    }
    let progress = Progress(end: end)
    while workers.wait(timeout: .now() + 1) == .timedOut { progress.show(record) }
    progress.clear()
    if let error = error.withLock({ $0 }) { throw error }
  }

  /// Makes sure that each part of each filter finds a test: a test that was renamed would no longer be run, and nobody would
  /// notice.
  private func checkFilters() throws {
    guard let tests = output(options.tests, "--testing-library", "swift-testing", "--list-tests") else {
      throw SoakError("\(options.tests) does not list its tests: build them, or name them with --tests")
    }
    for form in options.forms {
      for part in form.filter.split(separator: "|") where tests.range(of: part, options: .regularExpression) == nil {
        throw SoakError("no test is called '\(part)', which is a part of: \(form.title)")
      }
    }
  }

  /// In a soak of so many minutes or more, each form has a run, even if that takes longer on a busy machine.
  private static let completeMinutes = 20.0

  /// The form that has had the least time, and is not under way if there is another.
  ///
  /// Of forms that have had none, the first depends on the seed: so it is not always the last of the list that have no run in a short
  /// soak.
  ///
  /// - Parameter isOver: whether the time is over, after which only a form without a run may follow.
  private func next(isOver: Bool) -> (form: Int, seed: Int)? {
    if isOver, options.minutes < Self.completeMinutes { return nil }
    return state.withLock { state in
      guard state.begun.reduce(0, +) < options.runs else { return nil }
      let count = options.forms.count
      let open = options.forms.indices.filter {
        state.begun[$0] == 0 || !isOver && !options.forms[$0].isExhaustive
      }
      let entries = state.record.entries
      func place(_ form: Int) -> Int { (form + count - options.seed % count) % count }
      guard
        let form = open.min(by: {
          (state.active[$0], entries[$0].seconds, place($0)) < (state.active[$1], entries[$1].seconds, place($1))
        })
      else { return nil }
      // Seeds of one run lie side by side, so those of two are far apart.
      let seed = options.seed + state.begun[form] * 100_000
      state.begun[form] += 1
      state.active[form] += 1
      return (form, seed)
    }
  }

  private func perform(_ form: Int, _ seed: Int) throws {
    let run = Run(form: options.forms[form], seed: seed, tests: options.tests)
    let log = options.folder.appendingPathComponent("\(form)-\(seed).log")
    let counts = options.folder.appendingPathComponent("\(form)-\(seed).counts")
    let start = Date()
    let ending = try run.perform(log: log, counts: counts)
    let seconds = Date().timeIntervalSince(start)
    let tried = try Run.read(counts)
    try FileManager.default.removeItem(at: counts)
    if ending == .passed { try FileManager.default.removeItem(at: log) }
    state.withLock { state in
      state.active[form] -= 1
      state.record.add(form, seconds: seconds, counts: tried, failure: ending == .passed ? nil : log.path)
    }
    switch ending {
    case .passed: break
    case .failed(let status): report("fails with \(status)", run, log)
    case .hung: report("does not end within \(Int(run.limit)) s", run, log)
    }
  }

  private func report(_ what: String, _ run: Run, _ log: URL) {
    print("FAILURE: \(run.form.title): \(what); see \(log.path)\n  repeat: \(run.command)")
  }
}

/// A line that says how far it is: renewed on a terminal, and otherwise printed now and then.
private final class Progress {
  private let end: Date
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var printed = Date()

  init(end: Date) { self.end = end }

  func show(_ record: Record) {
    guard isTerminal || Date().timeIntervalSince(printed) > 60 else { return }
    printed = Date()
    let left = max(0, end.timeIntervalSinceNow / 60)
    let text =
      "\(Int(record.minutes)) min, \(Int(left.rounded(.up))) left: \(record.runs) runs, \(record.failures.count) failures"
    write((isTerminal ? "\r\u{1B}[K" : "") + text + (isTerminal ? "" : "\n"))
  }

  func clear() { if isTerminal { write("\r\u{1B}[K") } }

  private func write(_ text: String) {
    // Where nobody can read it, nothing is lost.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
