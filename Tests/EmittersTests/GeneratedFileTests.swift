import Emitters
import Testing

@Suite("Names of generated files")
struct GeneratedFileTests {
  @Test("A name that leads outside the output folder is recognized")
  func inside() {
    for name in ["a", "a/b.swift", ".a", "..a", "a../b", "a b"] { #expect(GeneratedFile.isInside(name), "\(name)") }
    // To Swift, a slash before a combining character is none.
    for name in ["../\u{301}a", "a/../\u{301}b", "/\u{301}", "a//\u{301}b", "./\u{301}a"] {
      #expect(!GeneratedFile.isInside(name), "\(name)")
    }
    #expect(GeneratedFile.isInside("a/\u{301}b"))
    for name in ["", "/a", "a/", "a//b", ".", "..", "./a", "../a", "a/../../b", "a/..", "a/./b", "a\0b"] {
      #expect(!GeneratedFile.isInside(name), "\(name)")
    }
  }

  @Test("A file and a folder of one name collide, whatever character follows the slash")
  func fileAndFolder() {
    for name in ["A/b", "a/\u{301}b", "a/b/\u{301}c"] {
      let files = ["a", name].map { GeneratedFile(name: $0, content: []) }
      #expect(GeneratedFile.collision(in: files)?.1.name == name, "\(name)")
    }
    let apart = ["a\u{301}", "a/\u{301}"].map { GeneratedFile(name: $0, content: []) }
    #expect(GeneratedFile.collision(in: apart) == nil)
  }

  @Test("A stem has no slash, whatever character follows the slashes of a path")
  func stem() {
    #expect(Generator.stem(of: "a/b.fbs") == "a_b")
    #expect(!Generator.stem(of: "../\u{301}b.fbs").utf8.contains(UInt8(ascii: "/")))
  }
}
