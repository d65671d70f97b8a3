import DflatEngine
import Testing

@testable import PostgresDflat

@Suite("Turns of writing keys")
struct DictionaryTurnsTests {
  private let paths = (0..<5_000).map { number in
    DictionaryPath(namespace: DictionaryKey("space \(number % 2)"), key: DictionaryKey("\(number)"))
  }

  /// What each call in turn says.
  private func answers(_ calls: (inout DictionaryTurns) -> Bool...) -> [Bool] {
    var turns = DictionaryTurns()
    return calls.map { $0(&turns) }
  }

  private func endTransaction(_ turns: inout DictionaryTurns) -> Bool {
    turns.endTransaction()
    return true
  }

  private func endWrite(_ turns: inout DictionaryTurns) -> Bool {
    turns.endWrite(of: [])
    return true
  }

  private func requestWrite(_ turns: inout DictionaryTurns) -> Bool {
    turns.requestWrite()
    return true
  }

  @Test("Pending keys and transactions exclude each other, and transactions do not exclude one another")
  func exclusion() {
    let answers = answers(
      { $0.beginTransaction() }, { $0.beginTransaction() }, { $0.beginWrite() }, endTransaction, { $0.beginWrite() },
      endTransaction, { $0.beginWrite() }, { $0.beginTransaction() }, endWrite, { $0.beginTransaction() })
    #expect(answers == [true, true, false, true, false, true, true, false, true, true])
  }

  @Test("Transactions that come after each other do not keep pending keys from being written")
  func fairness() {
    let answers = answers(
      { $0.beginTransaction() }, requestWrite, { $0.beginTransaction() }, endTransaction, { $0.beginWrite() }, endWrite,
      { $0.beginTransaction() })
    #expect(answers == [true, true, false, true, true, true, true])
  }

  @Test("A transaction may begin once a background write has withdrawn its request")
  func withdrawal() {
    let answers = answers(
      { $0.beginTransaction() }, requestWrite, { $0.beginTransaction() },
      { turns in
        turns.withdrawRequest()
        return true
      }, { $0.beginTransaction() }, { $0.beginWrite() })
    #expect(answers == [true, true, false, true, true, false])
  }

  @Test("A snapshot may lack a key that was written after it, and no other")
  func snapshots() {
    var turns = DictionaryTurns()
    turns.endWrite(of: [paths[0]])
    let count = turns.writeCount
    #expect(!turns.mayHaveWritten(paths[0], since: count))
    turns.endWrite(of: [paths[1]])
    #expect(!turns.mayHaveWritten(paths[0], since: count) && turns.mayHaveWritten(paths[1], since: count))
    #expect(!turns.mayHaveWritten(anyOf: paths[0].namespace, since: count))
    #expect(turns.mayHaveWritten(anyOf: paths[1].namespace, since: count))
    #expect(turns.mayHaveWritten(paths[0], since: 0))
  }

  @Test("What is forgotten counts as written")
  func forgetting() {
    var turns = DictionaryTurns()
    let count = turns.writeCount
    turns.endWrite(of: paths)
    #expect(turns.mayHaveWritten(paths[0], since: count))
    #expect(turns.mayHaveWritten(anyOf: paths[0].namespace, since: count))
    let later = turns.writeCount
    turns.endWrite(of: [paths[1]])
    #expect(!turns.mayHaveWritten(paths[0], since: later) && turns.mayHaveWritten(paths[1], since: later))
  }
}
