import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import SQLiteDflat
import TestSupport
import Testing

@Suite("The first write of a type does not disturb fetches of it")
struct FirstWriteTests {
  enum Writer: CaseIterable {
    case sameWorkspace
    case anotherWorkspace
  }

  @Test(
    "A fetch beside the transaction that makes the tables neither fails nor sees a part", arguments: Writer.allCases)
  func fetchesBesideTheFirstWrite(writer: Writer) throws {
    let problems = Collected<String>()
    for _ in 0..<LongForm.firstWrites.size {
      let store = try TestStore()
      let other = store.reopened()
      let stop = Gate()
      let started = Locked(0)
      let fetches = BackgroundThreads(2) { thread in
        started.change { $0 += 1 }
        var number = thread
        while !stop.isOpen {
          fetch(number, store.workspace, problems)
          number += 1
        }
      }
      #expect(eventually { started.value == 2 })
      let target = writer == .sameWorkspace ? store.workspace : other
      // Each type is new in its turn: to the file, too, for the first one only.
      let transactions = [
        PendingTransaction([Post.self], in: target) { context in
          for title in ["a", "b"] {
            context.try(submit: PostChangeRequest.creationRequest(Post(title: title, priority: 1)))
          }
        },
        PendingTransaction([Thing.self], in: target) { context in
          for id in [1, 2] as [Int64] {
            context.try(submit: ThingChangeRequest.creation(Thing(id: id, big: 1, note: "\(id)")))
          }
        },
        PendingTransaction([RegisterType.all[1].type], in: target) { context in
          #expect(throws: Never.self) {
            try RegisterType.all[1].create(context, 1, 1)
            try RegisterType.all[1].create(context, 2, 2)
          }
        },
      ]
      for each in transactions { #expect(each.outcome() == true) }
      stop.open()
      #expect(fetches.end())
      for error in store.errors.values { problems.append("\(error)") }
      for number in 0..<8 { fetch(number, store.workspace, problems, expected: 2) }
      other.shutdown()
    }
    let first = problems.values.prefix(5)
    #expect(first.isEmpty, "\(problems.count) problems")
  }

  /// One of several ways to fetch what is not there, or is there as a whole.
  private func fetch(
    _ number: Int, _ workspace: SQLiteWorkspace, _ problems: Collected<String>, expected: Int? = nil
  ) {
    let posts = workspace.fetch(for: Post.self).throwing
    let things = workspace.fetch(for: Thing.self).throwing
    do throws(StoreError) {
      let count =
        switch number % 8 {
        case 0: try posts.all().count
        case 1: try posts.where(Post.priority == 1).count
        case 2: try things.where(Thing.big == 1, limit: .limit(9), orderBy: [Thing.big.ascending]).count
        case 3: try things.where(Thing.note > "").count
        case 4: try things.count(where: Thing.big > 0)
        case 5: try posts.all(limit: .noLimit, orderBy: [Post.priority.descending]).count
        case 6: RegisterType.all[1].readAll(workspace).count
        default: try posts.exists(where: Post.priority == 1) ? 2 : 0
        }
      if let expected, count != expected { problems.append("\(count) objects at the end") }
      if count != 0 && count != 2 { problems.append("\(count) of 2 objects") }
    } catch {
      problems.append("\(error)")
    }
  }

  @Test("A fetch in a closure beside the transaction that makes the tables does not fail")
  func closuresBesideTheFirstWrite() throws {
    let problems = Collected<String>()
    for _ in 0..<LongForm.firstWrites.size / 2 {
      let store = try TestStore()
      let workspace = store.workspace
      let transactions = (0..<6).map { number in
        PendingTransaction([number % 2 == 0 ? Post.self : Thing.self], in: workspace) { context in
          // Posts, or things.
          fetch([0, 2, 1, 3, 5, 4][number], workspace, problems)
          if number == 2 {
            for title in ["a", "b"] {
              context.try(submit: PostChangeRequest.creationRequest(Post(title: title, priority: 1)))
            }
          } else if number == 3 {
            for id in [1, 2] as [Int64] { context.try(submit: ThingChangeRequest.creation(Thing(id: id, big: 1))) }
          }
        }
      }
      for each in transactions { #expect(each.outcome() == true) }
      for error in store.errors.values { problems.append("\(error)") }
    }
    let first = problems.values.prefix(5)
    #expect(first.isEmpty, "\(problems.count) problems")
  }
}
