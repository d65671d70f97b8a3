import ConformanceSupport
import FlatBuffersCore
import Foundation
import Golden_differences
import TestSupport
import Testing

/// Each way in which our verifier's verdict is another than that of C++, and why. All others are the same, which
/// `AccessorsConformanceTests` holds.
@Suite("Known differences from the verifier of C++")
struct KnownDifferenceTests {
  private func holder(_ write: (inout FlatBufferBuilder) -> Offset) throws -> ByteBuffer {
    try HolderReader.buffer(write)
  }

  /// `depth` holders, one in the other, the innermost with the nested bytes.
  private func chain(_ depth: Int, nested: ByteBuffer? = nil) throws -> ByteBuffer {
    try holder { builder in
      let bytes: Offset = nested.map { builder.create(nested: $0) } ?? .null
      var root = HolderReader.create(in: &builder, nested: bytes)
      for _ in 1..<depth { root = HolderReader.create(in: &builder, inner: root) }
      return root
    }
  }

  private func mistake(_ buffer: ByteBuffer) -> FlatBufferError? {
    do throws(FlatBufferError) {
      try buffer.verify(as: HolderReader.self)
      return nil
    } catch {
      return error
    }
  }

  @Test("A union's type code without the struct that it means is refused by C++ alone, and reads as nothing here")
  func missingStruct() throws {
    func alone(_ code: UInt8) throws -> ByteBuffer {
      try holder { HolderReader.create(in: &$0, memberType: code) }
    }
    let buffers = try [MemberReader.Code.fixed, MemberReader.Code.other, MemberReader.Code.text, 99].map(alone)
    // C++ computes with the address of a struct also where there is none. What else may be missing, it accepts.
    #expect(try cppVerdicts(buffers) == [false, true, true, true])
    for buffer in buffers {
      #expect(mistake(buffer) == nil)
      #expect(HolderReader(buffer).map { $0.member == nil } == true)
    }
  }

  @Test("The depth of a nested buffer adds to that of the buffer around it; C++ starts anew")
  func nestedDepth() throws {
    let inner = try chain(40)
    let (shallow, deep) = (try chain(24, nested: inner), try chain(25, nested: inner))
    #expect(try cppVerdicts([shallow, deep]) == [true, true])
    #expect(mistake(shallow) == nil)
    guard case .tooDeep? = mistake(deep) else {
      Issue.record("a total depth of 65 is accepted")
      return
    }
    // Otherwise a few kilobytes, nested in each other, would be as deep as the stack.
    #expect(try cppVerdicts([chain(64), chain(65)]) == [true, false])
    #expect(mistake(try chain(64)) == nil)
    #expect(mistake(try chain(65)) != nil)
  }

  @Test("The bytes of a FlexBuffer are bytes; C++ looks into them")
  func flexbuffers() throws {
    let buffer = try holder { builder in
      let bytes = builder.create(vector: [1, 2, 3, 4, 5, 6, 7, 250, 251] as [UInt8])
      return HolderReader.create(in: &builder, flexible: bytes)
    }
    #expect(try cppVerdicts([buffer]) == [false])
    #expect(mistake(buffer) == nil)
    #expect(HolderReader(buffer)?.flexible.count == 9)
  }

  @Test("A required union needs its member, and not its type code: so it is in C++, too")
  func requiredUnion() throws {
    func strict(code: UInt8?, member: Bool) throws -> ByteBuffer {
      try holder { builder in
        let text = builder.create("text")
        builder.startTable(fieldCount: 2)
        builder.add(code, at: 4)
        if member { builder.add(text, at: 6) }
        let strict = builder.endTable()
        return HolderReader.create(in: &builder, strict: strict)
      }
    }
    let text = MemberReader.Code.text
    let buffers = try [
      strict(code: text, member: true), strict(code: nil, member: true), strict(code: text, member: false),
      strict(code: nil, member: false),
    ]
    #expect(try cppVerdicts(buffers) == [true, true, false, false])
    #expect(buffers.map { mistake($0) == nil } == [true, true, false, false])
    #expect(HolderReader(buffers[1])?.strict.map { $0.member == nil } == true)
  }

  /// Whether C++'s generated code accepts each buffer.
  private func cppVerdicts(_ buffers: [ByteBuffer]) throws -> [Bool] {
    let questions = buffers.map { (kind: Character("v"), payload: $0.withUnsafeBytes { [UInt8]($0) }) }
    return try Self.oracle.get().ask(questions).map { $0 == Array("a".utf8) }
  }

  /// Built once in a run, in the package's build folder.
  private static let oracle = Result {
    let schema = packageFolder.appendingPathComponent("Fixtures/differences/schema.fbs")
    return try OracleProgram(
      name: "differences-oracle", source: source,
      schema: (name: "schema.fbs", text: String(contentsOf: schema, encoding: .utf8)))
  }

  private static let source = #"""
    #include <cstdio>
    #include <vector>
    #include "flatbuffers/flexbuffers.h"
    #include "schema_generated.h"

    int main() {
      char kind;
      uint32_t n, one = 1;
      while (fread(&kind, 1, 1, stdin) == 1 && fread(&n, 4, 1, stdin) == 1) {
        std::vector<uint64_t> words(n / 8 + 1);
        const uint8_t *bytes = reinterpret_cast<const uint8_t *>(words.data());
        if (fread(words.data(), 1, n, stdin) != n) return 3;
        flatbuffers::Verifier verifier(bytes, n);
        fwrite(&one, 4, 1, stdout);
        fputc(verifier.VerifyBuffer<Holder>(nullptr) ? 'a' : 'r', stdout);
      }
      return 0;
    }
    """#
}
