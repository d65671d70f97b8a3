#if compiler(>=6.3) && os(Linux)
  import Dflat
  import Dispatch
  import EngineTestSupport
  import Foundation
  import Golden_post
  import SQLiteDflat
  import TestSupport
  import Testing

  @Suite("A process that is killed leaves what a whole number of large transactions makes of the store")
  struct LargeTransactionCrashTests {
    /// When a process is killed.
    private enum End: Codable, Sendable {
      case afterMicroseconds(UInt32)
      /// Of large transactions.
      case afterAcknowledgements(Int)
    }

    /// What processes leave behind, one after the other.
    private struct Files: Codable, Sendable {
      let folder: String
      var store: String { folder + "/store.sqlite3" }
      /// Numbers of large transactions that were completed with true.
      var acknowledged: String { folder + "/large" }
      /// Numbers of small ones.
      var acknowledgedSmall: String { folder + "/small" }
      /// What went wrong before the process was killed.
      var problems: String { folder + "/problems" }
    }

    @Test("A process killed at a random time, beside small transactions, leaves whole large transactions")
    func killedAtRandomTimes() async throws {
      let folder = NSTemporaryDirectory() + "dflat-large-crash-" + UUID().uuidString
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let files = Files(folder: folder)
      let seed = LongForm.seed
      var random = SeededGenerator(seed: seed)
      var model = LargeModel()
      for round in 0..<LongForm.largeCrashes.size {
        // Every other process is killed as soon as it has been told that a transaction is stored.
        let end: End =
          round % 2 == 0
          ? .afterMicroseconds(UInt32.random(in: 1000...1_200_000, using: &random))
          : .afterAcknowledgements(1 + random.next(20))
        let first = (model.keys[LargeModel.lastKey] ?? 0) + 1
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [
            files = files as Files, seed = seed as Int, round = round as Int, first = first as Int, end = end as End
          ] in
          LargeTransactionCrashTests.write(files, seed, round: round, first: first, until: end)
        }
        let comment = "DFLAT_SEED=\(seed), round \(round), \(end)"
        try Self.check(files, seed, &model, Comment(rawValue: comment))
        LongForm.record(1, "kills while large transactions are written")
      }
    }

    /// Writes until it is killed.
    private static func write(_ files: Files, _ seed: Int, round: Int, first: Int, until end: End) {
      let notes = [files.acknowledged, files.acknowledgedSmall, files.problems].map { path in
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        precondition(file >= 0)
        return file
      }
      // What is written survives the process: it is with the system.
      @Sendable func acknowledge(_ number: Int, in file: Int32) {
        var number = Int64(number)
        precondition(Glibc.write(file, &number, 8) == 8)
      }
      @Sendable func report(_ problem: String) {
        let line = Array((problem + "\n").utf8)
        precondition(Glibc.write(notes[2], line, line.count) == line.count)
      }
      let workspace = SQLiteWorkspace(
        filePath: files.store, fileProtectionLevel: .noProtection, errorHandler: { report("\($0)") })
      if case .afterMicroseconds(let delay) = end {
        Thread.detachNewThread {
          usleep(delay)
          kill(getpid(), SIGKILL)
        }
      } else {
        // One that is told of too few would write for ever.
        Thread.detachNewThread {
          Thread.sleep(forTimeInterval: patience)
          _exit(9)
        }
      }
      for (thread, type) in RegisterType.all.enumerated() {
        Thread.detachNewThread {
          for count in 1..<10_000_000 {
            let number = round * 10_000_000 + count
            workspace.performChanges([type.type]) { context in
              do { try type.create(context, Int64(number), Int64(number)) } catch { report("\(number): \(error)") }
              if number % 7 == 3 { context.abort() }
            } completionHandler: {
              if $0 { acknowledge(number * 3 + thread, in: notes[1]) }
            }
            usleep(count % 20 == 0 ? 20_000 : 500)
          }
        }
      }
      let writer = LargeWriter(workspace, seed: seed, report: report)
      // The next one is asked for before the one before it has completed.
      let mayAsk = DispatchSemaphore(value: 2)
      let stored = Locked(0)
      for number in first... {
        mayAsk.wait()
        writer.perform(number) { isAborted, isStored in
          if isStored {
            acknowledge(number, in: notes[0])
            let count = stored.change { count in
              count += 1
              return count
            }
            if case .afterAcknowledgements(count) = end { kill(getpid(), SIGKILL) }
          }
          if isStored == isAborted { report("\(number) completes with \(isStored)") }
          mayAsk.signal()
        }
      }
    }

    private static func numbers(_ path: String) -> [Int] {
      let notes = FileManager.default.contents(atPath: path) ?? Data()
      return notes.withUnsafeBytes { bytes in
        stride(from: 0, through: bytes.count - 8, by: 8).map {
          Int(bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self))
        }
      }
    }

    /// Checks what a process has left, and brings the model up to it.
    private static func check(_ files: Files, _ seed: Int, _ model: inout LargeModel, _ comment: Comment) throws {
      let acknowledged = numbers(files.acknowledged)
      let small = numbers(files.acknowledgedSmall)
      let problems = FileManager.default.contents(atPath: files.problems) ?? Data()
      #expect(String(decoding: problems, as: UTF8.self) == "", comment)
      guard FileManager.default.fileExists(atPath: files.store) else {
        #expect(acknowledged.isEmpty && small.isEmpty, comment)
        return
      }
      #expect(try PlainSQL.run("PRAGMA integrity_check", in: files.store) == [["ok"]], comment)
      let errors = Collected<any Error>()
      let workspace = SQLiteWorkspace(
        filePath: files.store, fileProtectionLevel: .noProtection, errorHandler: { errors.append($0) })
      defer { workspace.shutdown() }
      let stored = LargeModel(in: workspace)
      let last = stored.keys[LargeModel.lastKey] ?? 0
      #expect(last >= acknowledged.max() ?? 0, comment)
      var count = 0
      for number in stride(from: (model.keys[LargeModel.lastKey] ?? 0) + 1, through: last, by: 1) {
        let plan = LargePlan(seed: seed, number: number, after: model)
        count += 1
        if !plan.isAborted { model = plan.model }
      }
      LongForm.record(count, "large transactions that were whole after kills")
      let isWhole = stored == model
      #expect(isWhole, "\(comment), up to \(last): \(stored.differences(from: model))")
      // Each round begins with what is there.
      model = stored
      for (thread, type) in RegisterType.all.enumerated() {
        let registers = type.readAll(workspace)
        let expected = small.filter { $0 % 3 == thread }.map { Int64($0 / 3) }
        let areThere = Set(registers.keys).isSuperset(of: expected)
        #expect(areThere, comment)
        #expect(registers.allSatisfy { $0.key == $0.value && $0.key % 7 != 3 }, comment)
      }
      try checkIndexes(files, workspace, comment)
      #expect(errors.values.isEmpty, "\(comment): \(errors.values)")
    }

    private static func checkIndexes(_ files: Files, _ workspace: SQLiteWorkspace, _ comment: Comment) throws {
      func expect(_ table: String, _ index: String, _ values: [(Int64, String)]) throws {
        guard !values.isEmpty else { return }
        let entries = try PlainSQL.run("SELECT rowid, \(index) FROM \(table)__\(index) ORDER BY rowid", in: files.store)
        let isRight = entries == values.map { ["\($0.0)", $0.1] }
        #expect(isRight, "\(comment): \(table), \(index)")
      }
      try expect("post", "f10", workspace.fetch(for: Post.self).all().map { ($0._rowid, "\($0.priority)") })
      let things = workspace.fetch(for: Thing.self).all()
      try expect(Thing._record.table, "f8", things.map { ($0._rowid, "\($0.big)") })
      try expect(Thing._record.table, "f10", things.map { ($0._rowid, "\($0.ratio)") })
      try expect(Thing._record.table, "f12", things.map { ($0._rowid, $0.flag ? "1" : "0") })
      try expect(Thing._record.table, "f14", things.map { ($0._rowid, $0.note ?? "") })
    }
  }
#endif
