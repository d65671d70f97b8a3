/// What transactions were seen to do, and whether they could have done it one after another.
///
/// Every value is written once, and a transaction reads a register before it writes it. So the history itself says in
/// which order a register took its values, and what each transaction has to come before or after.
package struct History: CustomStringConvertible {
  /// A register: the number of its type, and its key.
  package struct RegisterID: Hashable, CustomStringConvertible {
    /// What stands for a type where the register is a key of the dictionary.
    package static let dictionary = 3

    package let type: Int
    package let key: Int64

    package init(type: Int, key: Int64) {
      self.type = type
      self.key = key
    }

    package var description: String { "\(["a", "b", "c", "d"][type])\(key)" }
  }

  package enum Operation: Hashable, CustomStringConvertible {
    /// Nil: there was no such register.
    case read(RegisterID, Int64?)
    case write(RegisterID, Int64)

    package var description: String {
      switch self {
      case .read(let register, let value): "\(register)?\(value.map(String.init) ?? "-")"
      case .write(let register, let value): "\(register)=\(value)"
      }
    }
  }

  /// The times are those of one clock that never shows the same twice.
  package struct Transaction: CustomStringConvertible {
    package var name: String
    /// The types that it named: it comes in the order of the calls among those that share one. A fetch names none.
    package var types: Set<Int>
    package var operations: [Operation]
    package var called: Int
    /// When the call that asked for it had returned.
    package var accepted: Int
    package var completed: Int
    package var isCommitted: Bool
    /// The subscription that delivered what was read, if it is no transaction or fetch.
    package var subscription: Int?

    package init(
      name: String, types: Set<Int> = [], operations: [Operation] = [], called: Int, accepted: Int, completed: Int,
      isCommitted: Bool = true, subscription: Int? = nil
    ) {
      self.name = name
      self.types = types
      self.operations = operations
      self.called = called
      self.accepted = accepted
      self.completed = completed
      self.isCommitted = isCommitted
      self.subscription = subscription
    }

    package var description: String {
      "\(name) \(called)..\(accepted)..\(completed)\(isCommitted ? "" : " failed"): "
        + operations.map(\.description).joined(separator: " ")
    }
  }

  package var transactions: [Transaction]

  package init(transactions: [Transaction]) {
    self.transactions = transactions
  }

  package var description: String { transactions.map(\.description).joined(separator: "\n") }

  /// What is wrong with the history; nil when the transactions could have been run one after another, in an order that
  /// keeps to that of the calls and to real time.
  package func violation() -> String? {
    var writers: [RegisterID: [Int64: Int]] = [:]
    for (number, transaction) in transactions.enumerated() {
      for case .write(let register, let value) in transaction.operations {
        writers[register, default: [:]][value] = number
      }
    }
    var effects: [Effect] = []
    for transaction in transactions {
      switch Effect.of(transaction) {
      case .success(let effect): effects.append(effect)
      case .failure(let error): return "\(transaction): \(error.reason)"
      }
    }
    for (number, transaction) in transactions.enumerated() where transaction.isCommitted {
      for (register, value) in effects[number].seen {
        guard let value else { continue }
        guard let writer = writers[register]?[value] else { return "\(transaction) read what nobody wrote" }
        guard transactions[writer].isCommitted else { return "\(transaction) read what was undone" }
        guard effects[writer].written[register] == value else {
          return "\(transaction) read in the middle of \(transactions[writer])"
        }
      }
    }
    // Who replaced each value. Two that replace the same one do not know of each other.
    var replacers: [RegisterID: [Int64?: Int]] = [:]
    for (number, transaction) in transactions.enumerated() where transaction.isCommitted {
      for register in effects[number].written.keys {
        guard let seen = effects[number].seen[register] else { return "\(transaction) wrote without reading" }
        if let other = replacers[register, default: [:]].updateValue(number, forKey: seen) {
          return "an update was lost: \(transactions[other]) and \(transaction)"
        }
      }
    }
    var next = order()
    for (number, transaction) in transactions.enumerated() where transaction.isCommitted {
      for (register, value) in effects[number].seen {
        if let value, let writer = writers[register]?[value] { next[writer].insert(number) }
        if let replacer = replacers[register]?[value], replacer != number { next[number].insert(replacer) }
      }
    }
    return cycle(next).map { "these come before each other: " + $0.map { "\n  \(transactions[$0])" }.joined() }
  }

  /// Which transactions come after each one whatever they did: because it had completed before they were called, or
  /// because they share a type and it was called before.
  package func order() -> [Set<Int>] {
    transactions.map { earlier in
      guard earlier.isCommitted else { return [] }
      return Set(
        transactions.indices.filter { index in
          let later = transactions[index]
          guard later.isCommitted else { return false }
          if let subscription = later.subscription {
            // It comes in the order of commits, and before the completion of each. A fetch, or another subscription, may
            // have been ahead of it.
            return (earlier.subscription == subscription || !earlier.types.isEmpty) && earlier.completed < later.called
          }
          return earlier.completed < later.called
            || earlier.accepted < later.called && !earlier.types.isDisjoint(with: later.types)
        })
    }
  }

  private func cycle(_ next: [Set<Int>]) -> [Int]? {
    var isDone = Array(repeating: false, count: next.count)
    var path: [Int] = []
    var isOnPath = Array(repeating: false, count: next.count)
    func visit(_ number: Int) -> [Int]? {
      if isOnPath[number] { return Array(path.drop { $0 != number }) }
      if isDone[number] { return nil }
      path.append(number)
      isOnPath[number] = true
      for successor in next[number].sorted() {
        if let found = visit(successor) { return found }
      }
      path.removeLast()
      isOnPath[number] = false
      isDone[number] = true
      return nil
    }
    for number in next.indices {
      if let found = visit(number) { return found }
    }
    return nil
  }
}

/// What a transaction saw of others, and what it left to them.
private struct Effect {
  var seen: [History.RegisterID: Int64?] = [:]
  var written: [History.RegisterID: Int64] = [:]

  struct Inconsistency: Error {
    let reason: String
  }

  static func of(_ transaction: History.Transaction) -> Result<Effect, Inconsistency> {
    var effect = Effect()
    // What one that failed saw of itself after its failure is nobody's concern.
    guard transaction.isCommitted else { return .success(effect) }
    for operation in transaction.operations {
      switch operation {
      case .read(let register, let value):
        if let own = effect.written[register] {
          if own != value { return .failure(Inconsistency(reason: "did not read its own \(register)=\(own)")) }
        } else if let before = effect.seen[register] {
          if before != value { return .failure(Inconsistency(reason: "read two values of \(register)")) }
        } else {
          effect.seen[register] = .some(value)
        }
      case .write(let register, let value): effect.written[register] = value
      }
    }
    return .success(effect)
  }
}

extension History {
  /// Whether some order explains the history, found out by trying all of them: for small ones, to check the checker.
  package func isExplained() -> Bool {
    let committed = transactions.indices.filter { transactions[$0].isCommitted }
    let later = order()
    func search(_ rest: [Int], _ registers: [RegisterID: Int64]) -> Bool {
      if rest.isEmpty { return true }
      for number in rest where !rest.contains(where: { later[$0].contains(number) }) {
        guard let after = run(transactions[number], registers) else { continue }
        if search(rest.filter { $0 != number }, after) { return true }
      }
      return false
    }
    return search(committed, [:])
  }

  private func run(_ transaction: Transaction, _ registers: [RegisterID: Int64]) -> [RegisterID: Int64]? {
    var registers = registers
    for operation in transaction.operations {
      switch operation {
      case .read(let register, let value): if registers[register] != value { return nil }
      case .write(let register, let value): registers[register] = value
      }
    }
    return registers
  }
}
