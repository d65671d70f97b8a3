import Dflat
@testable import DflatEngine
import TestSupport
import Testing

@testable import SQLiteDflat

@Suite("Rows of keys are stored, overwritten and deleted as the changes say, however they are merged")
struct DictionaryRowWriterTests {
  private let store: TestStore
  private let writer: WriterConnection

  init() throws {
    store = try TestStore()
    writer = try store.workspace.core.database.writer()
  }

  private func path(_ number: Int) -> DictionaryPath {
    DictionaryPath(namespace: DictionaryKey(number % 2 == 0 ? "other" : ""), key: DictionaryKey("key \(number / 2)"))
  }

  private func change(_ number: Int, _ value: StoredDictionaryValue?) -> DictionaryChange {
    DictionaryChange(path: path(number), value: value)
  }

  /// Applies changes in a transaction, and returns the rows of their keys.
  @discardableResult
  private func apply(_ changes: [(change: DictionaryChange, row: Int64)]) throws -> [Int64] {
    try writer.begin()
    var rows = DictionaryRowWriter(writer)
    for (change, row) in changes { try rows.apply(change, at: row) }
    try rows.finish()
    try writer.commit(publishing: .transactions([]))
    return rows.rowNumbers
  }

  /// What is on disk of the keys of these numbers.
  private func stored(_ numbers: Range<Int>) throws -> [DictionaryEntry.Stored] {
    try numbers.map { try DictionaryRows(connection: writer.connection).stored(path($0)) }
  }

  private func integer(_ value: StoredDictionaryValue?) -> Int64? {
    if case .integer(let value) = value { value } else { nil }
  }

  @Test("Many keys are written at once, although some of them are stored already")
  func newKeys() throws {
    // The second lot begins and ends with new keys, so that stored ones are in its middle.
    try apply((100..<130).map { (change($0, .integer(Int64($0))), 0) })
    let rows = try apply((90..<140).map { (change($0, .integer(Int64(2 * $0))), 0) })
    let stored = try stored(90..<140)
    #expect(stored.map { integer($0.value) } == (90..<140).map { Int64(2 * $0) })
    #expect(stored.map(\.row) == rows)
    #expect(try store.sql("SELECT count(*) FROM dictitem_v_dflat_internal__") == [["50"]])
  }

  @Test("A row that has another key by now, or is gone, is not taken for the key's")
  func wrongRows() throws {
    let rows = try apply((0..<40).map { (change($0, .integer(Int64($0))), 0) })
    _ = try store.sql("DELETE FROM dictitem_v_dflat_internal__ WHERE rowid IN (\(rows[3]), \(rows[5]))")
    // Each key is said to be in the row of the next one of its namespace, which takes as many bytes.
    let changes = (0..<40).map { (change($0, .integer(Int64(100 + $0))), rows[($0 + 2) % 40]) }
    #expect(try apply(changes) == stored(0..<40).map(\.row))
    #expect(try stored(0..<40).map { integer($0.value) } == (0..<40).map { Int64(100 + $0) })
    #expect(try store.sql("SELECT count(*) FROM dictitem_v_dflat_internal__") == [["40"]])
  }

  @Test("Random changes leave what a dictionary would hold", arguments: UInt64(1)...20)
  func randomChanges(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var expected: [Int: StoredDictionaryValue] = [:]
    for _ in 0..<12 {
      // In one lot of three, keys come several times, and no rows are known.
      let areUnique = Int.random(in: 0..<3, using: &random) > 0
      var numbers = (0..<Int.random(in: 1...120, using: &random)).map { _ in Int.random(in: 0..<150, using: &random) }
      if areUnique { numbers = Array(Set(numbers)).shuffled(using: &random) }
      let known = try stored(0..<150).map(\.row)
      let changes = numbers.map { number -> (change: DictionaryChange, row: Int64) in
        let value: StoredDictionaryValue? =
          switch Int.random(in: 0..<8, using: &random) {
          case 0: nil
          case 1: .string(String(repeating: "é", count: Int.random(in: 0..<900, using: &random)))
          case 2: .double(.random(in: 0..<1, using: &random))
          default: .integer(.random(in: 0..<3, using: &random))
          }
        expected[number] = value
        let row: Int64 =
          switch Int.random(in: 0..<4, using: &random) {
          case _ where !areUnique: 0
          case 0: 0
          case 1: known.randomElement(using: &random) ?? 0
          default: known[number]
          }
        return (change(number, value), row)
      }
      let rows = try apply(changes)
      let found = try stored(0..<150)
      for number in 0..<150 {
        #expect(found[number].value.isIdentical(to: expected[number]), "key \(number) of seed \(seed)")
      }
      if areUnique { #expect(zip(numbers, rows).allSatisfy { found[$0].row == $1 }) }
      #expect(try store.sql("SELECT count(*) FROM dictitem_v_dflat_internal__") == [["\(expected.count)"]])
    }
  }
}
