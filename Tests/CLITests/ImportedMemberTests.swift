import Foundation
import TestSupport
import Testing

@Suite("Fields and oneofs that dflatc import cannot write as they stand")
struct ImportedMemberTests {
  @Test(
    "A field or oneof that has a name which a part of another field needs is called otherwise, with a note",
    arguments: [
      ("bytes a = 1; uint32 a_length = 2;", "a_length_value: uint;", "the length of the list `a` needs its name"),
      ("uint32 aLength = 1; repeated I a = 2;", "aLength_value: uint;", "the length of the list `a` needs its name"),
      ("map<string, I> a = 1; I a_length = 2;", "a_length_value: I;", "the length of the list `a` needs its name"),
      ("google.protobuf.Any a = 1; I aLength = 2;", "aLength_value: I;", "the length of the list `a` needs its name"),
      ("string a = 1; bytes a_byte_vector = 2;", "a_byte_vector_value: [ubyte];", "the bytes of the string `a` need"),
      (
        "google.protobuf.StringValue a = 1; I aByteVector = 2;", "aByteVector_value: I;",
        "the bytes of the string `a` need"
      ),
      ("oneof a { I b = 1; } I aType = 2;", "a_oneof: M_a;", "it would need the name of the field `aType` as well"),
      ("oneof a { I b = 1; } I a_type = 2;", "a_oneof: M_a;", "it would need the name of the field `a_type` as well"),
      ("bytes a = 1; oneof a_length { I b = 2; }", "a_length_oneof: M_a_length;", "the length of the list `a` needs"),
      ("bytes a = 1; I a_length = 2; I a_length_value = 3;", "a_length_value_value: I;", "`a_length` is called"),
      // The name that a renamed field needs for its length is not taken either.
      ("bytes I = 1; I I_value_length = 2;", "I_value_value: [ubyte];", "a table has its name"),
    ])
  func neededNames(_ members: String, _ line: String, _ reason: String) throws {
    let (text, notes) = try importedSchema(of: "syntax = \"proto3\"; message M { \(members) } message I {}")
    #expect(text.contains("  " + line), "\(text)")
    #expect(notes.contains(reason), "\(notes)")
  }

  @Test("A field keeps a name that no other field needs")
  func keptNames() throws {
    let (text, notes) = try importedSchema(
      of: """
        message M {
          optional google.protobuf.Empty a = 1; optional int32 a_length = 2; optional bytes b = 3;
          optional int32 b_byte_vector = 4; optional string c = 5; optional int32 c_length = 6;
          oneof d { int32 e = 7; string f = 8; } optional int32 f_byte_vector = 9;
          optional bytes g = 10; optional bytes g_length = 11; optional int32 g_length_length = 12;
        }
        """)
    for line in [
      "a_length: int = null;", "b_byte_vector: int = null;", "c_length: int = null;", "f_byte_vector: int = null;",
      "g_length_value: [ubyte];", "g_length_length: int = null;",
    ] {
      #expect(text.contains("  " + line), "\(line)\n\(text)")
    }
    #expect(notes.components(separatedBy: "is called").count == 2, "\(notes)")
  }

  @Test("The union of a oneof of more than 255 fields has codes of 16 bits", arguments: [255, 256])
  func largeOneof(_ count: Int) throws {
    let fields = (1...count).map { "int32 f\($0) = \($0);" }.joined(separator: " ")
    let (text, notes) = try importedSchema(of: "message M { oneof kind { \(fields) } }")
    #expect(text.contains("union M_kind\(count > 255 ? ": ushort" : "") {"))
    #expect(text.contains("f\(count): M_f\(count)"))
    #expect(notes.contains("its union has `ushort` codes") == (count > 255))
  }

  @Test("An enum of google.protobuf is its number, and a message without a counterpart is bytes")
  func enumsOfGoogle() throws {
    let (text, notes) = try importedSchema(
      of: """
        syntax = "proto3"; package p;
        message A {
          google.protobuf.NullValue nothing = 1; optional google.protobuf.Syntax syntax = 2;
          repeated google.protobuf.Edition editions = 3; google.protobuf.FieldMask mask = 4;
        }
        """)
    for part in ["  nothing: int;", "  syntax: int = null;", "  editions: [int];", "  mask: [ubyte];"] {
      #expect(text.contains(part), "\(part)\n\(text)")
    }
    #expect(notes.contains("google.protobuf.NullValue is an enum: its number is kept"), "\(notes)")
  }
}
