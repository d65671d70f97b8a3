import Dflat
import EngineTestSupport
import Golden_post
import SQLiteDflat
import TestSupport
import Testing

@Suite("The store does what a dictionary does")
struct ModelTests {
  @Test(
    "Random operations leave the store as a dictionary, and random queries find the same by every path",
    arguments: LongForm.seeds(ofConditions: count, sample: 24))
  func randomHistory(seeds: Range<Int>) throws {
    for seed in seeds { try compare(seed: seed) }
  }

  /// How many rounds a history has, and how many queries are made after each.
  private static let rounds = 12
  private static let count = rounds * 12

  private func compare(seed: Int) throws {
    let store = try TestStore()
    var generator = PostGenerator(random: SeededGenerator(seed: UInt64(seed)))
    var history = PostHistory(in: store.workspace)
    for round in 0..<Self.rounds {
      let comment = "seed \(seed), round \(round)"
      history.change(&generator, comment)
      try spoilIndex(store, &generator)
      for _ in 0..<Self.count / Self.rounds {
        for problem in PostHistory.query(store.workspace, history.model, &generator, comment) {
          Issue.record("\(problem)")
        }
      }
    }
    #expect(store.errors.values.isEmpty)
    try checkLayout(store, history.model)
    LongForm.record(Self.count, "queries by every path, beside a model")
  }

  /// Leaves the index as it is, or takes it away, wholly or in part.
  private func spoilIndex(_ store: TestStore, _ generator: inout PostGenerator) throws {
    guard try store.sql("SELECT count(*) FROM sqlite_master WHERE name = 'post__f10'") == [["1"]] else { return }
    switch Int.random(in: 0..<4, using: &generator.random) {
    case 0: try store.sql("DROP TABLE post__f10")
    case 1: try store.sql("DELETE FROM post__f10 WHERE rowid > (SELECT max(rowid) / 2 FROM post)")
    case 2:
      // An entry that has outlived its row.
      try store.sql(
        """
        INSERT OR IGNORE INTO post__f10
        SELECT seq, 1 FROM sqlite_sequence WHERE name = 'post' AND seq NOT IN (SELECT rowid FROM post)
        """)
    default: break
    }
  }

  private func checkLayout(_ store: TestStore, _ model: PostModel) throws {
    store.workspace.shutdown()
    let rows = model.rows.values.sorted { $0._rowid < $1._rowid }
    #expect(
      try store.sql("SELECT rowid, hex(__pk0) FROM post ORDER BY rowid")
        == rows.map { ["\($0._rowid)", $0.title.utf8.map { String(UInt8($0), hexDigits: 2) }.joined()] })
    // Whatever entries there are, they are right.
    let hasIndex = try store.sql("SELECT count(*) FROM sqlite_master WHERE name = 'post__f10'") == [["1"]]
    for entry in try !hasIndex
      ? [] : store.sql("SELECT rowid, f10 FROM post__f10 WHERE rowid IN (SELECT rowid FROM post)")
    {
      let rowid = Int64(entry[0] ?? "") ?? 0
      #expect(entry[1] == model.rows[rowid].map { "\($0.priority)" })
    }
    #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
  }
}

extension String {
  fileprivate init(_ byte: UInt8, hexDigits: Int) {
    let digits = String(byte, radix: 16, uppercase: true)
    self = String(repeating: "0", count: hexDigits - digits.count) + digits
  }
}
