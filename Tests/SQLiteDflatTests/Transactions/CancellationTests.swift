import EngineTestSupport
import Dflat
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("Cancelling a task drops the transaction that it waits for, until that has begun")
struct CancellationTests {
  private func titles(_ store: TestStore) -> [String] { store.workspace.fetch(for: Post.self).all().map(\.title) }

  private static func create(_ title: String, _ context: any TransactionContext) {
    context.try(submit: PostChangeRequest.creationRequest(Post(title: title)))
  }

  /// Whether it is still to be queued, or is queued, when the task is cancelled: it has not begun.
  @Test("A transaction whose task is cancelled before it begins does not run")
  func cancelledBeforeItBegins() async throws {
    let store = try TestStore()
    let workspace = store.workspace
    let gate = Gate()
    let ran = Collected<Int>()
    let blocker = PendingTransaction([Post.self], in: workspace) { _ in gate.wait() }
    var tasks: [Task<Bool, Never>] = []
    for number in 0..<20 {
      let task = Task {
        await workspace.performChanges([Post.self]) { context in
          ran.append(number)
          Self.create("cancelled \(number)", context)
        }
      }
      tasks.append(task)
      try await Task.sleep(nanoseconds: UInt64.random(in: 0..<2_000_000))
      if number % 2 == 0 { task.cancel() }
    }
    for (number, task) in tasks.enumerated() where number % 2 == 1 { task.cancel() }
    let later = PendingTransaction([Post.self], in: workspace) { Self.create("later", $0) }
    gate.open()
    for task in tasks { #expect(await !task.value) }
    #expect(await onThread { blocker.outcome() == true && later.outcome() == true })
    #expect(ran.values.isEmpty)
    #expect(titles(store) == ["later"])
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("The throwing form throws a cancellation error then")
  func throwingForm() async throws {
    let store = try TestStore()
    let workspace = store.workspace
    let gate = Gate()
    let blocker = PendingTransaction([Post.self], in: workspace) { _ in gate.wait() }
    let task = Task {
      let count: Int = try await workspace.performChanges([Post.self]) { context in
        Self.create("cancelled", context)
        return 1
      }
      return count
    }
    try await Task.sleep(nanoseconds: 1_000_000)
    task.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await onThread { blocker.outcome() == true })
    #expect(titles(store).isEmpty)
  }

  @Test("In a task that is cancelled already, no transaction begins")
  func cancelledTask() async throws {
    let store = try TestStore()
    let workspace = store.workspace
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await workspace.performChanges([Post.self]) { Self.create("cancelled", $0) }
    }
    #expect(await !task.value)
    let throwing = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let count: Int = try await workspace.performChanges([Post.self]) { context in
        Self.create("cancelled, too", context)
        return 1
      }
      return count
    }
    await #expect(throws: CancellationError.self) { try await throwing.value }
    #expect(titles(store).isEmpty)
  }

  @Test("Cancelling the task of a transaction that has begun has no effect")
  func cancelledAfterItHasBegun() async throws {
    let store = try TestStore()
    let workspace = store.workspace
    let (began, gate) = (Gate(), Gate())
    let task = Task {
      await workspace.performChanges([Post.self]) { context in
        began.open()
        gate.wait()
        Self.create("plain", context)
      }
    }
    #expect(await onThread { began.wait() })
    task.cancel()
    gate.open()
    #expect(await task.value)
    let (throwingBegan, throwingGate) = (Gate(), Gate())
    let throwing = Task {
      let value: Int = try await workspace.performChanges([Post.self]) { context in
        throwingBegan.open()
        throwingGate.wait()
        Self.create("throwing", context)
        return 7
      }
      return value
    }
    #expect(await onThread { throwingBegan.wait() })
    throwing.cancel()
    throwingGate.open()
    #expect(try await throwing.value == 7)
    #expect(titles(store) == ["plain", "throwing"])
  }

  @Test("Whenever its task is cancelled, a transaction has run and is stored, or neither")
  func cancelledAtRandom() async throws {
    let store = try TestStore()
    let workspace = store.workspace
    let ran = Collected<String>()
    var stored: Set<String> = []
    var tasks: [(String, Task<Bool, Never>)] = []
    for number in 0..<300 {
      let types: [any Atom.Type] = number % 3 == 0 ? [Post.self, Thing.self] : [Post.self]
      let task = Task {
        await workspace.performChanges(types) { context in
          ran.append("\(number)")
          Self.create("\(number)", context)
        }
      }
      tasks.append(("\(number)", task))
      if number % 7 == 0 { await Task.yield() }
      if let (_, earlier) = tasks.suffix(12).randomElement(), number % 2 == 0 { earlier.cancel() }
    }
    for (title, task) in tasks {
      if await task.value { stored.insert(title) }
    }
    #expect(Set(ran.values) == stored)
    #expect(Set(titles(store)) == stored)
    // Most tasks are not cancelled.
    #expect(stored.count > 100)
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}
