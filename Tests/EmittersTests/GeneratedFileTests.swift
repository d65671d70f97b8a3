import Emitters
import Testing

@Suite("Names of generated files")
struct GeneratedFileTests {
  @Test("A name that leads outside the output folder is recognized")
  func inside() {
    for name in ["a", "a/b.swift", ".a", "..a", "a../b", "a b"] { #expect(GeneratedFile.isInside(name), "\(name)") }
    for name in ["", "/a", "a/", "a//b", ".", "..", "./a", "../a", "a/../../b", "a/..", "a/./b", "a\0b"] {
      #expect(!GeneratedFile.isInside(name), "\(name)")
    }
  }
}
