import Dflat
import Testing

extension LargeCondition {
  /// Expects that each kind of fetch gives what the condition is on each thing.
  ///
  /// - Parameter workspace: has `LargeCondition.things` and no others, stored in this order.
  package func checkFetches(_ workspace: any Workspace, _ comment: Comment? = nil) {
    #expect(condition.evaluate(object: Self.things[3]) == truths[3], comment)
    let expected = zip(Self.things, truths).filter { $1 == true }.map(\.0.id)
    let things = workspace.fetch(for: Thing.self)
    #expect(things.where(condition).map(\.id) == expected, comment)
    let first = things.where(condition, limit: .limit(5), orderBy: [Thing.id.ascending])
    #expect(first.map(\.id) == Array(expected.prefix(5)), comment)
    #expect(things.count(where: condition) == expected.count, comment)
    #expect(things.exists(where: condition) == !expected.isEmpty, comment)
    #expect(things.first(where: condition)?.id == expected.first, comment)
    // A condition is an order, too: NULL, false, true.
    let ordered = zip(Self.things, truths).sorted {
      let ranks = [$0, $1].map { $0.1.map { $0 ? 2 : 1 } ?? 0 }
      return ranks[0] == ranks[1] ? $0.0.id < $1.0.id : ranks[0] < ranks[1]
    }
    #expect(things.all(orderBy: [condition.ascending]).map(\.id) == ordered.map(\.0.id), comment)
  }
}
