import EngineTestSupport
import CSQLite
import Dflat
import Dispatch
import FaultVFS
import Foundation
import Golden_post
import TestSupport
import Testing

@testable import SQLiteDflat

/// The power fails in the middle of what is written: of what was not synced, nothing is on the disk, or all, or any part,
/// down to single sectors. What the disk then holds is opened again.
@Suite("When the power fails, the file is whole, and with .full nothing is lost", .serialized)
struct PowerLossTests {
  @Test("At random calls of the file system", arguments: [true, false])
  func atRandomCalls(isFull: Bool) throws {
    try #require(FaultScenario.isInstalled)
    for seed in LongForm.seeds(LongForm.powerLosses.size).map(UInt64.init) {
      var random = SeededGenerator(seed: seed)
      // As many early calls as late ones: a file is made but once.
      let call = Int(exp(Double.random(in: 0...log(1200), using: &random)))
      try run(isFull: isFull, call: call, seed: seed, &random)
      LongForm.record(1, "losses of power, each with five states of the disk")
    }
  }

  private func run(isFull: Bool, call: Int, seed: UInt64, _ random: inout SeededGenerator) throws {
    let folder = NSTemporaryDirectory() + "dflat-power-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/store.sqlite3"
    power_begin(call)
    defer { power_end() }
    let acknowledged = try write(path, isFull: isFull, &random)
    power_fail()
    for (number, percent) in [0, 100, 50, 90, 20].enumerated() {
      let comment = Comment(rawValue: "call \(call), \(isFull ? "full" : "normal"), seed \(seed), \(percent) %")
      let image = folder + "/image\(number)"
      for suffix in ["", "-wal", "-journal"] {
        _ = power_image(
          path + suffix, image + suffix, Int32(percent), UInt32(truncatingIfNeeded: seed) &+ UInt32(number))
      }
      try check(image, isFull ? acknowledged : [], comment)
    }
  }

  /// Which transactions store something: the others are aborted.
  private static let numbers = (0..<60).filter { $0 % 6 != 5 }

  /// Writes until the power fails.
  ///
  /// - Returns: the transactions that were completed with true before.
  private func write(_ path: String, isFull: Bool, _ random: inout SeededGenerator) throws -> [Int] {
    let errors = Collected<any Error>()
    let acknowledged = Collected<Int>()
    let workspace = SQLiteWorkspace(
      filePath: path, fileProtectionLevel: .noProtection, synchronous: isFull ? .full : .normal,
      errorHandler: { errors.append($0) })
    // The log goes back into the file often, so that it is begun anew while there is still something to lose; or never.
    let pages: UInt32 = [12, 60, 1000][Int.random(in: 0..<3, using: &random)]
    try workspace.core.database.writer().checkpoints.limit = pages
    let group = DispatchGroup()
    for number in 0..<60 where power_has_failed() == 0 {
      let tag = String(repeating: "\(number % 10)", count: Int.random(in: 0...5000, using: &random))
      group.enter()
      workspace.performChanges([Post.self, Thing.self]) { context in
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", tag: tag)))
        context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(number), note: "\(number)")))
        // What is written again and again tells which transaction was the last.
        context.try(submit: PostChangeRequest.upsertRequest(Post(title: "last", tag: tag, priority: Int32(number))))
        if number % 6 == 5 { context.abort() }
      } completionHandler: { success in
        if success, power_has_failed() == 0 { acknowledged.append(number) }
        group.leave()
      }
      // Some are committed together, some alone.
      if Int.random(in: 0..<3, using: &random) == 0 { group.wait() }
    }
    group.wait()
    if Bool.random(using: &random) { workspace.shutdown(flags: .truncate) } else { workspace.shutdown() }
    #expect(errors.values.isEmpty)
    return acknowledged.values
  }

  private func check(_ path: String, _ acknowledged: [Int], _ comment: Comment) throws {
    guard FileManager.default.fileExists(atPath: path) else {
      #expect(acknowledged.isEmpty, comment)
      return
    }
    #expect(try PlainSQL.run("PRAGMA integrity_check", in: path) == [["ok"]], comment)
    let errors = Collected<any Error>()
    let workspace = SQLiteWorkspace(
      filePath: path, fileProtectionLevel: .noProtection, errorHandler: { errors.append($0) })
    defer { workspace.shutdown() }
    let posts = workspace.fetch(for: Post.self).all()
    let numbers = posts.compactMap { Int($0.title) }.sorted()
    #expect(numbers == Array(PowerLossTests.numbers.prefix(numbers.count)), comment)
    #expect(workspace.fetch(for: Thing.self).all().map { Int($0.id) }.sorted() == numbers, comment)
    #expect(posts.first { $0.title == "last" }?.priority == numbers.last.map { Int32($0) }, comment)
    #expect(
      Set(numbers).isSuperset(of: acknowledged), "\(comment): \(numbers.count) are there, not \(acknowledged.count)")
    #expect(errors.values.isEmpty, comment)
  }
}
