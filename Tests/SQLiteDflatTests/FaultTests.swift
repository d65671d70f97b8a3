import CSQLite
import Dflat
import Dispatch
import FaultVFS
import Foundation
import Golden_post
import SQLiteDflat
import Testing

@Suite("When a call of the file system fails, nothing is half-written and the store goes on", .serialized)
struct FaultTests {
  struct Fault: Sendable, CustomStringConvertible {
    let description: String
    let kinds: Int
    let code: Int32
    let isForever: Bool
  }

  static let faults: [Fault] = [false, true].flatMap { isForever in
    [
      ("write", FAULT_WRITE, SQLITE_IOERR | 3 << 8), ("full disk", FAULT_WRITE | FAULT_TRUNCATE, SQLITE_FULL),
      ("sync", FAULT_SYNC, SQLITE_IOERR | 4 << 8), ("read", FAULT_READ, SQLITE_IOERR | 1 << 8),
      ("open", FAULT_OPEN, SQLITE_CANTOPEN), ("shared memory", FAULT_SHARED_MEMORY, SQLITE_IOERR | 21 << 8),
    ].map { (name: String, kinds: Int, code: Int32) in
      Fault(description: name + (isForever ? ", forever" : ""), kinds: kinds, code: code, isForever: isForever)
    }
  }

  /// Installed once, since it becomes the file system of the whole process; other tests' files never fail.
  private static let isInstalled = fault_install("dflat-fault") == SQLITE_OK

  @Test("Each call in turn", arguments: faults)
  func eachCall(fault: Fault) throws {
    try #require(FaultTests.isInstalled)
    // DFLAT_FAULTS sets how many calls are made to fail: all that there are, when it is large.
    let limit = ProcessInfo.processInfo.environment["DFLAT_FAULTS"].flatMap { Int($0) } ?? 12
    for n in 1...limit {
      for isNew in [true, false] where try !run(fault, n, isNew: isNew) && !isNew { return }
    }
  }

  /// - Parameter isNew: whether the file is made while calls fail.
  /// - Returns: whether a call has failed.
  private func run(_ fault: Fault, _ n: Int, isNew: Bool) throws -> Bool {
    let folder = NSTemporaryDirectory() + "dflat-fault-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/store.sqlite3"
    let errors = Collected<any Error>()
    func open() -> SQLiteWorkspace {
      SQLiteWorkspace(
        filePath: path, fileProtectionLevel: .noProtection, synchronous: .full, errorHandler: { errors.append($0) })
    }
    let workspace = open()
    if !isNew { #expect(write([-1], in: workspace) == [-1: true]) }
    fault_arm(Int32(fault.kinds), Int32(n), fault.code, fault.isForever ? 1 : 0)
    let outcomes = write(Array(0..<12), in: workspace)
    let failures = fault_disarm()

    let place = Comment(rawValue: "\(fault) \(n), new file: \(isNew)")
    var stored = Set(outcomes.filter { $0.value }.keys.filter { $0 % 6 != 5 })
    if !isNew { stored.insert(-1) }
    #expect(outcomes.count == 12, place)
    #expect(failures > 0 || errors.values.isEmpty, place)
    // Only what was not expected to fail: the aborted ones.
    if failures == 0 { #expect(outcomes.values.filter { !$0 }.count == 2, place) }
    #expect(errors.values.allSatisfy { $0 is SQLiteError || "\($0)".contains("undone") }, place)
    func check(_ workspace: SQLiteWorkspace) {
      #expect(Set(workspace.fetch(for: Thing.self).all().map { Int($0.id) }) == stored, place)
      #expect(Set(workspace.fetch(for: Post.self).all().compactMap { Int($0.title) }) == stored, place)
    }
    check(workspace)
    #expect(write([100], in: workspace) == [100: true], place)
    stored.insert(100)
    check(workspace)
    workspace.shutdown()
    let reopened = open()
    check(reopened)
    reopened.shutdown()
    #expect(try PlainSQL.run("PRAGMA integrity_check", in: path) == [["ok"]], place)
    for key in ["f8", "f10", "f12", "f14"] {
      #expect(
        try PlainSQL.run(
          "SELECT count(*) FROM test__thing_v1_1 WHERE rowid NOT IN (SELECT rowid FROM test__thing_v1_1__\(key))",
          in: path) == [["0"]], place)
    }
    return failures > 0
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
          try context.submit(
            PostChangeRequest.creationRequest(Post(title: "\(number)", tag: String(repeating: "x", count: 3000))))
          try context.submit(ThingChangeRequest.creation(Thing(id: Int64(number), note: "\(number)")))
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
    #expect(group.wait(timeout: .now() + 60) == .success)
    return Dictionary(outcomes.values) { $0 && $1 }
  }
}
