import FBSDiagnostics
import FBSSchema
import Testing

@Suite("A declaration tells where its name, type and value stand")
struct DeclarationRangeTests {
  private let text = """
    namespace N;
    enum E: short { A, B = 7 }
    struct S { x: int; }
    table T { plain: E; written: [ int ] = [] (deprecated); number: float = 1.5; }
    union U: ushort { T, Alias: N.S = 9, N.S }
    root_type T; file_identifier "WXYZ";
    """

  private func text(_ range: SourceRange?) -> String? {
    range.map { String(decoding: Array(text.utf8)[$0.start..<$0.end], as: UTF8.self) }
  }

  private func ranges(_ declaration: Declaration) -> [String?] {
    [text(declaration.nameRange), text(declaration.typeRange), text(declaration.valueRange)]
  }

  @Test("Fields, values, members and the types of numbers have the ranges of their text")
  func ranges() throws {
    let compilation = compile(text)
    #expect(compilation.errors.isEmpty)
    let schema = compilation.schema
    #expect(schema.enums.map { ranges($0.declaration) } == [["E", "short", nil]])
    #expect(schema.enums[0].values.map { ranges($0.declaration) } == [["A", nil, nil], ["B", nil, "7"]])
    #expect(schema.structs[0].fields.map { ranges($0.declaration) } == [["x", "int", nil]])
    #expect(
      schema.tables[0].fields.map { ranges($0.declaration) } == [
        ["plain", "E", nil], ["written", "[ int ]", "[]"], ["number", "float", "1.5"],
      ])
    #expect(schema.unions.map { ranges($0.declaration) } == [["U", "ushort", nil]])
    #expect(
      schema.unions[0].members.map { ranges($0.declaration) } == [
        ["T", nil, nil], ["Alias", "N.S", "9"], ["S", nil, nil],
      ])
    #expect(text(schema.files[0].fileIdentifierRange) == "\"WXYZ\"")
  }

  @Test("A declaration takes no more memory than it did with one range")
  func size() {
    // Two references, a range of three integers and two compact ones.
    #expect(MemoryLayout<Declaration>.stride <= 64)
  }
}
