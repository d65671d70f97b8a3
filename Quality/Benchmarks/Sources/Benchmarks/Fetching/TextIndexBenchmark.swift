import Dflat
import Foundation
import RawSQLite
import SQLiteDflat

/// Looking up texts without case and accents, and elements of vectors, among 100,000 objects, beside the SQLite C API on the same
/// indexes. The texts that C looks for are folded beforehand.
struct TextIndexBenchmark {
  private let folder: URL
  private let rounds: Int
  private let memory: MemoryPolicy
  private let reporter: Reporter
  private let count = 100_000
  /// So many different tags stand in ten phrases each.
  private let tagCount = 10_000
  private let searchCount = 1_000

  init(_ measurement: Measurement, _ memory: MemoryPolicy) {
    folder = measurement.folder
    rounds = measurement.rounds
    reporter = measurement.reporter
    self.memory = memory
  }

  func run() async throws {
    let path = folder.appending(path: "phrases.sqlite3").path
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    let phrases = (0..<count).map { number in
      Phrase(
        title: "Café \(number)", tag: "tag", priority: Int32(number), tags: ["all", "tag \(number % tagCount)"])
    }
    let isStored = await workspace.performChanges([Phrase.self]) { transaction in
      for phrase in phrases { transaction.try(submit: PhraseChangeRequest.creationRequest(phrase)) }
    }
    guard isStored else { throw BenchmarkError(description: "the phrases cannot be stored") }
    try await workspace.waitForIndexes(of: Phrase.self)
    let table = raw_open(path, "phrase", 0, 0)
    defer { raw_close(table.database) }
    guard table.database != nil else { throw BenchmarkError(description: "SQLite cannot read the store's file") }
    let fetch = workspace.fetch(for: Phrase.self)
    let titles = (0..<searchCount).map { "CAFÉ \(97 * $0)" }
    let folded = (0..<searchCount).map { "cafe \(97 * $0)" }
    let tags = (0..<searchCount).map { "tag \(7 * $0)" }
    var timings = Timings(.crud, memory)
    for _ in 0..<rounds {
      try raw(Self.foldedSQL, folded, searchCount, table.database, "raw by a folded text", &timings)
      let byTitle = timings.measure(Self.byFolding) {
        titles.map { fetch.where(Phrase.title.folded == $0).count }.reduce(0, +)
      }
      try check(byTitle == searchCount)
      let perTag = count / tagCount
      try raw(Self.elementSQL, tags, searchCount * perTag, table.database, "raw by an element", &timings)
      let byTag = timings.measure(Self.byElement) {
        tags.map { fetch.where(Phrase.tags.contains($0)).count }.reduce(0, +)
      }
      try check(byTag == searchCount * perTag)
    }
    await workspace.shutdown()
    try reporter.add(timings.row(Self.byFolding, to: "raw by a folded text", reach: 1.3))
    try reporter.add(timings.row(Self.byElement, to: "raw by an element", reach: 1.3))
  }

  private static let byFolding = "fetch by a folded text, 1,000 times"
  private static let byElement = "fetch by an element of a vector, 1,000 times"

  private static let foldedSQL = """
    SELECT m.rowid, m.p FROM phrase__f4__folded15 AS i JOIN phrase AS m ON m.rowid = i.rowid WHERE i.f4__folded15 = ?
    """
  private static let elementSQL = """
    SELECT m.rowid, m.p FROM phrase AS m \
    WHERE m.rowid IN (SELECT row FROM phrase__f16__elements WHERE f16__elements = ?)
    """

  private func check(_ isRight: Bool) throws {
    if !isRight { throw BenchmarkError(description: "a search did not find what was put in") }
  }

  /// Has the C program look up each text, and checks how many rows it finds.
  private func raw(
    _ sql: String, _ texts: [String], _ count: Int, _ database: UnsafeMutableRawPointer?, _ name: String,
    _ timings: inout Timings
  ) throws {
    var found: UnsafeMutablePointer<raw_post>?
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let pointers = copies.map { UnsafePointer($0) }
    let number = timings.measure(name) {
      raw_fetch_by_texts(database, sql, pointers, Int32(pointers.count), &found)
    }
    raw_posts_free(found, max(number, 0))
    guard number == count else { throw BenchmarkError(description: "SQLite found \(number) phrases, not \(count)") }
  }
}
