import Foundation
import TestSupport
import Testing

/// The pages that list what maintainers find in the repository.
@Suite("The pages for maintainers")
struct MaintainerPageTests {
  private static func text(_ path: String) throws -> String {
    try String(contentsOf: packageFolder.appending(path: path), encoding: .utf8)
  }

  /// Returns the names of the folders in a folder. Those of DocC have an extension, and are no sources.
  private static func folders(in path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: packageFolder.appending(path: path).path)
      .filter { !$0.contains(".") }.sorted()
  }

  @Test("The map of the repository names every folder of Sources")
  func modules() throws {
    let page = try Self.text("Documentation/layout.md")
    for name in try Self.folders(in: "Sources") { #expect(page.contains("`Sources/\(name)`"), "\(name)") }
    for name in try Self.folders(in: "Sources/DflatRuntime") { #expect(page.contains("`\(name)`"), "\(name)") }
  }

  @Test(
    "The map of the repository names every folder of a large module",
    arguments: [
      "FBSSchema/Resolving", "SchemaEvolution/Comparing", "DflatRuntime/FlatBuffersCore", "DflatRuntime/Dflat",
      "DflatRuntime/DflatEngine", "DflatRuntime/SQLiteDflat", "DflatRuntime/PostgresDflat",
    ])
  func folders(of module: String) throws {
    let page = try Self.text("Documentation/layout.md")
    let names = try Self.folders(in: "Sources/" + module)
    #expect(names.count > 2)
    for name in names { #expect(page.contains("`\(name)`"), "\(module)/\(name)") }
  }

  @Test("The page on the store counts the types that it names, and all of them exist")
  func walks() throws {
    let page = try Self.text("Documentation/store.md")
    let walks = page.matches(of: /\n- \*\*A [a-z]+\*\*[^:.]* (?<number>[0-9]+):\s(?<types>[^.]+)\./)
    #expect(walks.count == 2)
    var declared: Set<String> = []
    let runtime = packageFolder.appending(path: "Sources/DflatRuntime").path
    for path in try FileManager.default.subpathsOfDirectory(atPath: runtime) where path.hasSuffix(".swift") {
      let text = try Self.text("Sources/DflatRuntime/" + path)
      for type in text.matches(of: /\b(?:class|enum|struct) (?<name>[A-Z]\w*)/) { declared.insert(String(type.name)) }
    }
    for walk in walks {
      let types = walk.types.matches(of: /`(?<name>\w+)`/).map { String($0.name) }
      #expect(types.count == Int(walk.number))
      #expect(Set(types).count == types.count, "a type is counted twice")
      #expect(Set(types).subtracting(declared).sorted() == [])
    }
  }

  @Test("The page on testing names the variable of every long test")
  func variables() throws {
    let page = try Self.text("Documentation/testing-dflat.md")
    let forms = try Self.text("Tests/TestSupport/LongForm.swift").matches(of: /= LongForm\("(?<name>[A-Z_]+)"/)
    #expect(forms.count > 15)
    for form in forms { #expect(page.contains("`DFLAT_\(form.name)`"), "\(form.name)") }
  }

  @Test("The page on testing names every variable that a test reads by its whole name")
  func otherVariables() throws {
    let page = try Self.text("Documentation/testing-dflat.md")
    var names: Set<String> = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: packageFolder.appending(path: "Tests").path)
    where path.hasSuffix(".swift") {
      for variable in try Self.text("Tests/" + path).matches(of: /"(?<name>DFLAT_[A-Z_]+)"/) {
        names.insert(String(variable.name))
      }
    }
    #expect(names.count > 10)
    for name in names.sorted() { #expect(page.contains("`\(name)`"), "\(name)") }
  }
}
