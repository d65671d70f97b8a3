import Dflat
import Foundation
import Golden_bytes
import TestSupport

/// What every engine has to find by conditions on structs of bytes.
package enum BytesChecks {
  /// Returns what of some conditions and orders, made at random, a workspace does not answer as the stored objects say.
  package static func problems(
    _ generator: inout BytesGenerator, conditions: Int, in workspace: any Workspace, _ comment: String
  ) -> [String] {
    let documents = workspace.fetch(for: Document.self)
    let all = documents.all()
    var problems: [String] = []
    var found = 0
    for number in 0..<conditions {
      let condition = generator.condition(depth: 2)
      let expected = ids(all.filter(condition.holds))
      found += expected.count
      func check(_ path: String, _ ids: [String]) {
        guard ids != expected else { return }
        problems.append("\(comment), \(number), \(path): \(condition.description) finds \(ids), not \(expected)")
      }
      check("where", ids(documents.where(condition.query)))
      check("evaluate", ids(all.filter { condition.query.evaluate($0) }))
      if documents.count(where: condition.query) != expected.count {
        problems.append("\(comment), \(number): count of \(condition.description)")
      }
      let unknown = ids(all.filter { condition.truth($0) == nil })
      if ids(documents.where(condition.query.isNull)) != unknown {
        problems.append("\(comment), \(number): \(condition.description) is not NULL for \(unknown)")
      }
      problems += orderProblems(&generator, condition, all, documents).map { "\(comment), \(number), \($0)" }
    }
    if found == 0 { problems.append("\(comment): no condition finds an object") }
    return problems
  }

  private static func ids(_ documents: some Sequence<Document>) -> [String] { documents.map(\.id.uuidString).sorted() }

  private static func orderProblems(
    _ generator: inout BytesGenerator, _ condition: BytesCondition, _ all: FetchedResult<Document>,
    _ documents: QueryBuilder<Document>
  ) -> [String] {
    let order = generator.order()
    let isDescending = generator.random.chance(50)
    let limit = generator.random.pick([1, 3, 1_000])
    let sorted = all.filter(condition.holds).sorted { lhs, rhs in
      let (a, b) = (order.bytes(lhs), order.bytes(rhs))
      if a == b { return lhs._rowid < rhs._rowid }
      let isBefore = a.map { a in b.map { a.lexicographicallyPrecedes($0) } ?? false } ?? true
      return isBefore != isDescending
    }.prefix(limit)
    let key = isDescending ? order.key.descending : order.key
    let found = documents.where(condition.query, limit: .limit(limit), orderBy: [key])
    guard found.map(\.id) != sorted.map(\.id) else { return [] }
    return ["by \(order.description)\(isDescending ? ", descending" : ""), \(limit): \(condition.description)"]
  }
}

/// Standing queries on structs of bytes, which are to be what a fetch finds after each commit.
package final class BytesObserver: Sendable {
  private let known: Locked<[UUID]>
  private let fetch: @Sendable () -> [UUID]
  private let description: String
  private let subscription: any WorkspaceSubscription

  package init(_ condition: BytesCondition, in workspace: any Workspace) {
    let query = condition.query
    description = condition.description
    let result = workspace.fetch(for: Document.self).where(query)
    let known = Locked(result.map(\.id))
    self.known = known
    fetch = { workspace.fetch(for: Document.self).where(query).map(\.id) }
    subscription = workspace.subscribe(fetchedResult: result) { result in known.change { $0 = result.map(\.id) } }
  }

  /// What is wrong now; nil if nothing is.
  package var problem: String? {
    let (known, fetched) = (known.value, fetch())
    return known == fetched ? nil : "\(description): \(known) is known, and \(fetched) found"
  }

  package func cancel() { subscription.cancel() }
}
