import Dflat
import EngineTestSupport
import Golden_post
import TestSupport
import Testing

@Suite("The store on PostgreSQL does what a dictionary does")
struct PostgresModelTests {
  @Test(
    "Random operations leave the store as a dictionary, and random queries find the same with and without indexes",
    arguments: LongForm.seeds(ofConditions: count, sample: 8))
  func randomHistory(seeds: Range<Int>) throws {
    for seed in seeds { try compare(seed: seed) }
  }

  /// How many rounds a history has, and how many queries are made after each.
  private static let rounds = 8
  private static let count = rounds * 12

  private func compare(seed: Int) throws {
    let database = try TestDatabase { $0.buildsIndexes = seed % 2 == 0 }
    var generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed)))
    var history = PostHistory(in: database.workspace)
    for round in 0..<Self.rounds {
      let comment = "seed \(seed), round \(round)"
      history.change(&generator, comment)
      if round == 3, seed % 4 == 1 { try dropIndexes(of: database) }
      for _ in 0..<Self.count / Self.rounds {
        for problem in PostHistory.query(database.workspace, history.model, &generator, comment) {
          Issue.record("\(problem)")
        }
      }
    }
    LongForm.record(Self.count, "queries of PostgreSQL by every path, beside a model")
    #expect(database.errors.values.isEmpty, "\(database.errors.values)")
    let rows = history.model.rows.values.sorted { $0._rowid < $1._rowid }
    #expect(
      try database.sql("SELECT rowid, encode(__pk0, 'hex') FROM post ORDER BY rowid").split(separator: "\n")
        == rows.map { "\($0._rowid)|\($0.title.utf8.map { String($0, radix: 16).leftPadded }.joined())" })
  }

  /// As an older version of the schema leaves the table.
  private func dropIndexes(of database: TestDatabase) throws {
    let names = try database.sql(
      "SELECT indexname FROM pg_indexes WHERE tablename = 'post' AND indexdef LIKE '%dflat_%'"
    )
    #expect(!names.isEmpty)
    for name in names.split(separator: "\n") { try database.sql("DROP INDEX \"\(name)\"") }
  }
}

extension String {
  fileprivate var leftPadded: String { count < 2 ? "0" + self : self }
}
