import Dflat
import DflatEngine
import EngineTestSupport
import Testing

@testable import SQLiteDflat

@Suite("A condition of 20,000 operators is answered on a thread with a small stack")
struct LargeConditionTests {
  private static let count = 20_000

  /// 512 KB are what the threads of Dispatch have on Apple's systems.
  @Test(
    "No use of a large condition, from making it to releasing it, overflows the stack",
    arguments: ConditionGrowth.allCases, [64, 512])
  func everyUse(growth: ConditionGrowth, stack: Int) async throws {
    let store = try TestStore()
    PageTests.fill(store: store, with: LargeCondition.things)
    try await onThread(ofStack: stack << 10) {
      let large = LargeCondition(growth, count: Self.count)
      let condition = large.condition
      let same = LargeCondition(growth, count: Self.count).condition
      let other = LargeCondition(growth, count: Self.count - 1).condition
      #expect(condition._node == same._node && condition._node.hashValue == same._node.hashValue)
      #expect(condition._node != other._node && other._node != condition._node)
      #expect(condition._node.description.utf8.count > Self.count)
      #expect(condition._node.size(upTo: .max) > Self.count)

      large.checkFetches(store.workspace)
      let expected = zip(LargeCondition.things, large.truths).filter { $1 == true }.map(\.0.id)
      let things = store.workspace.fetch(for: Thing.self)
      let result = things.where(condition)
      let updates = Collected<[Int64]>()
      let subscription = store.workspace.subscribe(fetchedResult: result) { updates.append($0.map(\.id)) }
      let second = store.workspace.subscribe(fetchedResult: things.where(same)) { _ in }
      if let first = result.first {
        store.perform([Thing.self]) { context in
          ThingChangeRequest.deletion(first).map { _ = context.try(submit: $0) }
        }
        #expect(eventually { updates.values.last == Array(expected.dropFirst()) })
      }
      second.cancel()
      subscription.cancel()
    }
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}
