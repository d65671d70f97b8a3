import Foundation
import TestSupport
import Testing

@Suite("dflatc explain")
struct ExplainTests {
  private struct Explanations: Decodable {
    struct File: Decodable {
      let path: String
      let text: String?
    }

    struct Entry: Decodable {
      let code: String
      let title: String
      let explanation: String
      let wrong: [File]?
      let right: [File]?
    }

    let codes: [Entry]
  }

  private func all() throws -> [Explanations.Entry] {
    let result = try dflatc("explain", "--format", "json")
    #expect(result.status == 0)
    return try JSONDecoder().decode(Explanations.self, from: Data(result.output.utf8)).codes
  }

  @Test("explain prints a code with a wrong and a right example, in 80 columns")
  func aCodeIsExplainedWithExamples() throws {
    let result = try dflatc("explain", "D0203")
    #expect(result.status == 0)
    #expect(result.error.isEmpty)
    #expect(result.output.hasPrefix("D0203: a field that cannot be indexed\n\nAn index holds one value"))
    #expect(result.output.contains("\nWrong:\n\n    table Post {\n"))
    #expect(result.output.contains("\nRight:\n\n    table Post {\n"))
    #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test("A code can be written in lower case, without its letter or without its zeros")
  func aCodeMayBeWrittenInOtherWays() throws {
    let expected = try dflatc("explain", "D0203").output
    for code in ["d0203", "203", "0203", "D203"] {
      #expect(try dflatc("explain", code).output == expected, "\(code)")
    }
  }

  @Test("explain without a code lists all codes with their titles")
  func withoutACodeAllAreListedWithTheirTitles() throws {
    let result = try dflatc("explain")
    #expect(result.status == 0)
    let lines = result.output.split(separator: "\n")
    #expect(try lines.map { String($0.prefix(5)) } == all().map(\.code))
    #expect(lines.contains("D0203  a field that cannot be indexed"))
    for module in ["D01", "D02", "D03"] { #expect(lines.contains { $0.hasPrefix(module) }) }
  }

  @Test("An unknown code exits with 2 and names the nearest code")
  func anUnknownCodeIsWrongUsageAndNamesTheNearest() throws {
    for (code, nearest) in [
      ("D0299", "D0302"), ("D0122", "D0121"), ("D9999", nil), ("D99999999999999999999", nil), ("hello", nil), ("", nil),
    ] {
      let result = try dflatc("explain", code)
      #expect(result.status == 2, "\(code)")
      #expect(result.output.isEmpty)
      #expect(result.error.hasPrefix("error: there is no code"), "\(code)")
      if let nearest { #expect(result.error.contains("did you mean \(nearest)?"), "\(code)") }
    }
  }

  /// The codes of the other stages are tested where the stages are.
  @Test("Each wrong example of an emitter's code shows it, and each right one does not")
  func eachExampleOfTheEmittersCodesDoesWhatIsSaidOfIt() throws {
    let emitters = try all().filter { $0.code.hasPrefix("D03") }
    #expect(emitters.count >= 4)
    for entry in emitters {
      for (files, isWrong) in [(entry.wrong, true), (entry.right, false)] {
        // What a plug-in says, no short example can show.
        guard let files else {
          #expect(entry.code == "D0306")
          continue
        }
        try withFolder { folder in
          for file in files { try folder.write(try #require(file.text), to: file.path) }
          let result = try dflatc("compile", "-o", "out", "schema.fbs", in: folder)
          // A note is about a schema that is compiled.
          let isRefused = isWrong && !result.error.contains("note[\(entry.code)]")
          #expect(result.status == (isRefused ? 1 : 0), "\(entry.code): \(result.error)")
          #expect(result.error.contains("[\(entry.code)]") == isWrong, "\(entry.code): \(result.error)")
          // A note tells that what `schema.fbs` includes is not compiled here.
          if !isWrong, files.count == 1 { #expect(result.error.isEmpty, "\(entry.code)") }
        }
      }
    }
  }

  @Test("Every code that the sources declare is explained")
  func everyCodeThatTheCompilerKnowsIsExplained() throws {
    // Codes stand in the sources as they stand here, wherever they are declared.
    var declared: Set<String> = []
    let sources = packageFolder.appending(path: "Sources")
    for case let url as URL in FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil) ?? .init()
    where url.pathExtension == "swift" {
      let text = try String(contentsOf: url, encoding: .utf8)
      declared.formUnion(text.matches(of: /DiagnosticCode\(\s*"(D\d{4})"/).map { String($0.1) })
    }
    #expect(declared.count > 50)
    #expect(try all().map(\.code) == declared.sorted())
  }

  @Test("Documentation/diagnostics.md is what explain prints")
  func theDocumentationIsWhatTheCompilerSays() throws {
    let page = try String(
      contentsOf: packageFolder.appending(path: "Documentation/diagnostics.md"), encoding: .utf8)
    let result = try dflatc("explain", "--format", "markdown")
    #expect(result.status == 0)
    #expect(page == result.output, "Documentation/diagnostics.md is stale: run `make pages`")
  }

  @Test("explain into a full disk exits with 3 and says so")
  func aFullDiskIsSaidAndNoCrash() throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let program = productsFolder.appending(path: "dflatc").path
    let result = try run(
      URL(fileURLWithPath: "/bin/sh"), ["-c", "\"$0\" explain > /dev/full", program])
    #expect(result.status == 3)
    #expect(result.error.hasPrefix("error: cannot write standard output: "))
  }
}
