import Foundation
import TestSupport
import Testing

@Suite("Outputs of schemas have distinct names")
struct OutputNameTests {
  private func compile(_ arguments: String..., in folder: URL) throws -> ProcessResult {
    try run(
      productsFolder.appending(path: "dflatc"), ["compile", "--emit", "accessors", "-o", "out"] + arguments, in: folder)
  }

  private func withSchemas(_ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      try folder.write("namespace Blog; table Post { x: int; }\n", to: "schemas/blog/post.fbs")
      try folder.write("table User { x: int; }\n", to: "schemas/users/user.fbs")
      try body(folder)
    }
  }

  /// The outputs, without the declarations of namespaces.
  private func names(_ folder: URL) throws -> [String] {
    try folder.appending(path: "out").names().filter { !$0.contains("_namespace_") }
  }

  @Test("Outputs of inputs with one name contain their folders, and others keep their names")
  func sameName() throws {
    try withSchemas { folder in
      #expect(try compile("schemas", in: folder).status == 0)
      #expect(try names(folder) == ["post_generated.swift", "user_generated.swift"])
      try folder.write("namespace Orders; table Post { x: int; }\n", to: "schemas/orders/post.fbs")
      let second = try compile("schemas", in: folder)
      #expect(second.status == 0)
      #expect(
        second.error
          == "note: out/post_generated.swift is of an earlier run, when one input alone was called post.fbs; "
          + "--clean removes it\n")
      #expect(try compile("--clean", "schemas", in: folder).error.isEmpty)
      let both = ["blog_post_generated.swift", "orders_post_generated.swift", "user_generated.swift"]
      #expect(try names(folder) == both)
      let text = try String(contentsOf: folder.appending(path: "out/orders_post_generated.swift"), encoding: .utf8)
      #expect(text.contains(" from orders/post.fbs. ") && text.contains("Orders") && !text.contains("Blog"))
      let difference = try compile("--diff", "schemas", in: folder)
      #expect(difference.status == 0 && difference.output.isEmpty && difference.error.isEmpty)
      // A third one, wherever it stands, leaves the names of these alone.
      try folder.write("namespace Old; table Post { x: int; }\n", to: "schemas/old/v1/Post.fbs")
      #expect(try compile("--depfile", "d", "schemas", in: folder).error.isEmpty)
      #expect(try names(folder) == (both + ["old_v1_Post_generated.swift"]).sorted())
      let dependencies = try String(contentsOf: folder.appending(path: "d"), encoding: .utf8)
      #expect(dependencies.contains("out/old_v1_Post_generated.swift"))
    }
  }

  @Test("A later run says when it replaces the outputs of another schema of the same name")
  func laterRuns() throws {
    try withSchemas { folder in
      func compile(_ arguments: String...) throws -> ProcessResult {
        try run(productsFolder.appending(path: "dflatc"), ["compile", "-o", "out"] + arguments, in: folder)
      }
      try folder.write("namespace Orders; table Post { id: int; }\n", to: "schemas/orders/post.fbs")
      #expect(try compile("schemas/blog/post.fbs").error.isEmpty)
      // One note for each schema, whatever was emitted.
      let second = try compile("schemas/orders/post.fbs")
      #expect(
        second.error == "note: out/post_generated.swift held Blog.PostReader, and is replaced: "
          + "schemas of one name need --root, or one run, to share a folder\n")
      #expect(second.status == 0)
      // A schema that changes keeps a type, and types that are new replace nothing.
      try folder.write(
        "namespace Orders; table Post { a: int; }\ntable Item { x: int; }\n", to: "schemas/orders/post.fbs")
      #expect(try compile("schemas/orders/post.fbs").error.isEmpty)
      try folder.write("namespace Orders; table Item { x: int; }\n", to: "schemas/orders/post.fbs")
      #expect(try compile("schemas/orders/post.fbs").error.isEmpty)
      #expect(try compile("--root", "schemas", "schemas/blog/post.fbs").error.isEmpty)
      #expect(try compile("--root", "schemas", "schemas/orders/post.fbs").error.isEmpty)
    }
  }

  @Test("The outputs of another schema are known also if their lines end with CR LF")
  func lineEnds() throws {
    try withSchemas { folder in
      try folder.write("namespace Orders; table Post { id: int; }\n", to: "schemas/orders/post.fbs")
      #expect(try compile("schemas/blog/post.fbs", in: folder).error.isEmpty)
      let file = folder.appending(path: "out/post_generated.swift")
      let text = try String(contentsOf: file, encoding: .utf8)
      try folder.write(text.replacing("\n", with: "\r\n"), to: "out/post_generated.swift")
      let second = try compile("schemas/orders/post.fbs", in: folder)
      #expect(second.status == 0 && second.error.contains("post_generated.swift held Blog.Post"), "\(second.error)")
    }
  }

  @Test("Output names begin at the deepest folder that holds all inputs of one name")
  func files() throws {
    try withSchemas { folder in
      try folder.write("namespace Outer; table Post { x: int; }\n", to: "schemas/post.fbs")
      let absolute = folder.appending(path: "schemas/post.fbs").path
      #expect(try compile("schemas/blog/post.fbs", absolute, "./schemas/post.fbs", in: folder).status == 0)
      #expect(try names(folder) == ["blog_post_generated.swift", "post_generated.swift"])
    }
  }

  @Test("With --root, each output is named after its schema's path, whatever other inputs there are")
  func root() throws {
    try withSchemas { folder in
      #expect(try compile("--root", ".", "schemas/blog", "schemas/users/user.fbs", in: folder).status == 0)
      #expect(try names(folder) == ["schemas_blog_post_generated.swift", "schemas_users_user_generated.swift"])
      let outside = try compile("--root", "schemas/blog", "schemas", in: folder)
      #expect(outside.status == 2)
      #expect(outside.error.contains("schemas/users/user.fbs is not below schemas/blog, which --root names."))
    }
  }

  @Test("Paths that give one name are refused, and nothing is written")
  func collision() throws {
    try withFolder { folder in
      try folder.write("table A { x: int; }\n", to: "a/b/post.fbs")
      try folder.write("table B { x: int; }\n", to: "a_b/post.fbs")
      let result = try compile("a", "a_b", in: folder)
      #expect(result.status == 3)
      #expect(result.error.contains("two outputs are called a_b_post_generated.swift: write them to two folders"))
      #expect(try !folder.names().contains("out"))
    }
  }

  @Test("A note names included files whose Swift is missing, and no file that is compiled or not used")
  func ungeneratedIncludes() throws {
    try withFolder { folder in
      try folder.write("enum Color: byte { Red }\n", to: "common/color.fbs")
      try folder.write("table Unused { x: int; }\n", to: "unused.fbs")
      try folder.write(
        "include \"common/color.fbs\";\ninclude \"unused.fbs\";\ntable A { color: Color; }\n", to: "a.fbs")
      let alone = try compile("--strict", "a.fbs", in: folder)
      #expect(alone.status == 0)
      #expect(alone.error.hasPrefix("note[D0310]: the generated code needs `Color` of common/color.fbs"))
      #expect(alone.error.contains("a.fbs:3:18") && !alone.error.contains("unused.fbs, which"))
      #expect(try compile("--compiled", "./common/../common/color.fbs", "a.fbs", in: folder).error.isEmpty)
      #expect(try compile("--compiled", "color.fbs", "a.fbs", in: folder).error.hasPrefix("note[D0310]"))
      #expect(try dflatc("compile", "--emit", "json", "-o", "out", "a.fbs", in: folder).error.isEmpty)
      #expect(try compile("a.fbs", "common", in: folder).error.isEmpty)
      #expect(try compile("a.fbs", in: folder).error.isEmpty, "the output folder has its Swift")
      try FileManager.default.removeItem(at: folder.appending(path: "out/color_generated.swift"))
      #expect(try compile("--root", ".", "common", in: folder).status == 0)
      #expect(try compile("a.fbs", in: folder).error.isEmpty, "under the name that --root gives it")
    }
  }
}
