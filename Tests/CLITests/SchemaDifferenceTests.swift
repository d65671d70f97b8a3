import Foundation
import TestSupport
import Testing

@Suite("dflatc diff")
struct SchemaDifferenceTests {
  private let old = """
    namespace Shop;
    enum Color: byte { Red, Green }
    struct Spot { x: int; }
    /// A post.
    table Post {
      id: string (primary);
      likes: int = 1;
      gone_name: string;
      tag: string;
    }
    table Old { a: int; }
    rpc_service Posts { get(Post): Post; }
    root_type Post;

    """
  private let new = """
    namespace Shop;
    enum Color: byte { Red, Green, Blue }
    struct Spot { x: int; }
    /// A post of somebody.
    table Post {
      id: string (primary);
      likes: long = 2;
      new_name: string;
      tag: string (deprecated);
      many: [Color];
    }
    table Fresh { y: string; z: double; }
    rpc_service Posts { get(Post): Post; put(Post): Post; }
    root_type Post;

    """

  @Test("Each change between two versions is told in words")
  func everyChangeIsToldInWords() throws {
    try withFolder { folder in
      try folder.write(old, to: "old/post.fbs")
      try folder.write(new, to: "new/post.fbs")
      let result = try dflatc("diff", "old", "new", in: folder)
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
      for line in [
        "new/post.fbs\n", "  enum Shop.Color\n    + the value `Blue` is new\n",
        "    ~ the table has another comment\n", "    ! `likes` was `int`, and is `long`\n        error[field-type]: ",
        "the default of `likes` was `1`, and is `2`\n", "the field `gone_name` is called `new_name`\n",
        "    ~ `tag` is marked `(deprecated)`\n", "    + the field `many: [Shop.Color]` is new\n",
        "    + the table is new, with the fields `y: string`, `z: double`\n", "    - the table is gone\n",
        "    + the method `put(Shop.Post): Shop.Post` is new\n", "the new version may not replace the old one\n",
      ] {
        #expect(result.output.contains(line), "\(line)\n\(result.output)")
      }
      #expect(!result.output.contains("Spot"))
    }
  }

  @Test("No finding of the check is missing from the differences in words")
  func whatTheCheckFindsIsNeverMissing() throws {
    try withFolder { folder in
      try folder.write(old, to: "old.fbs")
      try folder.write(new, to: "new.fbs")
      let check = try dflatc("check", "--format", "json", "--level", "source,rpc", "old.fbs", "new.fbs", in: folder)
      let found = try #require(try JSONSerialization.jsonObject(with: Data(check.output.utf8)) as? [String: Any])
      let rules = try #require(found["findings"] as? [[String: Any]]).compactMap { $0["rule"] as? String }
      let diff = try dflatc("diff", "--format", "json", "old.fbs", "new.fbs", in: folder)
      let told = try #require(try JSONSerialization.jsonObject(with: Data(diff.output.utf8)) as? [String: Any])
      let changes = try #require(told["changes"] as? [[String: Any]])
      let attached = changes.flatMap { ($0["findings"] as? [[String: Any]] ?? []).compactMap { $0["rule"] as? String } }
      #expect(!rules.isEmpty && attached.sorted() == rules.sorted())
      #expect(told["compatible"] as? Bool == false)
    }
  }

  @Test(
    "Another file identifier is a change of the file, whatever declaration stands before it, and however it is named",
    arguments: ["", "./"])
  func fileIdentifierIsAChangeOfTheFile(_ start: String) throws {
    try withFolder { folder in
      try folder.write("table Post { a: int; }\nfile_identifier \"ABCD\";\nroot_type Post;\n", to: "old.fbs")
      try folder.write("table Post { a: int; b: int; }\nfile_identifier \"ABCE\";\nroot_type Post;\n", to: "new.fbs")
      let diff = try dflatc("diff", "--format", "json", start + "old.fbs", start + "new.fbs", in: folder)
      let told = try #require(try JSONSerialization.jsonObject(with: Data(diff.output.utf8)) as? [String: Any])
      let changes = try #require(told["changes"] as? [[String: Any]])
      let harmful = changes.filter { ($0["findings"] as? [Any])?.isEmpty == false }
      #expect(harmful.compactMap { $0["text"] as? String } == ["`file_identifier` was `ABCD`, and is `ABCE`"])
      #expect(harmful.allSatisfy { $0["type"] == nil })
      #expect(Set(changes.compactMap { $0["file"] as? String }).count == 1)
    }
  }

  @Test("In Markdown, changes that break are marked, and names are escaped")
  func markdownMarksWhatBreaksAndEscapesTheRest() throws {
    try withFolder { folder in
      try folder.write("table A_b_c { x: int; }\n", to: "old.fbs")
      try folder.write("table A_b_c { x: string; }\n", to: "new.fbs")
      let result = try dflatc("diff", "--format", "markdown", "old.fbs", "new.fbs", in: folder)
      #expect(
        result.output.contains("### new.fbs\n\n**table A\\_b\\_c**\n\n- **Breaking:** `x` was `int`, and is `string`\n")
      )
      let same = try dflatc("diff", "--format", "markdown", "old.fbs", "old.fbs", in: folder)
      #expect(same.output == "Nothing differs.\n")
    }
  }

  @Test("Files that a folder has gained or lost are told")
  func filesOfAFolderComeAndGo() throws {
    try withFolder { folder in
      let repository = try GitRepository(in: folder)
      try repository.write("table A { x: int; }\n", to: "s/a.fbs")
      try repository.write("table B { x: int; }\n", to: "s/b.fbs")
      try repository.commitAll()
      try repository.remove("s/a.fbs")
      try repository.write("table C { y: string; z: int; }\ntable B { x: int; }\n", to: "s/c.fbs")
      try repository.remove("s/b.fbs")
      let result = try repository.dflatc("diff", "--against", "git:HEAD", "s")
      #expect(result.status == 0)
      for line in [
        "s/a.fbs\n  - the file is gone\n", "  table A\n    ! the table is gone\n", "s/c.fbs\n  + the file is new\n",
        "  table B\n    ~ the table was in s/b.fbs\n",
        "  table C\n    + the table is new, with the fields `y: string`, `z: int`\n",
      ] {
        #expect(result.output.contains(line), "\(line)\n\(result.output)")
      }
      let wrong = try repository.dflatc("diff", "--against", "git:nowhere", "s")
      #expect(wrong.status == 3)
      #expect(try repository.dflatc("diff", "s").status == 2)
    }
  }
}
