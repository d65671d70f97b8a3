#if compiler(>=6.3) && os(Linux)
  import CSQLite
  import FaultVFS
  import Foundation
  import Testing

  @Suite("When SQLite gets no memory, nothing is half-written and the store goes on")
  struct MemoryFaultTests {
    /// DFLAT_ALLOCATIONS makes every allocation fail in turn, of the n-th to the last when it is n; a sample of them
    /// otherwise.
    private static let first = ProcessInfo.processInfo.environment["DFLAT_ALLOCATIONS"].flatMap { Int($0) }

    @Test("Each allocation in turn", arguments: [false, true])
    func eachAllocation(isForever: Bool) async {
      // In a process of its own, where nobody has used SQLite before.
      await #expect(processExitsWith: .success) {
        [isForever = isForever as Bool, first = MemoryFaultTests.first as Int?] in
        try #require(fault_memory_install() == SQLITE_OK)
        try #require(FaultScenario.isInstalled)
        for isNew in [true, false] {
          var n = first ?? 1
          while true {
            let scenario = FaultScenario(comment: "allocation \(n)\(isForever ? ", and all that follow" : "")") {
              fault_memory_arm(Int32(n), isForever ? 1 : 0)
            } disarm: {
              fault_memory_disarm()
            }
            if try !scenario.run(isNew: isNew) { break }
            // The first ones are of the opening; later ones are much alike.
            n += first == nil ? 1 + n / 12 : 1
          }
          // There are many, or else none has been made to fail.
          #expect(n > 300)
        }
      }
    }
  }
#endif
