import Foundation
import Testing

@Suite("dflatc compile --diff and --depfile")
struct DiffTests {
  private let schema = "table Post { title: string (primary); }\nroot_type Post;\n"

  @Test("--diff prints nothing when no output would change")
  func diffSaysNothingWhenNothingWouldChange() throws {
    try withFolder { folder in
      try folder.write(schema, to: "post.fbs")
      _ = try dflatc("compile", "-o", "out", "post.fbs", in: folder)
      let result = try dflatc("compile", "--diff", "-o", "out", "post.fbs", in: folder)
      #expect(result.status == 0)
      #expect(result.output.isEmpty)
    }
  }

  @Test("--diff prints what would change and writes nothing")
  func diffShowsWhatWouldChangeAndWritesNothing() throws {
    try withFolder { folder in
      try folder.write(schema, to: "post.fbs")
      _ = try dflatc("compile", "-o", "out", "post.fbs", in: folder)
      let file = folder.appending(path: "out/post_query_generated.swift")
      let before = try Data(contentsOf: file)
      try folder.write(schema.replacing("title", with: "name"), to: "post.fbs")
      let result = try dflatc("compile", "--diff", "-o", "out", "post.fbs", in: folder)
      #expect(result.status == 1)
      #expect(result.error.isEmpty)
      #expect(result.output.contains("--- out/post_query_generated.swift\n+++ out/post_query_generated.swift\n@@ "))
      #expect(result.output.contains("\n-  public static let title"))
      #expect(result.output.contains("\n+  public static let name"))
      #expect(try Data(contentsOf: file) == before)
    }
  }

  @Test("--diff shows a missing file as new")
  func diffShowsAFileThatIsMissingAsNew() throws {
    try withFolder { folder in
      try folder.write(schema, to: "post.fbs")
      let result = try dflatc("compile", "--diff", "-o", "out", "post.fbs", in: folder)
      #expect(result.status == 1)
      #expect(result.output.contains("--- /dev/null\n+++ out/post_generated.swift\n@@ -0,0 +1,"))
      #expect(try folder.names() == ["post.fbs"])
    }
  }

  @Test("--diff says that a binary file would change")
  func diffTellsOfABinaryFile() throws {
    try withFolder { folder in
      try folder.write(schema, to: "post.fbs")
      let result = try dflatc("compile", "--diff", "--emit", "bfbs", "-o", "out", "post.fbs", in: folder)
      #expect(result.status == 1)
      #expect(result.output == "Binary file out/post.bfbs would change\n")
    }
  }

  @Test("A depfile names the outputs and every file that was read")
  func theDepfileNamesOutputsAndAllThatWasRead() throws {
    try withFolder { folder in
      try folder.write("include \"my types.fbs\";\n" + schema, to: "post.fbs")
      try folder.write("table Other { x: int; }", to: "my types.fbs")
      let result = try dflatc(
        "compile", "--emit", "accessors", "--depfile", "deps/post.d", "-o", "out", "post.fbs", in: folder)
      #expect(result.status == 0, "\(result.error)")
      let text = try String(contentsOf: folder.appending(path: "deps/post.d"), encoding: .utf8)
      #expect(text.hasPrefix("out/post_generated.swift:"))
      #expect(text.contains(" post.fbs"))
      #expect(text.contains(" my\\ types.fbs"))
    }
  }
}
