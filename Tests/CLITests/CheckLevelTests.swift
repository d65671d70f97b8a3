import Foundation
import TestSupport
import Testing

@Suite("dflatc check: levels, baselines and --conform")
struct CheckLevelTests {
  private let old = """
    table Ask { a: int; }
    table Answer { b: string; }
    table Post { id: string (primary); likes: int; }
    rpc_service Posts { get(Ask): Answer; put(Answer): Answer; }
    root_type Post;

    """
  private let new = """
    table Ask { a: int; }
    table Answer { b: string; }
    table Post { id: string (primary); like_count: int; }
    rpc_service Posts { fetch(Ask): Answer; put(Ask): Answer (streaming: "client"); }
    root_type Post;

    """

  private func rules(_ arguments: String..., in folder: URL) throws -> (status: Int32, rules: [String]) {
    let result = try run(
      productsFolder.appending(path: "dflatc"), ["check", "--format", "gitlab"] + arguments, in: folder)
    let entries = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
    return (result.status, try #require(entries).compactMap { $0["check_name"] as? String })
  }

  @Test("Each level has its own findings")
  func eachLevelHasItsFindings() throws {
    try withFolder { folder in
      try folder.write(old, to: "old.fbs")
      try folder.write(new, to: "new.fbs")
      let calls = ["method-removed", "method-type", "method-streaming"]
      let usual = try rules("old.fbs", "new.fbs", in: folder)
      #expect(usual == (1, ["field-renamed"] + calls))
      #expect(try rules("--level", "storage", "old.fbs", "new.fbs", in: folder) == (0, []))
      #expect(try rules("--level", "source", "old.fbs", "new.fbs", in: folder) == (0, ["field-renamed"]))
      #expect(try rules("--level", "rpc", "old.fbs", "new.fbs", in: folder) == (1, calls))
      // To who keeps JSON, a name that is lost is an error.
      #expect(try rules("--level", "json", "old.fbs", "new.fbs", in: folder) == (1, ["field-renamed"]))
      #expect(try dflatc("check", "--level", "jason", "old.fbs", "new.fbs", in: folder).status == 2)
    }
  }

  @Test("A method that takes and gives other tables has one finding, which names both changes")
  func methodsWithTwoChanges() throws {
    try withFolder { folder in
      let text = "table A { x: int; } table B { y: string; } rpc_service S { get(A): A; }\n"
      try folder.write(text, to: "old.fbs")
      try folder.write(text.replacing("get(A): A", with: "get(B): B"), to: "new.fbs")
      let result = try dflatc("check", "old.fbs", "new.fbs", in: folder)
      #expect(
        result.error.hasPrefix("error[method-type]: `get` took `A`, and takes `B`; it gave `A`, and gives `B`\n"),
        "\(result.error)")
    }
  }

  @Test("To who keeps JSON, a union's member that is renamed with its type is an error")
  func renamedMembers() throws {
    try withFolder { folder in
      func text(_ type: String, _ member: String) -> String {
        "table \(type) { x: int; } union U { \(member) } table Post { id: string (primary); u: U; } root_type Post;"
      }
      try folder.write(text("Note", "Note"), to: "old.fbs")
      try folder.write(text("Memo", "Memo"), to: "new.fbs")
      try folder.write(text("Memo", "Note: Memo"), to: "kept.fbs")
      #expect(try rules("old.fbs", "new.fbs", in: folder) == (0, ["type-renamed"]))
      #expect(try rules("--level", "json", "old.fbs", "new.fbs", in: folder) == (1, ["type-renamed"]))
      #expect(try rules("--level", "json", "old.fbs", "kept.fbs", in: folder) == (0, []))
    }
  }

  @Test("A baseline lets the findings in it through, and no others")
  func aBaselineLetsThroughWhatIsThereAndNothingElse() throws {
    try withFolder { folder in
      try folder.write(old, to: "old.fbs")
      try folder.write(new, to: "new.fbs")
      let written = try dflatc("check", "--write-baseline", "base.json", "old.fbs", "new.fbs", in: folder)
      #expect(written.status == 0 && written.error.contains("4 findings written to base.json"), "\(written.error)")
      #expect(try rules("--baseline", "base.json", "old.fbs", "new.fbs", in: folder) == (0, []))
      // A line above it moves a finding, and one more is found.
      try folder.write("// A comment.\n" + new.replacing("id: string", with: "id: int"), to: "new.fbs")
      let more = try rules("--baseline", "base.json", "old.fbs", "new.fbs", in: folder)
      #expect(more.status == 1 && !more.rules.contains("field-renamed") && more.rules.contains("primary-key"))
      // Each entry lets one finding through, and here are two of the same words.
      try folder.write("table T { a: long; }\ntable U { a: long; }\n", to: "long.fbs")
      try folder.write("table T { a: int; }\ntable U { a: long; }\n", to: "one.fbs")
      try folder.write("table T { a: int; }\ntable U { a: int; }\n", to: "both.fbs")
      _ = try dflatc("check", "--write-baseline", "one.json", "long.fbs", "one.fbs", in: folder)
      try FileManager.default.removeItem(at: folder.appending(path: "one.fbs"))
      try FileManager.default.moveItem(at: folder.appending(path: "both.fbs"), to: folder.appending(path: "one.fbs"))
      #expect(try rules("--baseline", "one.json", "long.fbs", "one.fbs", in: folder) == (1, ["field-type"]))
      #expect(try dflatc("check", "--baseline", "none.json", "old.fbs", "new.fbs", in: folder).status == 3)
      try folder.write("{}", to: "wrong.json")
      #expect(try dflatc("check", "--baseline", "wrong.json", "old.fbs", "new.fbs", in: folder).status == 2)
    }
  }

  @Test("--conform takes the arguments of flatc --conform")
  func conformTakesWhatFlatcTakes() throws {
    try withFolder { folder in
      try folder.write("table C { x: int; }\n", to: "before/c.fbs")
      try folder.write("table C { x: int; y: int; }\n", to: "common/c.fbs")
      let text = "include \"c.fbs\";\ntable Post { c: C; }\nroot_type Post;\n"
      try folder.write(text, to: "base.fbs")
      try folder.write(text, to: "new.fbs")
      let arguments = ["--conform", "base.fbs", "--conform-includes", "before", "-I", "common", "new.fbs"]
      let program = productsFolder.appending(path: "dflatc")
      #expect(try run(program, ["check"] + arguments, in: folder).status == 0)
      try runTool(FlatcTool.system.program, arguments, in: folder)
      try folder.write("table C { x: string; }\n", to: "common/c.fbs")
      let broken = try run(program, ["check"] + arguments, in: folder)
      #expect(broken.status == 1 && broken.error.contains("error[field-type]"), "\(broken.error)")
      let several = try run(program, ["check"] + arguments + ["base.fbs"], in: folder)
      #expect(several.status == 1 && several.error.contains("error[field-type]"), "\(several.error)")
      #expect(try dflatc("check", "--conform", "base.fbs", in: folder).status == 2)
      #expect(try dflatc("check", "--conform-includes", "before", "base.fbs", "new.fbs", in: folder).status == 2)
    }
  }
}
