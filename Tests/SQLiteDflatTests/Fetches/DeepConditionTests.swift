import Dflat
import EngineTestSupport
import Golden_post
import SQLiteDflat
import TestSupport
import Testing

@Suite("A condition finds what it is true for, however deep it is nested")
struct DeepConditionTests {
  private typealias Condition = QueryExpression<Bool, Post>

  /// How a level is nested in the one around it.
  enum Nesting: CaseIterable {
    case not, orAndRight, andOrLeft, orChain, orChainRight, random
  }

  private func nested(_ depth: Int, _ nesting: Nesting, _ leaf: (Int) -> Condition, seed: UInt64) -> Condition {
    var random = SeededGenerator(seed: seed)
    var condition = leaf(0)
    for level in 1...depth {
      let other = leaf(level)
      switch nesting {
      case .not: condition = !condition
      case .orAndRight: condition = level % 2 == 0 ? other || condition : other && condition
      case .andOrLeft: condition = level % 2 == 0 ? condition && other : condition || other
      case .orChain: condition = condition || other
      case .orChainRight: condition = other || condition
      case .random:
        switch Int.random(in: 0..<5, using: &random) {
        case 0: condition = !condition
        case 1: condition = condition && other
        case 2: condition = other && condition
        case 3: condition = condition || other
        default: condition = other || condition
        }
      }
    }
    return condition
  }

  @Test(
    "A deep condition on the primary key, on an indexed field or on both finds the right objects",
    arguments: Nesting.allCases, [1, 2, 8, 15, 16, 17, 23, 31, 46, 90, 200, 600])
  func everyDepth(nesting: Nesting, depth: Int) throws {
    let store = try TestStore()
    store.perform([Post.self]) { context in
      for number in 0..<40 {
        context.try(
          submit: PostChangeRequest.creationRequest(Post(title: "\(number % 8)\(number)", priority: Int32(number % 7))))
      }
    }
    let all = store.workspace.fetch(for: Post.self).all()
    let leaves: [(Int) -> Condition] = [
      { $0 % 3 == 0 ? Post.title == "\($0 % 8)\($0 % 40)" : Post.title > "\($0 % 9)" },
      { $0 % 3 == 0 ? Post.priority == Int32($0 % 7) : Post.priority < Int32($0 % 5) },
      { $0 % 2 == 0 ? Post.priority == Int32($0 % 7) : Post.title < "\($0 % 9)" },
    ]
    for (index, leaf) in leaves.enumerated() {
      let condition = nested(depth, nesting, leaf, seed: UInt64(depth))
      let expected = all.filter { condition.evaluate($0) }.map(\._rowid)
      let query = store.workspace.fetch(for: Post.self)
      #expect(query.where(condition).map(\._rowid) == expected, "leaf \(index)")
      #expect(query.count(where: condition) == expected.count, "leaf \(index)")
      #expect(query.exists(where: condition) == !expected.isEmpty, "leaf \(index)")
    }
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}
