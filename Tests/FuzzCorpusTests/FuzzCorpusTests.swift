import Foundation
import FuzzJobs
import TestSupport
import Testing

/// The inputs that fuzzing found worth keeping, and those that once showed a mistake.
@Suite("The saved corpus of the fuzz targets")
struct FuzzCorpusTests {
  private func inputs(_ name: String) throws -> [(name: String, bytes: [UInt8])] {
    let folder = packageFolder.appendingPathComponent("Fuzz/Corpus/\(name)")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return try files.sorted { $0.path < $1.path }.map { ($0.lastPathComponent, [UInt8](try Data(contentsOf: $0))) }
  }

  @Test("Every schema is compiled, shown, laid out and generated from without harm")
  func schemas() throws {
    let inputs = try inputs("schema")
    #expect(inputs.count > 100)
    for (name, bytes) in inputs {
      do throws(Mistake) { try SchemaJob.run(bytes) } catch { Issue.record("\(name): \(error)") }
    }
  }

  @Test("Every pair of schemas is compared and shown without harm")
  func pairs() throws {
    let inputs = try inputs("check")
    #expect(inputs.count > 30)
    for (name, bytes) in inputs {
      do throws(Mistake) { try CheckJob.run(bytes) } catch { Issue.record("\(name): \(error)") }
    }
  }

  @Test("Every buffer is verified and read without harm, and completely if it is accepted")
  func buffers() throws {
    let inputs = try inputs("wire-format")
    #expect(inputs.count > 100)
    for (name, bytes) in inputs {
      do throws(Mistake) { try WireFormatJob.run(bytes) } catch { Issue.record("\(name): \(error)") }
    }
  }
}
