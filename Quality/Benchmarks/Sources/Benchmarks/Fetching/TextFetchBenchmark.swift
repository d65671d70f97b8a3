import Dflat
import Foundation
import RawSQLite
import SQLiteDflat

/// Searching 100,000 titles, beside the SQLite C API: by a prefix, which both look up in the index of the primary key, and by a part,
/// for which both read every row. Without case, C asks SQLite's LIKE, which knows the letters of ASCII.
struct TextFetchBenchmark {
  private let folder: URL
  private let rounds: Int
  private let memory: MemoryPolicy
  private let reporter: Reporter
  private let count = 100_000
  /// So many words begin ten titles each.
  private let wordCount = 10_000
  /// Each is looked up by itself.
  private let prefixCount = 1_000

  init(_ measurement: Measurement, _ memory: MemoryPolicy) {
    folder = measurement.folder
    rounds = measurement.rounds
    reporter = measurement.reporter
    self.memory = memory
  }

  func run() async throws {
    let words = (0..<wordCount).map(Self.word)
    let posts = (0..<count).map { number in
      Post(
        title: "\(words[number % wordCount]) of post \(number)", tag: "tag \(number % 100)", priority: Int32(number),
        content: .textContent(TextContent(text: "What post number \(number) says")))
    }
    let path = folder.appending(path: "texts.sqlite3").path
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    guard await Post.insert(posts, into: workspace) else {
      throw BenchmarkError(description: "the posts cannot be stored")
    }
    let table = raw_open(path, Post.table, 1, 0)
    defer { raw_close(table.database) }
    guard table.database != nil else { throw BenchmarkError(description: "SQLite cannot read the store's file") }
    let prefixes = Array(words.prefix(prefixCount))
    let word = words[17]
    let expected = posts.filter { $0.title.hasPrefix(word) }.map(\.title)
    var timings = Timings(.crud, memory)
    let fetch = workspace.fetch(for: Post.self)
    for _ in 0..<rounds {
      try raw(prefixCount * count / wordCount) { posts in
        let texts = prefixes.map { strdup($0) }
        defer { for text in texts { free(text) } }
        let pointers = texts.map { UnsafePointer($0) }
        return timings.measure("raw by a prefix") {
          raw_fetch_by_prefixes(table.database, pointers, Int32(pointers.count), &posts)
        }
      }
      let found = timings.measure(Self.byPrefix) {
        prefixes.map { fetch.where(Post.title.hasPrefix($0)).count }.reduce(0, +)
      }
      try check(found == prefixCount * count / wordCount)
      try raw(expected.count) { posts in
        timings.measure("raw by a part") { raw_fetch_by_part(table.database, word, &posts) }
      }
      let byPart = timings.measure(Self.byPart) { fetch.where(Post.title.contains(word)) }
      try check(byPart.map(\.title) == expected)
      try raw(expected.count) { posts in
        timings.measure("raw by LIKE") { raw_fetch_like(table.database, "%\(word)%", &posts) }
      }
      let folded = timings.measure(Self.byFoldedPart) { fetch.where(Post.title.folded.contains(word.uppercased())) }
      try check(folded.map(\.title) == expected)
    }
    await workspace.shutdown()
    try reporter.add(timings.row(Self.byPrefix, to: "raw by a prefix", reach: 1.3))
    try reporter.add(timings.row(Self.byPart, to: "raw by a part", reach: 1.3))
    try reporter.add(timings.row(Self.byFoldedPart, to: "raw by LIKE", reach: 1.3))
  }

  private static let byPrefix = "fetch by a prefix, 1,000 times"
  private static let byPart = "fetch by a part of 100,000 texts"
  private static let byFoldedPart = "fetch by a part, without case and accents"

  /// A word of six letters, a different one for each number.
  private static func word(_ number: Int) -> String {
    // Multiplied with a number that has no divisor in common with 26^6, so that neighbours do not begin alike.
    var rest = number * 123_456_789 % 308_915_776
    var letters = ""
    for _ in 0..<6 {
      letters.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "a") + UInt8(rest % 26)))
      rest /= 26
    }
    return letters
  }

  private func check(_ isRight: Bool) throws {
    if !isRight { throw BenchmarkError(description: "a search did not find what was put in") }
  }

  /// Has the C program fetch.
  private func raw(_ count: Int, _ fetch: (inout UnsafeMutablePointer<raw_post>?) throws -> Int32) throws {
    var found: UnsafeMutablePointer<raw_post>?
    let number = try fetch(&found)
    raw_posts_free(found, max(number, 0))
    guard number == count else { throw BenchmarkError(description: "SQLite found \(number) posts, not \(count)") }
  }
}
