import Dflat
import EngineTestSupport
import Golden_post
import PostgresDflat
import TestSupport

/// What a client means to do in one transaction, as an application would write it: what its fetches show, it believes.
struct LedgerIntent: Sendable {
  typealias Order = Register<TagB>

  private enum Kind: Sendable {
    case append(chain: Int)
    case transfer(from: Int64, to: Int64, amount: Int64)
    case open(order: Int64)
    case fill(from: Int64)
  }

  /// What a transaction has submitted and seen.
  struct Result: Sendable {
    var effect: LedgerEffect
    /// The newest version of a chain that it has found; -1 for none.
    var newest: (chain: Int, index: Int)?
  }

  /// Why a transaction stores nothing.
  private struct NothingToDo: Error {}

  static let types: [Any.Type] = [Post.self, Thing.self, Order.self]

  let operation: Int64
  private let kind: Kind

  init(_ operation: Int64, _ random: inout SeededGenerator) {
    self.operation = operation
    let accounts = Array(LedgerBank.accounts).shuffled(using: &random)
    kind =
      switch random.next(10) {
      case 0..<4: .append(chain: random.next(LedgerChain.count))
      case 4..<7: .transfer(from: accounts[0], to: accounts[1], amount: Int64(1 + random.next(50)))
      // Some numbers are wanted by several clients.
      case 7..<9: .open(order: Int64(random.next(4) == 0 ? random.next(50) : random.next(1_000_000)))
      default: .fill(from: Int64(random.next(50)))
      }
  }

  /// The versions of a chain, the oldest first.
  static func versions(of chain: Int, in workspace: any Workspace) -> FetchedResult<Post> {
    workspace.fetch(for: Post.self).where(isVersion(of: chain), orderBy: [Post.title.ascending])
  }

  private static func isVersion(of chain: Int) -> QueryExpression<Bool, Post> {
    Post.title > "c\(chain)." && Post.title < "c\(chain)/"
  }

  /// Does it, in the closure of a transaction.
  func perform(_ context: any TransactionContext, _ workspace: any Workspace) throws -> Result {
    switch kind {
    case .append(let chain): return try append(to: chain, context, workspace)
    case .transfer(let from, let to, let amount):
      let source = account(from, workspace)
      let target = account(to, workspace)
      let amount = min(amount, Int64(source.big))
      try store(source, Int64(source.big) - amount, context)
      try store(target, Int64(target.big) + amount, context)
      try note("transfer \(from) \(to) \(amount)", context)
      return Result(effect: .transfer(from: from, to: to, amount: amount))
    case .open(let order):
      try context.submit(RegisterRequest<TagB>(.create, key: order, value: -operation))
      try note("open \(order)", context)
      return Result(effect: .open(order: order))
    case .fill(let first):
      let isOpen = Order.value < 0
      let orders = workspace.fetch(for: Order.self)
      guard
        let order = orders.where(isOpen && Order.key >= first, limit: 1, orderBy: [Order.key.ascending]).first
          ?? orders.where(isOpen, limit: 1).first,
        let latest = CurrentTransaction.latest(order)
      else { throw NothingToDo() }
      try context.submit(RegisterRequest<TagB>(.update(latest), key: latest.key, value: operation))
      try note("fill \(latest.key)", context)
      return Result(effect: .fill(order: latest.key))
    }
  }

  private func append(
    to chain: Int, _ context: any TransactionContext, _ workspace: any Workspace
  ) throws -> Result {
    let newest = workspace.fetch(for: Post.self)
      .where(Self.isVersion(of: chain), limit: 1, orderBy: [Post.title.descending]).first
    let index = newest.map { Int($0.priority) + 1 } ?? 0
    let hash = LedgerChain.hash(after: newest?.tag ?? "", chain, index, operation)
    let version = Post(title: LedgerChain.title(chain, index, operation), tag: hash, priority: Int32(index))
    try context.submit(PostChangeRequest.creationRequest(version))
    return Result(effect: .append(chain: chain, index: index, hash: hash), newest: (chain, index - 1))
  }

  /// An account, which is new if none is found: so an empty answer that nobody gave makes money.
  private func account(_ id: Int64, _ workspace: any Workspace) -> Thing {
    workspace.fetch(for: Thing.self).first(where: Thing.id == id && Thing.name == "account")
      ?? Thing(id: id, name: "account", big: UInt64(LedgerBank.initial))
  }

  private func store(_ account: Thing, _ balance: Int64, _ context: any TransactionContext) throws {
    let new = Thing(id: account.id, name: account.name, big: UInt64(balance))
    let request = ThingChangeRequest.change(account) ?? .upsert(new)
    request.thing = new
    try context.submit(request)
  }

  /// Adds a note of the operation to the journal. A second run that is stored, too, adds another one.
  private func note(_ text: String, _ context: any TransactionContext) throws {
    let title = "j.\(operation).\(UInt32.random(in: 0 ... .max))"
    try context.submit(PostChangeRequest.creationRequest(Post(title: title, tag: text)))
  }
}
