import Emitters
import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation
import TestSupport
import Testing

/// A schema of the corpus: the file that is compiled, and those that it may include.
struct SchemaCase: CustomTestStringConvertible, Sendable {
  struct File: Sendable {
    let path: String
    var bytes: [UInt8]
  }

  let name: String
  var files: [File]

  init(name: String, text: String) {
    self.name = name
    files = [File(path: "main.fbs", bytes: Array(text.utf8))]
  }

  var text: String {
    files.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: "\n// ---- file\n")
  }

  var testDescription: String { name }

  /// What our compiler makes of it.
  func compile() -> Compilation {
    SchemaCompiler.compile(inputs: [files[0].path], provider: self)
  }
}

extension SchemaCase: SourceProvider {
  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    guard let file = files.first(where: { $0.path == identity(of: path) }) else { throw .notFound }
    return file.bytes
  }
}

extension Compilation {
  var errors: [Diagnostic] { diagnostics.filter { $0.severity == .error } }

  /// The binary schema that we write of the input.
  func binarySchema() throws -> [UInt8] {
    guard let emitter = EmitterRegistry.emitter(named: "bfbs") else { return [] }
    return try CheckedSchema(self, emitters: [emitter]).generator?.files().first?.content ?? []
  }
}

/// The schemas written by hand, by topic: `Fixtures/conformance/valid/*.fbs` and `invalid/*.fbs`.
///
/// A file holds many schemas. A line `// ==== name` starts one, a line `// ---- file path` in it another of its files.
enum Corpus {
  static let valid = Result { try read("valid") }
  static let invalid = Result { try read("invalid") }

  private static func read(_ folder: String) throws -> [SchemaCase] {
    let url = packageFolder.appendingPathComponent("Fixtures/conformance/\(folder)")
    let files = try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasSuffix(".fbs") }.sorted()
    return try files.flatMap { file in
      cases([UInt8](try Data(contentsOf: url.appendingPathComponent(file))), in: file.dropLast(4))
    }
  }

  // Bytes, since a character may be two of them: `\r\n`, which is not to be touched.
  private static func cases(_ bytes: [UInt8], in topic: Substring) -> [SchemaCase] {
    var result: [SchemaCase] = []
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      if let name = text(line, after: "// ==== ") {
        result.append(SchemaCase(name: "\(topic): \(name)", text: ""))
      } else if let last = result.indices.last {
        if let path = text(line, after: "// ---- file ") {
          result[last].files.append(.init(path: path, bytes: []))
        } else {
          let file = result[last].files.count - 1
          result[last].files[file].bytes += line + [0x0A]
        }
      }
    }
    return result
  }

  private static func text(_ line: ArraySlice<UInt8>, after start: StaticString) -> String? {
    let start = start.description.utf8
    return line.starts(with: start) ? String(decoding: line.dropFirst(start.count), as: UTF8.self) : nil
  }
}
