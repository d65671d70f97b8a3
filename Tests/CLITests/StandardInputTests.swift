import Foundation
import TestSupport
import Testing

@Suite("Schemas on standard input")
struct StandardInputTests {
  private func pipe(_ text: String, _ arguments: String, in folder: URL) throws -> ProcessResult {
    try folder.write(text, to: "input.txt")
    return try run(
      URL(fileURLWithPath: "/bin/sh"),
      ["-c", "\"$0\" \(arguments) < input.txt", productsFolder.appending(path: "dflatc").path],
      in: folder)
  }

  @Test("A schema on standard input is compiled without a name")
  func withoutName() throws {
    try withFolder { folder in
      let result = try pipe("table T { x: int; }\n", "compile --emit accessors --depfile d -o out -", in: folder)
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
      #expect(try folder.appending(path: "out").names() == ["stdin_generated.swift"])
      #expect(try String(contentsOf: folder.appending(path: "d"), encoding: .utf8) == "out/stdin_generated.swift:\n")
      let wrong = try pipe("table", "compile -o out -", in: folder)
      #expect(wrong.status == 1 && wrong.error.contains("--> <stdin>:1:6"))
    }
  }

  @Test("Standard input with a name stands for that file in diagnostics, outputs and includes")
  func withName() throws {
    try withFolder { folder in
      try folder.write("include \"post.fbs\";\ntable User { post: Post; }\n", to: "schemas/user.fbs")
      try folder.write("table Post { x: int; }\n", to: "schemas/post.fbs")
      let unsaved = "include \"user.fbs\";\ntable Post { title: string; author: User; }\n"
      let arguments = "compile --emit accessors -o out --stdin-name ./schemas/post.fbs"
      let result = try pipe(unsaved, "\(arguments) schemas/user.fbs -", in: folder)
      #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
      let out = folder.appending(path: "out")
      #expect(try out.names() == ["post_generated.swift", "user_generated.swift"])
      #expect(try String(contentsOf: out.appending(path: "post_generated.swift"), encoding: .utf8).contains("title"))
      let wrong = try pipe("table Post { x: Missing; }", "\(arguments) -", in: folder)
      #expect(wrong.status == 1 && wrong.error.contains("--> schemas/post.fbs:1:17"))
      let layout = try pipe("table", "format --stdin-name schemas/post.fbs -", in: folder)
      #expect(layout.error.contains("--> schemas/post.fbs:1:6"))
    }
  }

  @Test("A name without standard input, and one that is none, are wrong usage")
  func mistakes() throws {
    let unused = try dflatc("compile", "-o", "out", "--stdin-name", "a.fbs", "b.fbs")
    #expect(unused.status == 2 && unused.error.contains("give - as an input, too"))
    let folder = try dflatc("compile", "-o", "out", "--stdin-name", "a/", "-")
    #expect(folder.status == 2 && folder.error.contains("takes the path of a schema, and not 'a/'"))
  }
}
