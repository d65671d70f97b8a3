import BufferJobs
import ConversionJobs
import Emitters
import FBSDiagnostics
import FBSParser
import Foundation
import FuzzSupport
import SchemaJobs
import ServerJobs
import StoreJobs
import TestSupport
import Testing

/// The inputs that fuzzing found worth keeping, and those that once showed a mistake.
@Suite("The saved corpus of the fuzz targets")
struct FuzzCorpusTests {
  /// Gives each input of a target to a job.
  private func replay(
    _ target: String, atLeast count: Int, _ job: ([UInt8]) throws(Mistake) -> Void
  ) throws {
    let inputs = try corpus(target)
    #expect(inputs.count >= count)
    for (name, bytes) in inputs {
      do throws(Mistake) { try job(bytes) } catch { Issue.record("\(target)/\(name): \(error)") }
    }
  }

  @Test("Every text is parsed into a tree that holds all of it, and laid out without a change of its words")
  func texts() throws {
    try replay("format", atLeast: 1, FormatJob.run)
    try replay("schema", atLeast: 100) { (bytes) throws(Mistake) in
      try ParserJob.run(bytes)
      try FormatJob.run(bytes)
    }
  }

  @Test("Every schema is compiled, shown and generated from without harm")
  func schemas() throws {
    try replay("schema", atLeast: 100) { (bytes) throws(Mistake) in
      try SchemaJob.run(bytes)
      try DiagnosticsJob.run(bytes)
      for emitter in EmitterRegistry.all { try EmissionJob.run(bytes, by: emitter) }
    }
  }

  @Test("Every pair of schemas is compared and shown without harm")
  func pairs() throws {
    try replay("check", atLeast: 30, CheckJob.run)
  }

  @Test("Every message to the language server is answered, and its diagnostics are those of the commands")
  func languageServer() throws {
    try replay("server-messages", atLeast: 100, ServerMessagesJob.run)
    try replay("server-edits", atLeast: 100, ServerEditsJob.run)
  }

  @Test("Every buffer is verified and read without harm, and completely if it is accepted")
  func buffers() throws {
    try replay("wire-format", atLeast: 100) { (bytes) throws(Mistake) in
      try VerifierJob.run(bytes)
      try WireFormatJob.run(bytes)
    }
  }

  @Test("Every buffer is changed in place without harm")
  func editors() throws {
    try replay("editors", atLeast: 1, EditorsJob.run)
  }

  @Test("Every object is decoded without harm, and encoded and decoded again it is the same")
  func objects() throws {
    try replay("decode", atLeast: 5, DecodeJob.run)
  }

  @Test("Every row comes or is reported, and queries find what the object says")
  func rows() throws {
    try replay("rows", atLeast: 0, RowsJob().run)
    // The byte that says of which class the rest is does no harm at the end of a row.
    try replay("decode", atLeast: 5, RowsJob().run)
  }

  @Test("Whatever another program does to the tables of a store, what is stored is found")
  func tables() throws {
    try replay("tables", atLeast: 0, TablesJob().run)
    let job = try TablesJob()
    let environment = ProcessInfo.processInfo.environment
    var random = SeededGenerator(seed: environment["DFLAT_SEED"].flatMap { Int($0) } ?? 1)
    for number in 0..<(environment["DFLAT_TABLE_CHANGES"].flatMap { Int($0) } ?? 100) {
      let bytes = (0..<Int.random(in: 1...100, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      do throws(Mistake) { try job.run(bytes) } catch { Issue.record("\(number), \(bytes): \(error)") }
    }
  }

  @Test("Each mistake may be the last one that is told, after which a file is not read on")
  func lastMistake() throws {
    for (name, bytes) in try corpus("schema") {
      let count = Parser.parse(SourceFile(id: FileID(0), path: name, bytes: bytes)).diagnostics.count
      for last in 0..<min(count, 20) {
        let mistakes = [UInt8](repeating: UInt8(ascii: ";"), count: Parser.maximumDiagnostics - 1 - last)
        do throws(Mistake) { try ParserJob.run(mistakes + bytes) } catch { Issue.record("\(name), \(last): \(error)") }
      }
    }
  }

  @Test("Every buffer has the JSON that gives it again, and every JSON a valid buffer")
  func conversions() throws {
    try replay("json", atLeast: 1, JSONJob().run)
    try replay("wire-format", atLeast: 100, JSONJob().print)
    try replay("wire-format", atLeast: 100, JSONJob().run)
  }
}

/// The saved inputs of a target.
func corpus(_ target: String) throws -> [(name: String, bytes: [UInt8])] {
  let folder = packageFolder.appendingPathComponent("Quality/Fuzz/Corpus/\(target)")
  let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
  return try files.sorted { $0.path < $1.path }.map { ($0.lastPathComponent, [UInt8](try Data(contentsOf: $0))) }
}
