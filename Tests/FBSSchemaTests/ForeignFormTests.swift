import ConformanceSupport
import FBSDiagnostics
import FBSParser
import Testing

@testable import FBSSchema

@Suite("A form of another language gives one error, which says what to write")
struct ForeignFormTests {
  /// Beside the schemas of the cases stands one that they include.
  private func diagnose(_ text: String) -> Compilation {
    SchemaCompiler.compile(
      inputs: ["a.fbs"], provider: SchemaTexts(["a.fbs": text, "user.fbs": "table User { name: string; }"]))
  }

  @Test("A form of another language gives one error, and its fix leaves none", arguments: ForeignFormCases.all)
  func oneError(_ text: String, _ mended: String) throws {
    let errors = diagnose(text).diagnostics.filter { $0.severity == .error }
    #expect(errors.count == 1, "\(errors.map(\.message))")
    let error = try #require(errors.first)
    #expect(!error.advice.isEmpty, "\(error.message)")
    guard !mended.isEmpty else {
      #expect(error.fixes.isEmpty, "\(error.fixes)")
      return
    }
    let fix = try #require(error.fixes.first, "\(error.message), \(error.advice)")
    var bytes = Array(text.utf8)
    for edit in fix.edits.sorted(by: { $0.range.start > $1.range.start }) {
      bytes.replaceSubrange(edit.range.start..<edit.range.end, with: Array(edit.replacement.utf8))
    }
    #expect(String(decoding: bytes, as: UTF8.self) == mended)
    let after = diagnose(mended).diagnostics.filter { $0.severity == .error }
    #expect(after.isEmpty, "\(after.map(\.message))")
  }

  @Test("The words of other languages are reserved nowhere", arguments: ForeignFormCases.valid)
  func namesAreFree(_ text: String) throws {
    #expect(diagnose(text).diagnostics.filter { $0.severity == .error }.map(\.message) == [])
    if Flatc.isInstalled { #expect(try Flatc.accepts(text)) }
  }

  @Test("flatc refuses what is refused here", .enabled(if: Flatc.isInstalled), arguments: ForeignFormCases.all)
  func flatcRefuses(_ text: String, _ mended: String) throws {
    #expect(try !Flatc.accepts(text))
  }

  @Test("The parser knows the attributes of the language")
  func attributes() {
    #expect(Set(AttributeRule.known.keys) == ForeignAttributes.ofLanguage)
  }

  @Test("The parser knows the types of the language")
  func types() {
    for type in BuiltinType.names.map(\.name) {
      #expect(ForeignTypes.replacement(for: type.uppercased())?.name == type)
    }
  }
}
