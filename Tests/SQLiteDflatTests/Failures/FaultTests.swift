import CSQLite
import FaultVFS
import Foundation
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

  @Test("Each call in turn", arguments: faults)
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
}
