import FlatBuffersCore
import Foundation
import TestSupport
import Testing

@testable import BufferJobs

@Suite("Damaged bytes are safe to read, and verified as by C++")
struct DamagedBytesTests {
  /// Verifies the bytes, and reads them twice, as an owned and as a borrowed buffer. Records an issue if the reads
  /// differ, or if bytes that verify cannot be read completely.
  ///
  /// - Returns: whether the bytes verify.
  private func readAndVerify(_ bytes: [UInt8], _ note: @autoclosure () -> String) -> Bool {
    let buffer = ByteBuffer(bytes)
    let isValid = buffer.isValid(as: EverythingView.self, fileIdentifier: "EVRY")
    let first = Digest(buffer)
    let second = bytes.withUnsafeBytes { Digest(ByteBuffer(unsafeBorrowing: $0)) }
    if first.hash != second.hash || first.unreadable != second.unreadable {
      Issue.record("reads differently the second time: \(note())")
    }
    if isValid, first.unreadable > 0 { Issue.record("verified, yet \(first.unreadable) unreadable: \(note())") }
    return isValid
  }

  @Test("Bytes without a root leave no budget behind that later reads of the thread would exhaust")
  func budgetOfUnreadableBytes() throws {
    var builder = FlatBufferBuilder()
    let text = builder.create(String(repeating: "x", count: 100_000))
    builder.startTable(fieldCount: 1)
    builder.add(text, at: 4)
    try builder.finish(builder.endTable())
    let table = try #require(FlatBufferTable(rootOf: builder.finishedBuffer()))
    let budget = ReadingBudget()
    defer { budget.end() }
    let isReadable = [UInt8](repeating: 0xFF, count: 8).withUnsafeBytes { bytes in
      FlatBufferTable(rootOf: bytes, within: budget) != nil
    }
    #expect(!isReadable)
    for _ in 0..<10 { #expect(table.string(at: 4)?.utf8.count == 100_000) }
  }

  @Test("A prefix of a buffer is safe to read, and verifies if and only if C++ accepts it")
  func prefixes() throws {
    let oracle = try CppOracle.shared.get()
    for seed in 3000..<3015 as Range<UInt64> {
      let bytes = Everything(seed: seed).buffer().array
      let prefixes = (0..<bytes.count).map { [UInt8](bytes[..<$0]) }
      let verdicts = prefixes.map { readAndVerify($0, "seed \(seed), first \($0.count) bytes") }
      #expect(try oracle.verify(prefixes) == verdicts, "seed \(seed)")
      #expect(verdicts.prefix(bytes.count - 8).allSatisfy { !$0 }, "seed \(seed)")
    }
  }

  @Test("Changed bytes are safe to read, verify if and only if C++ accepts them, and then read as there")
  func changes() throws {
    let oracle = try CppOracle.shared.get()
    var accepted = 0
    var refused = 0
    for seed in 4000..<4060 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let bytes = Everything(using: &random).buffer().array
      let copies = damagedCopies(of: bytes, count: 400, using: &random)
      let verdicts = copies.enumerated().map { index, copy in readAndVerify(copy, "seed \(seed), copy \(index)") }
      let cppVerdicts = try oracle.verify(copies)
      for index in copies.indices where verdicts[index] != cppVerdicts[index] {
        Issue.record("seed \(seed), copy \(index): \(verdicts[index]) here, \(cppVerdicts[index]) in C++")
      }
      for (copy, digest) in zip(copies, try oracle.digests(of: copies)) where WireFormatJob.digest(of: copy) != digest {
        Issue.record("seed \(seed): reads differently in C++: \(copy)")
      }
      accepted += verdicts.count { $0 }
      refused += verdicts.count { !$0 }
    }
    // Both outcomes must be common, or the comparison proves nothing.
    #expect(accepted > 3000 && refused > 3000, "\(accepted) accepted, \(refused) refused")
  }

  @Test("Bytes that fuzzing has found are accepted and read as by C++")
  func saved() throws {
    let folder = packageFolder.appendingPathComponent("Quality/Fuzz/Corpus/wire-format")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let inputs = try files.map { [UInt8](try Data(contentsOf: $0)) }
    let digests = try CppOracle.shared.get().digests(of: inputs)
    for (input, digest) in zip(inputs, digests) {
      try VerifierJob.run(input) { _ in digest != nil }
      try WireFormatJob.run(input) { _ in digest }
    }
    #expect(digests.contains { $0 != nil } && digests.contains { $0 == nil })
  }

  @Test("Random bytes are safe to read, and verify if and only if C++ accepts them")
  func noise() throws {
    let oracle = try CppOracle.shared.get()
    var random = SeededGenerator(seed: 5000)
    let buffers = (0..<3000).map { _ in
      // Small numbers are plausible offsets.
      (0..<Int.random(in: 0...120, using: &random)).map { _ in
        random.chance(1, in: 2) ? 0 : UInt8.random(in: 0...40, using: &random)
      }
    }
    let verdicts = buffers.enumerated().map { index, bytes in readAndVerify(bytes, "copy \(index)") }
    #expect(try oracle.verify(buffers) == verdicts)
  }
}
