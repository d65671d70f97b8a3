/// Compares what clients were told with what is stored.
///
/// It knows nothing of transactions and their order: it counts what each operation has left, follows the hashes of the chains, and
/// adds up the journal.
struct LedgerChecker {
  private let entries: [LedgerEntry]
  private let state: LedgerState
  private(set) var problems: [String] = []

  /// What an operation has left in the database.
  private struct Trace {
    var effect: LedgerEffect?
    var count = 0
  }

  private var traces: [Int64: Trace] = [:]

  /// - Parameters:
  ///   - entries: the lines of all logs.
  ///   - state: what is stored when all clients have ended.
  init(_ entries: [LedgerEntry], _ state: LedgerState) {
    self.entries = entries
    self.state = state
    problems = state.problems
    checkChains()
    checkBankAndOrders()
    checkOutcomes()
    checkObservations()
  }

  /// How many operations have ended in a way.
  func count(_ outcome: LedgerEntry.Outcome) -> Int { entries.count { $0.outcome == outcome } }

  private mutating func note(_ effect: LedgerEffect?, of operation: Int64) {
    traces[operation, default: Trace()].effect = effect
    traces[operation, default: Trace()].count += 1
  }

  private mutating func checkChains() {
    for chain in 0..<LedgerChain.count {
      var former = ""
      let versions = state.posts.filter { $0.title.hasPrefix("c\(chain).") }.sorted { $0.title < $1.title }
      for (index, version) in versions.enumerated() {
        let operation = version.title.split(separator: ".").last.flatMap { Int64($0) } ?? 0
        note(.append(chain: chain, index: version.priority, hash: version.tag), of: operation)
        if version.priority != index || version.title != LedgerChain.title(chain, index, operation) {
          problems.append("chain \(chain) forks or has a gap: its row \(index) is \(version.title)")
        }
        if version.tag != LedgerChain.hash(after: former, chain, index, operation) {
          problems.append("the hash of \(version.title) does not cover the version before")
        }
        former = version.tag
      }
    }
  }

  private mutating func checkBankAndOrders() {
    var balances = Dictionary(uniqueKeysWithValues: LedgerBank.accounts.map { ($0, LedgerBank.initial) })
    var orders: [Int64: Int64] = [:]
    for row in state.posts where !row.title.hasPrefix("c") {
      let words = row.tag.split(separator: " ")
      let numbers = words.dropFirst().compactMap { Int64($0) }
      guard let operation = row.title.split(separator: ".").dropFirst().first.flatMap({ Int64($0) }) else {
        problems.append("nobody has stored \(row.title)")
        continue
      }
      switch (words.first, numbers.count) {
      case ("transfer", 3):
        balances[numbers[0], default: 0] -= numbers[2]
        balances[numbers[1], default: 0] += numbers[2]
        note(.transfer(from: numbers[0], to: numbers[1], amount: numbers[2]), of: operation)
      case ("open", 1):
        // The one who fills it comes after.
        if orders[numbers[0]] == nil { orders[numbers[0]] = -operation }
        note(.open(order: numbers[0]), of: operation)
      case ("fill", 1):
        if let filler = orders[numbers[0]], filler > 0 {
          problems.append("order \(numbers[0]) is filled by \(filler) and by \(operation)")
        }
        orders[numbers[0]] = operation
        note(.fill(order: numbers[0]), of: operation)
      default: problems.append("nobody has stored \(row.title): \(row.tag)")
      }
    }
    if balances != state.accounts { problems.append("the accounts hold \(state.accounts), not \(balances)") }
    if orders != state.orders {
      let different = Set(orders.keys).union(state.orders.keys).filter { orders[$0] != state.orders[$0] }
      problems.append("orders \(different.sorted()) are not what was opened and filled")
    }
    let openers = state.posts.filter { $0.tag.hasPrefix("open ") }.map(\.tag)
    if Set(openers).count != openers.count { problems.append("an order was opened twice") }
    let opened = Set(openers.map { $0.dropFirst(5) })
    for order in orders.keys where !opened.contains("\(order)") { problems.append("nobody has opened order \(order)") }
  }

  private mutating func checkOutcomes() {
    var outcomes: [Int64: LedgerEntry] = [:]
    for entry in entries where entry.outcome != .observed && entry.outcome != .told {
      // The line that tells how it has ended comes after the one that it has begun.
      if outcomes[entry.operation].map({ $0.outcome == .begun }) ?? true { outcomes[entry.operation] = entry }
    }
    for (operation, entry) in outcomes {
      let trace = traces[operation] ?? Trace()
      if trace.count > 1 { problems.append("operation \(operation) is stored \(trace.count) times") }
      switch entry.outcome {
      case .stored where trace.count == 0: problems.append("operation \(operation) was acknowledged, and is lost")
      case .stored where trace.effect != entry.effect:
        problems.append("operation \(operation) has stored something else than it was told")
      case .refused where trace.count > 0:
        problems.append("operation \(operation) was refused, and is stored" + (entry.reason.map { ": \($0)" } ?? ""))
      default: break
      }
    }
    for operation in traces.keys where outcomes[operation] == nil {
      problems.append("nobody has asked for operation \(operation), which is stored")
    }
  }

  private mutating func checkObservations() {
    var titles = Set(state.posts.lazy.map(\.title))
    for (operation, trace) in traces {
      switch trace.effect {
      case .open(let order): titles.insert(LedgerBook.mark(order, -operation))
      case .fill(let order): titles.insert(LedgerBook.mark(order, operation))
      default: break
      }
    }
    for entry in entries {
      if let problem = entry.problem { problems.append(problem) }
      if let total = entry.total, total != LedgerBank.total {
        problems.append("a snapshot has seen \(total) in the bank")
      }
      for title in entry.seen where !titles.contains(title) { problems.append("\(title) was seen, and is not stored") }
    }
    if state.accounts.values.reduce(0, +) != LedgerBank.total { problems.append("the sum of the bank has changed") }
  }
}
