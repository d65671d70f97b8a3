import ConformanceSupport
import FBSDiagnostics
import FBSParser
import Foundation
import TestSupport
import Testing

@testable import FBSSchema

/// Formatting is only about looks: the resolved schema, and what is wrong with it, stay the same.
@Suite("Formatting never changes what a schema means")
struct FormatMeaningTests {
  /// The schemas of the fixtures and examples, by folder: a folder's files may include one another.
  static let folders: [[String: [UInt8]]] = {
    var folders: [String: [String: [UInt8]]] = [:]
    for root in ["Fixtures", "Examples"] {
      let root = packageFolder.appendingPathComponent(root)
      for case let url as URL in FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil) ?? .init()
      where url.pathExtension == "fbs" {
        // A file that cannot be read leaves a gap, which the test of their number notices.
        let bytes = (try? Data(contentsOf: url)).map { [UInt8]($0) }
        folders[url.deletingLastPathComponent().path, default: [:]][url.lastPathComponent] = bytes
      }
    }
    return folders.sorted { $0.key < $1.key }.map(\.value)
  }()

  /// Everything in a value but where it stands.
  private func dump(_ value: Any, into output: inout String) {
    if value is SourceRange || value is CompactRange { return }
    let mirror = Mirror(reflecting: value)
    if mirror.children.isEmpty {
      output += "\(value) "
      return
    }
    output += "\(type(of: value))("
    for child in mirror.children {
      output += "\(child.label ?? ""): "
      dump(child.value, into: &output)
    }
    output += ")\n"
  }

  private func meaning(_ files: [String: [UInt8]]) -> String {
    var provider = SchemaTexts([:])
    provider.files = files
    var output = ""
    for input in files.keys.sorted() {
      let compilation = SchemaCompiler.compile(inputs: [input], provider: provider)
      dump(compilation.schema, into: &output)
      for diagnostic in compilation.diagnostics {
        // A message may quote the text with the blanks in it.
        output += "\(diagnostic.code.id) \(diagnostic.severity)\n"
      }
    }
    return output
  }

  /// The first lines in which two meanings differ, if they do.
  private func difference(_ first: [String: [UInt8]], _ second: [String: [UInt8]]) -> String? {
    let meanings = [meaning(first), meaning(second)]
    if meanings[0] == meanings[1] { return nil }
    let lines = meanings.map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
    let place = zip(lines[0], lines[1]).first { $0 != $1 }
    return "\(place?.0 ?? "more") became \(place?.1 ?? "less")"
  }

  /// Formats the files that have no syntax errors.
  private func format(_ files: [String: [UInt8]]) -> (files: [String: [UInt8]], changed: Int) {
    var changed = 0
    let formatted = files.mapValues { bytes in
      let (tree, diagnostics) = Parser.parse(SourceFile(id: FileID(0), path: "", bytes: bytes))
      guard diagnostics.isEmpty else { return bytes }
      let formatted = SchemaFormatter.format(tree)
      if formatted != bytes { changed += 1 }
      return formatted
    }
    return (formatted, changed)
  }

  @Test("The dump that is compared tells schemas apart, and only by what they mean")
  func dumpIsSharp() {
    func dump(_ text: String) -> String { meaning(["a.fbs": Array(text.utf8)]) }
    let text = "/// d\ntable T { a: int = 5; }"
    let same = "\n\n/// d\ntable   T { a  : int=5; }"
    #expect(dump(text) == dump(same))
    for other in [
      "/// e\ntable T { a: int = 5; }", "/// d\ntable T { a: int = 6; }", "/// d\ntable T { a: uint = 5; }",
      "table T { /// d\n a: int = 5; }", "/// d\ntable T { a: int = 5 (id: 0); }", "/// d\ntable T { b: int = 5; }",
    ] {
      #expect(dump(text) != dump(other), "\(other)")
    }
  }

  @Test("Formatting changes the meaning of no fixture and no example")
  func fixtures() {
    var changed = 0
    for files in Self.folders {
      let result = format(files)
      changed += result.changed
      if let difference = difference(files, result.files) { Issue.record("\(files.keys): \(difference)") }
    }
    #expect(Self.folders.count > 60)
    #expect(changed > 5)
  }

  @Test("Formatting changes the meaning of no schema that flatc is asked about")
  func corpus() {
    var changed = 0
    for text in FlatcAgreementCases.all + FlatcAgreementCases.objectDefaults {
      let files = ["a.fbs": Array(text.utf8)]
      let result = format(files)
      changed += result.changed
      if let difference = difference(files, result.files) { Issue.record("\(text): \(difference)") }
    }
    #expect(changed > 100)
  }

  @Test("Formatting changes the meaning of no fixture with tokens deleted, doubled or replaced")
  func mutations() {
    var count = 0
    for files in Self.folders {
      for (name, bytes) in files.sorted(by: { $0.key < $1.key }) where bytes.count < 400 {
        let source = SourceFile(id: FileID(0), path: name, bytes: bytes)
        let tokens = Parser.parse(source).tree.tokens.dropLast()
        func slice(_ index: Int) -> ArraySlice<UInt8> { bytes[Int(tokens[index].start)..<Int(tokens[index].end)] }
        for index in stride(from: name.utf8.count % mutationStride, to: tokens.count, by: mutationStride) {
          let before = bytes[..<Int(tokens[index].start)]
          let after = bytes[Int(tokens[index].end)...]
          var texts = [before + after, before + slice(index) + [0x0A] + slice(index) + after]
          // The next one of its kind takes its place.
          if let other = tokens[(index + 1)...].firstIndex(where: { $0.kind == tokens[index].kind }) {
            texts.append(before + slice(other) + after)
          }
          for text in texts {
            var mutated = files
            mutated[name] = Array(text)
            let result = format(mutated)
            guard result.changed > 0 else { continue }
            count += 1
            if let difference = difference(mutated, result.files) {
              Issue.record("\(name): \(difference) in:\n\(String(decoding: text, as: UTF8.self))")
              return
            }
          }
        }
      }
    }
    #expect(count > 60)
  }
}
