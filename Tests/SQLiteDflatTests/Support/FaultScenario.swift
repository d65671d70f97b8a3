import EngineTestSupport
import CSQLite
import Dflat
import Dispatch
import FaultVFS
import Foundation
import Golden_post
import SQLiteDflat
import Testing

/// What a store has to go through while something fails, and what must hold then and afterwards.
struct FaultScenario {
  /// Where a failure is, for messages.
  let comment: String
  /// Begins to let something fail.
  let arm: () -> Void
  /// Ends that, and returns how often it has failed.
  let disarm: () -> Int32

  /// The file system that fails: installed once, since it becomes that of the whole process. Other tests' files never fail.
  static let isInstalled = fault_install("dflat-fault") == SQLITE_OK

  /// - Parameter isNew: whether the file is made while calls fail.
  /// - Returns: whether a call has failed.
  func run(isNew: Bool) throws -> Bool {
    let folder = NSTemporaryDirectory() + "dflat-fault-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/store.sqlite3"
    let errors = Collected<any Error>()
    func open(_ errors: Collected<any Error>) -> SQLiteWorkspace {
      SQLiteWorkspace(
        filePath: path, fileProtectionLevel: .noProtection, synchronous: .full, errorHandler: { errors.append($0) })
    }
    let comment = Comment(rawValue: "\(comment), new file: \(isNew)")
    let workspace = open(errors)
    if !isNew { #expect(write([-1], in: workspace) == [-1: true], comment) }
    arm()
    let outcomes = write(Array(0..<12), in: workspace)
    var stored = Set(outcomes.filter { $0.value }.keys.filter { $0 % 6 != 5 })
    if !isNew { stored.insert(-1) }
    // When the file was there before, by another workspace, which has to read from the file what it writes over.
    let second = isNew ? workspace : open(errors)
    let isRewritten = rewrite(in: second)
    var rewritten = isRewritten ? stored : []
    let removed = remove(4, in: second)
    if !isNew { second.shutdown() }
    stored.subtract(removed)
    rewritten.subtract(removed)
    expectRightOrFailed(stored, in: workspace, comment)
    let failures = disarm()

    #expect(outcomes.count == 12, comment)
    #expect(failures > 0 || errors.values.isEmpty, comment)
    // Only what was not expected to fail: the aborted ones.
    if failures == 0 {
      #expect(isRewritten && removed.count == 4 && outcomes.values.filter { !$0 }.count == 2, comment)
    }
    #expect(errors.values.allSatisfy { $0 is SQLiteError || "\($0)".contains("undone") }, comment)
    // What could not be read is no damage of what is stored.
    #expect(!errors.values.contains { ($0 as? SQLiteError)?.code == SQLITE_CORRUPT }, comment)
    expect(stored, rewritten: rewritten, in: workspace, comment)
    #expect(write([100], in: workspace) == [100: true], comment)
    stored.insert(100)
    expect(stored, rewritten: rewritten, in: workspace, comment)
    workspace.shutdown()
    // An error of before may come late: so those from now on are collected apart.
    let laterErrors = Collected<any Error>()
    let reopened = open(laterErrors)
    expect(stored, rewritten: rewritten, in: reopened, comment)
    reopened.shutdown()
    #expect(laterErrors.values.isEmpty, comment)
    #expect(try PlainSQL.run("PRAGMA integrity_check", in: path) == [["ok"]], comment)
    for key in ["f8", "f10", "f12", "f14"] {
      #expect(
        try PlainSQL.run(
          "SELECT count(*) FROM test__thing_v1_1 WHERE rowid NOT IN (SELECT rowid FROM test__thing_v1_1__\(key))",
          in: path) == [["0"]], comment)
    }
    #expect(
      try PlainSQL.run(
        "SELECT count(*) FROM test__thing_v1_1 NATURAL JOIN test__thing_v1_1__f8 WHERE f8 = 2", in: path)
        == [["\(rewritten.count)"]], comment)
    return failures > 0
  }

  private func expect(_ stored: Set<Int>, rewritten: Set<Int>, in workspace: SQLiteWorkspace, _ comment: Comment) {
    let things = workspace.fetch(for: Thing.self).all()
    let posts = workspace.fetch(for: Post.self).all()
    #expect(Set(things.map { Int($0.id) }) == stored, comment)
    #expect(Set(posts.compactMap { Int($0.title) }) == stored, comment)
    // Each is as it was, or as it is written over, and none is half of both.
    #expect(Set(things.filter { $0.big == 2 }.map { Int($0.id) }) == rewritten, comment)
    #expect(Set(posts.filter { $0.tag == FaultScenario.newTag }.compactMap { Int($0.title) }) == rewritten, comment)
    #expect(things.allSatisfy { $0.big == 1 || $0.big == 2 }, comment)
    #expect(posts.allSatisfy { $0.tag == FaultScenario.tag || $0.tag == FaultScenario.newTag }, comment)
  }

  /// More than a page, so that each row has pages of its own.
  private static let tag = String(repeating: "x", count: 6000)
  private static let newTag = String(repeating: "y", count: 6000)

  /// Deletes the first objects, one behind the other, in one transaction; returns the numbers of those that are gone.
  private func remove(_ count: Int, in workspace: SQLiteWorkspace) -> Set<Int> {
    let done = DispatchSemaphore(value: 0)
    let outcomes = Collected<Bool>()
    let numbers = Collected<Int>()
    workspace.performChanges([Post.self, Thing.self]) { context in
      do {
        for post in try workspace.fetch(for: Post.self).throwing.all(limit: .limit(count)) {
          guard let request = PostChangeRequest.deletionRequest(post) else {
            context.abort()
            return
          }
          try context.submit(request)
          numbers.append(Int(post.title) ?? 0)
        }
        for thing in try workspace.fetch(for: Thing.self).throwing.all(limit: .limit(count)) {
          guard let request = ThingChangeRequest.deletion(thing) else {
            context.abort()
            return
          }
          try context.submit(request)
        }
      } catch {
        // What failed has been reported, and so is a fetch that throws.
        context.abort()
      }
    } completionHandler: {
      outcomes.append($0)
      done.signal()
    }
    #expect(done.wait(timeout: .now() + patience) == .success)
    return outcomes.values == [true] ? Set(numbers.values) : []
  }

  /// Gives all objects other values, of the same size, in one transaction; returns how it completed.
  private func rewrite(in workspace: SQLiteWorkspace) -> Bool {
    let done = DispatchSemaphore(value: 0)
    let outcomes = Collected<Bool>()
    workspace.performChanges([Post.self, Thing.self]) { context in
      do {
        for post in try workspace.fetch(for: Post.self).throwing.all() {
          guard let request = PostChangeRequest.changeRequest(post) else {
            context.abort()
            return
          }
          request.tag = FaultScenario.newTag
          try context.submit(request)
        }
        for thing in try workspace.fetch(for: Thing.self).throwing.all() {
          guard let request = ThingChangeRequest.change(thing) else {
            context.abort()
            return
          }
          request.thing = Thing(id: thing.id, big: 2, note: thing.note)
          try context.submit(request)
        }
      } catch {
        // What failed has been reported, and so is a fetch that throws.
        context.abort()
      }
    } completionHandler: {
      outcomes.append($0)
      done.signal()
    }
    #expect(done.wait(timeout: .now() + patience) == .success)
    return outcomes.values == [true]
  }

  /// A fetch while something fails is right, or fails: it never returns a part.
  private func expectRightOrFailed(_ stored: Set<Int>, in workspace: SQLiteWorkspace, _ comment: Comment) {
    let things = workspace.fetch(for: Thing.self).throwing
    let posts = workspace.fetch(for: Post.self).throwing
    func check(_ fetch: () throws(StoreError) -> [Int], line: Int = #line) {
      do throws(StoreError) {
        let found = try fetch()
        #expect(found.sorted() == stored.sorted(), "line \(line), \(comment)")
      } catch {
        guard case .failed(let reason) = error, reason is SQLiteError else {
          Issue.record("\(error), line \(line), \(comment)")
          return
        }
      }
    }
    check { () throws(StoreError) in try things.all().map { Int($0.id) } }
    check { () throws(StoreError) in try posts.all().compactMap { Int($0.title) } }
    check { () throws(StoreError) in try posts.where(Post.priority == 7).compactMap { Int($0.title) } }
    check { () throws(StoreError) in
      try things.where(Thing.note > "", limit: .limit(1000), orderBy: [Thing.note.descending]).map { Int($0.id) }
    }
    check { () throws(StoreError) in
      // As many as there are, in a way that tells how many that are.
      try things.count(where: Thing.big >= 0) == stored.count ? Array(stored) : [-1000]
    }
    check { () throws(StoreError) in
      try posts.exists(where: Post.title == "\(stored.first ?? -2)") == !stored.isEmpty ? Array(stored) : [-1000]
    }
  }

  /// Queues transactions up, each of which stores two objects, or is aborted; returns how they completed.
  private func write(_ numbers: [Int], in workspace: SQLiteWorkspace) -> [Int: Bool] {
    let gate = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    let outcomes = Collected<(Int, Bool)>()
    workspace.performChanges([Post.self, Thing.self]) { _ in gate.wait() }
    for number in numbers {
      group.enter()
      workspace.performChanges([Post.self, Thing.self]) { context in
        do throws(TransactionError) {
          _ = workspace.fetch(for: Post.self).where(Post.title == "none").count
          try context.typedSubmit(
            PostChangeRequest.creationRequest(Post(title: "\(number)", tag: FaultScenario.tag, priority: 7)))
          try context.typedSubmit(ThingChangeRequest.creation(Thing(id: Int64(number), big: 1, note: "\(number)")))
          if number % 6 == 5 { context.abort() }
        } catch {
          #expect(error != .objectAlreadyExists)
        }
      } completionHandler: {
        outcomes.append((number, $0))
        group.leave()
      }
    }
    gate.signal()
    #expect(group.wait(timeout: .now() + patience) == .success)
    return Dictionary(outcomes.values) { $0 && $1 }
  }
}
