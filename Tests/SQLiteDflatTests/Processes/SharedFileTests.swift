import EngineTestSupport
import Dflat
import Dispatch
import Foundation
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("Several workspaces share a file")
struct SharedFileTests {
  private func create(_ title: String, _ context: any TransactionContext) {
    context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
  }

  /// To make a new file one with a log takes SQLite a lock for which it does not wait.
  @Test("Several workspaces may open a new file at the same time", arguments: [false, true])
  func openedAtOnce(isOld: Bool) throws {
    for round in 0..<20 {
      let store = try TestStore()
      if isOld {
        // A file without a log, as it is left to be shipped.
        store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.creation(Thing(id: 1))) }
        store.workspace.shutdown(flags: .truncate)
      }
      let workspaces = (0..<4).map { _ in store.reopened() }
      let done = DispatchGroup()
      let outcomes = Collected<Bool>()
      for (number, workspace) in workspaces.enumerated() {
        done.enter()
        workspace.performChanges([Post.self]) { context in
          create("\(number)", context)
        } completionHandler: {
          outcomes.append($0)
          done.leave()
        }
      }
      #expect(done.wait(timeout: .now() + patience) == .success)
      #expect(outcomes.values == [true, true, true, true], "round \(round)")
      #expect(store.errors.values.isEmpty, "\(store.errors.values)")
      for each in workspaces {
        #expect(each.fetch(for: Post.self).count() == 4)
        each.shutdown()
      }
    }
  }

  /// A transaction fails if another workspace replaces what it has read, or takes a key. These create objects with keys of their
  /// own, and read nothing: only row numbers have to be moved.
  @Test("All workspaces of a file may write much, and none fails because of the others")
  func allMayWriteALot() throws {
    let store = try TestStore()
    let workspaces = [store.workspace, store.reopened()]
    let done = DispatchGroup()
    let stored = Collected<Int>()
    for round in 0..<150 {
      let count = round % 2 == 0 ? 1 : 80
      for (number, workspace) in workspaces.enumerated() {
        done.enter()
        workspace.performChanges([Post.self]) { context in
          for part in 0..<count { create("\(number) \(round) \(part)", context) }
        } completionHandler: {
          if $0 { stored.append(count) }
          done.leave()
        }
      }
    }
    #expect(done.wait(timeout: .now() + patience) == .success)
    #expect(stored.count == 300 && store.errors.values.isEmpty, "\(store.errors.values)")
    let total = stored.values.reduce(0, +)
    #expect(workspaces.map { $0.fetch(for: Post.self).count() } == [total, total])
    workspaces[1].shutdown()
  }

  @Test("A workspace may open a shared file by a symbolic link")
  func oneMayReachItByALink() throws {
    let store = try TestStore()
    let path = store.folder + "/link"
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: store.path)
    let other = SQLiteWorkspace(
      filePath: path, fileProtectionLevel: .noProtection, errorHandler: { store.errors.append($0) })
    for number in 0..<20 {
      store.perform([Post.self]) { create("x\(number)", $0) }
      #expect(other.fetch(for: Post.self).count() == 2 * number + 1)
      store.perform([Post.self], in: other) { create("y\(number)", $0) }
      #expect(store.workspace.fetch(for: Post.self).count() == 2 * number + 2)
    }
    other.shutdown()
    #expect(store.errors.values.isEmpty)
  }

  /// Each is let go while most of its transactions have not begun.
  @Test("A workspace that is released without a shutdown finishes its transactions")
  func oneThatIsLetGoWithoutAShutdownDoesWhatItWasToldTo() throws {
    let store = try TestStore()
    let outcomes = Collected<Bool>()
    let done = DispatchGroup()
    weak var core: SQLiteCore?
    for round in 0..<10 {
      let workspace = store.reopened()
      core = workspace.core
      for number in 0..<20 {
        done.enter()
        workspace.performChanges([[Post.self], [Thing.self], [Post.self, Thing.self]][number % 3]) { context in
          if number % 3 != 1 {
            create("\(round) \(number)", context)
          } else if number % 2 == 0 {
            context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(round * 100 + number))))
          }
        } completionHandler: {
          outcomes.append($0)
          done.leave()
        }
      }
    }
    #expect(done.wait(timeout: .now() + patience) == .success)
    #expect(outcomes.values == Array(repeating: true, count: 200))
    #expect(store.workspace.fetch(for: Post.self).count() == 130)
    #expect(eventually { core == nil })
    #expect(store.errors.values.isEmpty)
  }

  @Test("A shutdown with .truncate leaves a file usable that another workspace uses")
  func whatOneCannotTruncateGoesOnForTheOther() throws {
    let store = try TestStore()
    store.perform([Post.self]) { create("a", $0) }
    let other = store.reopened()
    #expect(other.fetch(for: Post.self).count() == 1)
    store.workspace.shutdown(flags: [.truncate, .vacuum])
    // That the file has not become one without a log is said.
    #expect(store.errors.values.map { ($0 as? SQLiteError)?.code } == [5])
    #expect(other.fetch(for: Post.self).count() == 1)
    store.perform([Post.self], in: other) { create("b", $0) }
    #expect(other.fetch(for: Post.self).count() == 2)
    other.shutdown(flags: .truncate)
    #expect(store.errors.count == 1)
    #expect(try store.sql("PRAGMA journal_mode") == [["delete"]])
  }
}
