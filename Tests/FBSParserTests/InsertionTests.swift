import FBSDiagnostics
import Testing

@testable import FBSParser

/// Where a fix adds an entry, among the comments that are about others.
@Suite("Insertions")
struct InsertionTests {
  /// A text with another field before or after its field `x`.
  private func added(_ text: String, isBefore: Bool) throws -> String {
    let tree = parse(text).tree
    let name = try #require(tree.tokens.indices.first { tree.token($0, is: "x") })
    let offset = Int(tree.tokens[name].start)
    let addition =
      isBefore
      ? tree.addition(of: "n: int;", beforeEntryAt: offset) : tree.addition(of: "  n: int;", afterEntryAt: offset)
    let edit = try #require(addition)
    var bytes = Array(text.utf8)
    bytes.replaceSubrange(edit.range.start..<edit.range.end, with: edit.replacement.utf8)
    let result = String(decoding: bytes, as: UTF8.self)
    #expect(parse(result).diagnostics.isEmpty, "\(result)")
    return result
  }

  @Test(
    "An entry is added above the comments of the next one, and below those at the end of a line",
    arguments: [
      ("a: int;\n  /// Of x.\n  x: int;", "a: int;\n  n: int;\n  /// Of x.\n  x: int;"),
      ("a: int; // Of a.\n  x: int;", "a: int; // Of a.\n  n: int; x: int;"),
      (
        "a: int; // Of a.\n\n  // Next.\n\n  // Of x.\n  x: int;",
        "a: int; // Of a.\n\n  n: int;\n  // Next.\n\n  // Of x.\n  x: int;"
      ),
      ("a: int;\n  /* Of x. */ x: int;", "a: int;\n  n: int;\n  /* Of x. */ x: int;"),
      ("a: int; /* Of x. */ x: int;", "a: int; n: int; /* Of x. */ x: int;"),
      ("a: int; x: int;", "a: int; n: int; x: int;"),
      ("// First.\r\n\t// Of x.\r\n\tx: int;", "// First.\r\n\tn: int;\r\n\t// Of x.\r\n\tx: int;"),
      ("a: int;\r// Of x.\rx: int;", "a: int;\rn: int;\r// Of x.\rx: int;"),
    ])
  func before(_ fields: String, _ expected: String) throws {
    #expect(try added("table T { \(fields)\n}", isBefore: true) == "table T { \(expected)\n}")
  }

  @Test(
    "An entry is added below another one and the comments at the end of its line",
    arguments: [
      ("x: int; // Of x.\n  // The end.\n", "x: int; // Of x.\n  n: int;\n  // The end.\n"),
      ("x: int;\r\n", "x: int;\r\n  n: int;\r\n"), ("x: int;", "x: int;\n  n: int;"),
      ("x: int (a: \";\") /* ; */; /* a */ // ;\n", "x: int (a: \";\") /* ; */; /* a */ // ;\n  n: int;\n"),
    ])
  func after(_ fields: String, _ expected: String) throws {
    #expect(try added("table T { \(fields)}", isBefore: false) == "table T { \(expected)}")
  }

  @Test("Nothing is added beside what is no entry")
  func nowhere() {
    let tree = parse("table T { x: int; }").tree
    #expect(tree.addition(of: "n: int;", beforeEntryAt: 1) == nil)
    #expect(tree.addition(of: "n: int;", afterEntryAt: tree.source.bytes.count) == nil)
    #expect(tree.addition(of: "n: int;", afterEntryAt: tree.source.bytes.count - 1) == nil)
  }
}
