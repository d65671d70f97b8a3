import EngineTestSupport
import Golden_post
import Testing

@Suite("The checker of the ledger")
struct LedgerCheckerTests {
  /// What two clients have stored and logged, as it should be.
  private struct Fixture {
    var entries: [LedgerEntry] = []
    var state = LedgerState()

    init() {
      for id in LedgerBank.accounts { state.accounts[id] = LedgerBank.initial }
      var former = ""
      for index in 0..<4 {
        let operation = Int64(10 + index)
        let hash = LedgerChain.hash(after: former, 1, index, operation)
        add(operation, .append(chain: 1, index: index, hash: hash), LedgerChain.title(1, index, operation), hash)
        state.posts[index].priority = index
        former = hash
      }
      add(20, .transfer(from: 1, to: 2, amount: 30), "j.20.7", "transfer 1 2 30")
      state.accounts[1] = LedgerBank.initial - 30
      state.accounts[2] = LedgerBank.initial + 30
      add(30, .open(order: 5), "j.30.8", "open 5")
      add(31, .open(order: 6), "j.31.9", "open 6")
      add(32, .fill(order: 5), "j.32.10", "fill 5")
      state.orders = [5: 32, 6: -31]
      entries.append(LedgerEntry(operation: 40, outcome: .begun))
      entries.append(LedgerEntry(operation: 40, outcome: .refused))
      entries.append(LedgerEntry(operation: 41, outcome: .unknown))
      entries.append(LedgerEntry(operation: 42, outcome: .begun))
      var observation = LedgerEntry(operation: 43, outcome: .observed)
      observation.total = LedgerBank.total
      observation.seen = [LedgerChain.title(1, 3, 13)]
      entries.append(observation)
      addTold(["o5.-30", "o5.32", "o6.-31", LedgerChain.title(1, 2, 12)])
    }

    private mutating func add(_ operation: Int64, _ effect: LedgerEffect, _ title: String, _ tag: String) {
      entries.append(LedgerEntry(operation: operation, outcome: .begun))
      entries.append(LedgerEntry(operation: operation, outcome: .stored, effect: effect))
      state.posts.append(LedgerState.Row(title: title, tag: tag, priority: 0))
    }

    mutating func changeEntry(_ operation: Int64, _ change: (inout LedgerEntry) -> Void) {
      let index = entries.lastIndex { $0.operation == operation } ?? 0
      change(&entries[index])
    }

    mutating func changeRow(_ operation: Int64, _ change: (inout LedgerState.Row) -> Void) {
      let index = state.posts.firstIndex { $0.title.contains(".\(operation)") } ?? 0
      change(&state.posts[index])
    }

    /// Adds a state that a subscriber was told.
    mutating func addTold(_ marks: [String]) {
      var entry = LedgerEntry(operation: 0, outcome: .told)
      entry.seen = marks
      entries.append(entry)
    }

    mutating func removeRow(_ operation: Int64) { state.posts.removeAll { $0.title.contains(".\(operation)") } }

    mutating func addRow(_ title: String, _ tag: String, _ priority: Int = 0) {
      state.posts.append(LedgerState.Row(title: title, tag: tag, priority: priority))
    }

    var problems: [String] { LedgerChecker(entries, state).problems }
  }

  @Test("accepts what was acknowledged and is stored, and either end of what is unknown")
  func right() {
    var fixture = Fixture()
    #expect(fixture.problems == [])
    fixture.addRow("j.41.1", "open 9")
    fixture.addRow("j.42.1", "open 10")
    fixture.state.orders[9] = -41
    fixture.state.orders[10] = -42
    #expect(fixture.problems == [])
    #expect(LedgerChecker(fixture.entries, fixture.state).count(.stored) == 8)
  }

  /// A way to spoil the logs or the database, and a part of what the checker says.
  private static let spoilers: [(String, @Sendable (inout Fixture) -> Void)] = [
    ("operation 13 was acknowledged, and is lost", { $0.removeRow(13) }),
    ("chain 1 forks or has a gap", { $0.removeRow(11) }),
    ("does not cover the version before", { $0.changeRow(11) { $0.tag = "0" } }),
    (
      "chain 1 forks or has a gap",
      { $0.addRow(LedgerChain.title(1, 0, 42), LedgerChain.hash(after: "", 1, 0, 42)) }
    ),
    (
      "chain 1 forks or has a gap",
      {
        let former = $0.state.posts[2].tag
        $0.addRow(LedgerChain.title(1, 3, 42), LedgerChain.hash(after: former, 1, 3, 42), 3)
      }
    ),
    ("operation 40 was refused, and is stored", { $0.addRow("j.40.1", "transfer 1 2 0") }),
    ("operation 20 is stored 2 times", { $0.addRow("j.20.8", "transfer 1 2 0") }),
    ("operation 41 is stored 2 times", { for row in 1...2 { $0.addRow("j.41.\(row)", "transfer 1 2 0") } }),
    ("operation 20 has stored something else", { $0.changeEntry(20) { $0.effect = .open(order: 1) } }),
    ("nobody has asked for operation 99", { $0.addRow("j.99.1", "transfer 1 2 0") }),
    ("nobody has stored x", { $0.addRow("x", "") }),
    ("nobody has stored j.42.1", { $0.addRow("j.42.1", "steal 1") }),
    ("the accounts hold", { $0.state.accounts[3] = 999 }),
    ("the sum of the bank has changed", { $0.state.accounts[3] = 999 }),
    ("the accounts hold", { $0.state.accounts[3] = nil }),
    ("order 5 is filled by 32 and by 42", { $0.addRow("j.42.1", "fill 5") }),
    ("orders [6] are not what was opened and filled", { $0.state.orders[6] = nil }),
    ("orders [5] are not what was opened and filled", { $0.state.orders[5] = -30 }),
    ("an order was opened twice", { $0.addRow("j.42.1", "open 6") }),
    ("nobody has opened order 7", { $0.addRow("j.42.1", "fill 7") }),
    ("was seen, and is not stored", { $0.changeEntry(43) { $0.seen = ["c1.00000009.1"] } }),
    ("a snapshot has seen 5 in the bank", { $0.changeEntry(43) { $0.total = 5 } }),
    ("the client says so", { $0.changeEntry(12) { $0.problem = "the client says so" } }),
    ("a row is no object", { $0.state.problems = ["a row is no object"] }),
    ("o6.32 was seen, and is not stored", { $0.addTold(["o6.32"]) }),
    ("o9.-42 was seen, and is not stored", { $0.addTold(["o9.-42"]) }),
    ("c1.00000004.13 was seen, and is not stored", { $0.addTold(["c1.00000004.13"]) }),
  ]

  @Test("refuses logs and databases that were spoiled", arguments: 0..<LedgerCheckerTests.spoilers.count)
  func spoiled(number: Int) {
    let (problem, spoil) = Self.spoilers[number]
    var fixture = Fixture()
    spoil(&fixture)
    #expect(fixture.problems.contains { $0.contains(problem) }, "\(problem) is not in \(fixture.problems)")
  }

  private static func orders(_ values: [Int64: Int64]) -> LedgerSight {
    LedgerSight(values.map { LedgerIntent.Order(key: $0, value: $1) })
  }

  /// The first versions of a chain.
  private static func chain(_ count: Int, operation: Int64 = 10) -> LedgerSight {
    var versions: [Post] = []
    for index in 0..<count {
      let writer = operation + Int64(index)
      let hash = LedgerChain.hash(after: versions.last?.tag ?? "", 1, index, writer)
      versions.append(Post(title: LedgerChain.title(1, index, writer), tag: hash))
    }
    return LedgerSight(1, versions)
  }

  @Test("accepts states that a subscriber is told in their order, and finds those that go back")
  func statesOfSubscribers() {
    #expect(Self.chain(2).problem == nil && Self.chain(2).problem(before: Self.chain(3)) == nil)
    #expect(Self.chain(0).problem(before: Self.chain(1)) == nil)
    #expect(Self.chain(3).problem(before: Self.chain(2))?.contains("goes back") == true)
    #expect(Self.chain(3).problem(before: Self.chain(0))?.contains("goes back") == true)
    #expect(Self.chain(1).problem(before: Self.chain(2, operation: 20))?.contains("goes back") == true)
    let gap = LedgerSight(1, [Post(title: LedgerChain.title(1, 1, 11), tag: "0")])
    #expect(gap.problem?.contains("was seen as version 0 of chain 1") == true)

    let opened = Self.orders([5: -30, 6: -31])
    let filled = Self.orders([5: 32, 6: -31])
    #expect(Self.orders([:]).problem(before: opened) == nil && opened.problem(before: filled) == nil)
    #expect(filled.problem(before: filled) == nil)
    #expect(filled.problem(before: opened) == "the order o5.32 becomes o5.-30")
    #expect(filled.problem(before: Self.orders([5: 33, 6: -31])) == "the order o5.32 becomes o5.33")
    #expect(opened.problem(before: Self.orders([5: -40, 6: -31])) == "the order o5.-30 becomes o5.-40")
    #expect(filled.problem(before: Self.orders([5: 32])) == "the order o6.-31 is gone")

    let bank = LedgerSight(LedgerBank.accounts.map { Thing(id: $0, big: 5) })
    #expect(bank.total == 30 && bank.marks.count == 6)
  }
}
