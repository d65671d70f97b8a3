import Foundation
import TestSupport
import Testing

@Suite("Fields and oneofs that dflatc import cannot write as they stand")
struct ImportedMemberTests {
  /// Returns the schema that is made of a text, which has to be valid, and the notes.
  private func schema(of text: String) throws -> (text: String, notes: String) {
    try withFolder { folder in
      try folder.write(text, to: "x.proto")
      let result = try dflatc("import", "-o", ".", "x.proto", in: folder)
      try #require(result.status == 0, "\(result.error)")
      let compiled = try dflatc("compile", "-o", "out", "--emit", "bfbs", "x.fbs", in: folder)
      let schema = try String(contentsOf: folder.appending(path: "x.fbs"), encoding: .utf8)
      #expect(compiled.status == 0, "\(compiled.error)\n\(schema)")
      return (schema, result.error)
    }
  }

  @Test("The union of a oneof of more than 255 fields has codes of 16 bits", arguments: [255, 256])
  func largeOneof(_ count: Int) throws {
    let fields = (1...count).map { "int32 f\($0) = \($0);" }.joined(separator: " ")
    let (text, notes) = try schema(of: "message M { oneof kind { \(fields) } }")
    #expect(text.contains("union M_kind\(count > 255 ? ": ushort" : "") {"))
    #expect(text.contains("f\(count): M_f\(count)"))
    #expect(notes.contains("its union has `ushort` codes") == (count > 255))
  }
}
