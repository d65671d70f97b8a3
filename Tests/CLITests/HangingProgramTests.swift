import Foundation
import TestSupport
import Testing

@Suite("A program that a test runs")
struct HangingProgramTests {
  @Test("A program that hangs is ended with what it has started, and is a failure")
  func hanging() {
    let start = Date()
    #expect(throws: ProgramFailure.self) {
      _ = try runProgram("sh", ["-c", "sleep 600 & exec sleep 600"], seconds: 1)
    }
    #expect(Date().timeIntervalSince(start) < 500)
  }
}
