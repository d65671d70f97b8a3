import CSQLite
import Dflat
import Dispatch
import EngineTestSupport
import FaultVFS
import Foundation
import Golden_codable
import SQLiteDflat
import TestSupport
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

  @Test("Whichever call of the file system fails, nothing is half-written and the store goes on", arguments: faults)
  func eachCall(fault: Fault) throws {
    try #require(FaultScenario.isInstalled)
    for n in 1...LongForm.faults.size {
      let scenario = FaultScenario(comment: "\(fault) \(n)") {
        fault_arm(Int32(fault.kinds), Int32(n), fault.code, fault.isForever ? 1 : 0)
      } disarm: {
        fault_disarm()
      }
      for isNew in [true, false] {
        let hasFailed = try scenario.run(isNew: isNew)
        if hasFailed { LongForm.record(1, "calls of the file system that fail") }
        if !hasFailed, !isNew { return }
      }
    }
  }

  @Test(
    "A transaction fails as a whole when a page cannot be written that the cache has no room for",
    arguments: [1, 7, 40])
  func spilledPage(n: Int32) throws {
    try #require(FaultScenario.isInstalled)
    let folder = NSTemporaryDirectory() + "dflat-fault-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let errors = Collected<any Error>()
    let workspace = SQLiteWorkspace(
      filePath: folder + "/store.sqlite3", fileProtectionLevel: .noProtection, errorHandler: { errors.append($0) })
    func perform(_ changes: @escaping @Sendable (any TransactionContext) -> Void) -> Bool {
      let done = DispatchSemaphore(value: 0)
      let outcome = Collected<Bool>()
      workspace.performChanges([Photo.self], changesHandler: changes) {
        outcome.append($0)
        done.signal()
      }
      done.wait()
      return outcome.values == [true]
    }
    let isStored = perform { context in
      // SQLite's cache holds 2 MB.
      let padding = String(repeating: "x", count: 1_000)
      for number in 0..<4_000 {
        let photo = Photo(title: "\(number) \(padding)", number: 0, origin: Point(x: 1, y: 2), count: -1)
        context.try(submit: PhotoChangeRequest.creationRequest(photo))
      }
    }
    #expect(isStored)
    let photos = workspace.fetch(for: Photo.self).all()
    @Sendable func update(_ context: any TransactionContext) {
      for photo in photos {
        guard let request = PhotoChangeRequest.changeRequest(photo) else { continue }
        request.count = 1
        // Once the failure is known, it is told again and again.
        _ = context.try(submit: request)
      }
    }
    let failures = Collected<Int32>()
    let isUpdated = perform { context in
      fault_arm(Int32(FAULT_WRITE), n, SQLITE_FULL, 1)
      update(context)
      // The fetch applies what was submitted: the commit itself does not fail any more.
      _ = workspace.fetch(for: Photo.self).count()
      failures.append(fault_disarm())
    }
    #expect(!isUpdated)
    #expect(failures.values.allSatisfy { $0 > 0 })
    let isTold = eventually { errors.values.contains { ($0 as? SQLiteError)?.code == SQLITE_FULL } }
    #expect(isTold, "\(errors.values)")
    #expect(workspace.fetch(for: Photo.self).count(where: Photo.count == -1) == 4_000)
    #expect(perform(update))
    #expect(workspace.fetch(for: Photo.self).count(where: Photo.count == 1) == 4_000)
    workspace.shutdown()
    #expect(try PlainSQL.run("PRAGMA integrity_check", in: folder + "/store.sqlite3") == [["ok"]])
  }
}
