import FlatBuffersCore
import Foundation
import TestSupport
import Testing

@testable import BufferJobs

@Suite("The C++ library reads and writes the same FlatBuffers")
struct OracleTests {
  private static let seeds: Range<UInt64> = 1000..<1400

  @Test("The C++ verifier accepts a written buffer, which prints like the buffer that C++ writes for the same object")
  func writtenHere() throws {
    let oracle = try CppOracle.shared.get()
    let objects = Self.seeds.map { Everything(seed: $0) }
    let ours = objects.map { $0.buffer().array }
    #expect(try oracle.verify(ours).allSatisfy { $0 })
    let theirs = try oracle.buffers(of: objects.map(\.json))
    let printedOurs = try oracle.json(of: ours)
    let printedTheirs = try oracle.json(of: theirs)
    for (index, seed) in Self.seeds.enumerated() {
      #expect(printedOurs[index] == printedTheirs[index], "seed \(seed)")
    }
  }

  @Test("A buffer that C++ has written verifies, and reads back equal")
  func readHere() throws {
    let oracle = try CppOracle.shared.get()
    let objects = Self.seeds.map { Everything(seed: $0) }
    let theirs = try oracle.buffers(of: objects.map(\.json))
    for (seed, (object, bytes)) in zip(Self.seeds, zip(objects, theirs)) {
      let buffer = ByteBuffer(bytes)
      try buffer.verify(as: EverythingView.self, fileIdentifier: "EVRY")
      let view = try #require(EverythingView(root: buffer))
      #expect(Everything(view) == object, "seed \(seed)")
    }
  }

  @Test("C++ prints defaults if and only if they were forced")
  func forcedDefaults() throws {
    let oracle = try CppOracle.shared.get()
    var object = Everything()
    object.name = "x"
    let plain = try oracle.json(of: [object.buffer().array])[0]
    let forced = try oracle.json(of: [object.buffer(forceDefaults: true).array])[0]
    #expect(plain == #"{"name": "x"}"#)
    #expect(forced.contains(#""answer": 42"#) && forced.contains(#""b": false"#))
    #expect(!forced.contains("maybe"))
  }

  @Test("The C++ verifier accepts a size-prefixed buffer only as size-prefixed")
  func sizePrefixed() throws {
    let oracle = try CppOracle.shared.get()
    let buffers = (0..<50 as Range<UInt64>).map { seed in
      var builder = FlatBufferBuilder()
      let root = Everything(seed: seed).write(&builder)
      return bytesOf(&builder, root: root, fileIdentifier: "EVRY", sizePrefixed: true)
    }
    #expect(try oracle.verify(buffers, sizePrefixed: true).allSatisfy { $0 })
    #expect(try oracle.verify(buffers).allSatisfy { !$0 })
    for (seed, bytes) in buffers.enumerated() {
      let buffer = ByteBuffer(bytes)
      try buffer.verify(as: EverythingView.self, fileIdentifier: "EVRY", sizePrefixed: true)
      let view = try #require(EverythingView(root: buffer, sizePrefixed: true))
      #expect(Everything(view) == Everything(seed: UInt64(seed)))
    }
  }

  @Test("flatc reads a written leaf, and a leaf that flatc has written reads back equal")
  func flatc() throws {
    try withTemporaryFolder { (directory) throws in
      let schema = "table Leaf { name: string; value: int = 5; } root_type Leaf;"
      try Data(schema.utf8).write(to: directory.appendingPathComponent("leaf.fbs"))
      var builder = FlatBufferBuilder()
      let root = Leaf(name: "漢\u{0}\"x", value: -3).write(&builder)
      try Data(bytesOf(&builder, root: root)).write(to: directory.appendingPathComponent("ours.bin"))
      let toText = ["--json", "--strict-json", "--raw-binary", "leaf.fbs", "--", "ours.bin"]
      _ = try runTool("flatc", toText, in: directory)
      let text = try Data(contentsOf: directory.appendingPathComponent("ours.json"))
      let printed = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
      #expect(printed["name"] as? String == "漢\u{0}\"x")
      #expect(printed["value"] as? Int == -3)

      try Data(#"{"name": "é\u0000", "value": 7}"#.utf8).write(to: directory.appendingPathComponent("theirs.json"))
      _ = try runTool("flatc", ["-b", "leaf.fbs", "theirs.json"], in: directory)
      let bytes = try Data(contentsOf: directory.appendingPathComponent("theirs.bin"))
      let buffer = ByteBuffer([UInt8](bytes))
      try buffer.verify(as: LeafView.self)
      let view = try #require(LeafView(root: buffer))
      #expect(Leaf(view) == Leaf(name: "é\u{0}", value: 7))
    }
  }
}

extension ByteBuffer {
  /// The bytes as an array.
  var array: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}
