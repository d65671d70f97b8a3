import Foundation
import TestSupport
import Testing

@Suite("dflatc compile of independent modules")
struct CompileModulesTests {
  private func compile(_ arguments: String..., in folder: URL) throws -> ProcessResult {
    try run(productsFolder.appending(path: "dflatc"), ["compile", "-o", "out"] + arguments, in: folder)
  }

  @Test("Files that define the same name, and that no file includes together, are compiled each for itself")
  func independentModules() throws {
    try withFolder { folder in
      try folder.write("enum Color: byte { red }\ntable A { c: Color; }\n", to: "a.fbs")
      try folder.write("enum Color: short { blue }\ntable B { c: Color; }\n", to: "b.fbs")
      let binary = try compile("--emit", "bfbs", "a.fbs", "b.fbs", in: folder)
      #expect(binary.status == 0 && binary.error.isEmpty, "\(binary.error)")
      #expect(try folder.appending(path: "out").names() == ["a.bfbs", "b.bfbs"])
      // The Swift of both does not go into one module.
      let swift = try compile("--emit", "accessors", "a.fbs", "b.fbs", in: folder)
      #expect(swift.status == 0 && swift.error.contains("warning[D0205]"), "\(swift.error)")
      #expect(swift.error.contains("--> b.fbs:1:6") && swift.error.contains("a.fbs:1:6"), "\(swift.error)")
    }
  }

  @Test("Errors in independent modules are in one report")
  func errors() throws {
    try withFolder { folder in
      try folder.write("enum Color: byte { red }\ntable A { c: Colors; }\n", to: "a.fbs")
      try folder.write("enum Color: short { blue }\ntable B { c: Colour; }\n", to: "b.fbs")
      let wrong = try compile("--emit", "accessors", "--format", "github", "a.fbs", "b.fbs", in: folder)
      #expect(wrong.status == 1 && wrong.output.contains("::error file=a.fbs,line=2"), "\(wrong.output)")
      #expect(wrong.output.contains("::error file=b.fbs,line=2"), "\(wrong.output)")
    }
  }

  @Test("A file that includes two definitions of one name has an error")
  func clash() throws {
    try withFolder { folder in
      try folder.write("enum Color: byte { red }\n", to: "a.fbs")
      try folder.write("enum Color: short { blue }\n", to: "b.fbs")
      try folder.write("include \"a.fbs\";\ninclude \"b.fbs\";\ntable C { c: Color; }\n", to: "c.fbs")
      for files in [["c.fbs"], ["a.fbs", "b.fbs", "c.fbs"]] {
        let both = try run(
          productsFolder.appending(path: "dflatc"), ["compile", "-o", "out", "--emit", "accessors"] + files, in: folder)
        #expect(both.status == 1 && both.error.contains("error[D0205]"), "\(both.error)")
      }
    }
  }
}
