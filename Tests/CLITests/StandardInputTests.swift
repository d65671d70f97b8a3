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
    for command in [["compile", "-o", "out"], ["lint"], ["format", "--check"], ["convert", "-t", "post.bin"]] {
      let unused = try run(
        productsFolder.appending(path: "dflatc"), command + ["--stdin-name", "a.fbs", "b.fbs"])
      #expect(unused.status == 2 && unused.error.contains("give - as an input, too"), "\(command): \(unused.error)")
    }
    let folder = try dflatc("compile", "-o", "out", "--stdin-name", "a/", "-")
    #expect(folder.status == 2 && folder.error.contains("takes the path of a schema, and not 'a/'"))
  }

  @Test("Lint reports nothing of standard input that stands for a file that is left out, and format passes it through")
  func leftOut() throws {
    try withFolder { folder in
      try folder.write(#"{ "vendored": ["third_party"], "exclude": ["gen_*.fbs"] }"#, to: ".dflatc.json")
      for text in ["table bad_name{a:int;}", "table {", ""] {
        for name in ["third_party/x.fbs", "gen_x.fbs"] {
          let lint = try pipe(text, "lint --stdin-name \(name) -", in: folder)
          #expect(lint.status == 0 && lint.output.isEmpty && lint.error.isEmpty, "\(lint)")
          let format = try pipe(text, "format --stdin-name \(name) -", in: folder)
          #expect(format.status == 0 && format.output == text && format.error.isEmpty, "\(format)")
          for option in ["--check", "--diff"] {
            let result = try pipe(text, "format \(option) --stdin-name \(name) -", in: folder)
            #expect(result.status == 0 && result.output.isEmpty && result.error.isEmpty, "\(result)")
          }
        }
      }
      let other = try pipe("table bad_name{a:int;}", "lint --stdin-name own.fbs -", in: folder)
      #expect(other.status == 1 && other.error.contains("--> own.fbs:1:7\n"), "\(other)")
    }
  }
}
