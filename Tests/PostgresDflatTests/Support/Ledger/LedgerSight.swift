import EngineTestSupport
import Golden_post

/// A state of a part of the ledger, as a fetch gives it and as a subscriber is told.
struct LedgerSight: Equatable, Sendable {
  /// The titles of a chain's versions in their order, the marks of all orders, or the balances of all accounts.
  var marks: [String]
  /// The money of all accounts; nil if it is no state of the bank.
  var total: Int64?
  /// What is wrong with the state by itself.
  var problem: String?

  /// The versions of a chain.
  init(_ chain: Int, _ versions: [Post]) {
    marks = versions.map(\.title)
    problem = LedgerChain.problem(chain, versions)
  }

  /// All accounts of the bank.
  init(_ accounts: [Thing]) {
    let accounts = accounts.sorted { $0.id < $1.id }
    marks = accounts.map { "\($0.id) has \($0.big)" }
    total = accounts.reduce(0) { $0 + Int64($1.big) }
  }

  /// All orders of the book.
  init(_ orders: [LedgerIntent.Order]) {
    marks = orders.map { LedgerBook.mark($0.key, $0.value) }.sorted()
  }

  /// Returns what is wrong with a state of which somebody hears after this one; nil if nothing is.
  ///
  /// Versions are only ever added to the end of a chain. An order is opened, filled once, and never taken away.
  func problem(before next: LedgerSight) -> String? {
    if total != nil { return nil }
    if marks.first?.hasPrefix("c") ?? next.marks.first?.hasPrefix("c") ?? false {
      if next.marks.starts(with: marks) { return nil }
      return "a chain that ended with \(marks.last ?? "") goes back to \(next.marks.last ?? "nothing")"
    }
    let later = Set(next.marks)
    let fillers = Dictionary(next.marks.map { (Self.order($0), $0) }, uniquingKeysWith: { lhs, _ in lhs })
    for mark in marks where !later.contains(mark) {
      guard let changed = fillers[Self.order(mark)] else { return "the order \(mark) is gone" }
      if !mark.contains("-") || changed.contains("-") { return "the order \(mark) becomes \(changed)" }
    }
    return nil
  }

  private static func order(_ mark: String) -> Substring { mark.prefix { $0 != "." } }
}

extension LedgerChain {
  /// Returns what is wrong with the versions of a chain, the oldest first; nil if each one covers the one before.
  static func problem(_ chain: Int, _ versions: [Post]) -> String? {
    var problem: String?
    var former = ""
    for (index, version) in versions.enumerated() {
      let writer = version.title.split(separator: ".").last.flatMap { Int64($0) } ?? 0
      let hash = LedgerChain.hash(after: former, chain, index, writer)
      if version.tag != hash || version.title != LedgerChain.title(chain, index, writer) {
        problem = "\(version.title) was seen as version \(index) of chain \(chain)"
      }
      former = version.tag ?? ""
    }
    return problem
  }
}
