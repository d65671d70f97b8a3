// The C++ library as the judge of schemas: the parser inside flatc, and a reader of binary schemas that knows nothing of
// ours, in a program of a few lines that answers many questions in one run.

import Foundation
import TestSupport

/// What the C++ library makes of a schema.
enum Judgement: Equatable {
  /// It takes it, and this is the content of its binary schema.
  case valid(BinarySchemaContent)
  /// It refuses it, and says this.
  case invalid(String)
  /// It crashed, or did not come to an end.
  case crashed(String)

  var isValid: Bool { if case .valid = self { true } else { false } }

  /// In a sentence.
  var summary: String {
    switch self {
    case .valid: "that it is fine"
    case .invalid(let message), .crashed(let message): message
    }
  }
}

/// The C++ library's parser, verifier and reader of binary schemas.
struct SchemaOracle {
  private let program: OracleProgram

  /// Built once in a run, in the package's build folder.
  static let shared = Result { SchemaOracle(program: try OracleProgram(name: "schema-oracle", source: Self.source)) }

  /// What the library makes of each case. Those of a language that a case needs are tried one by one.
  func judge(_ cases: [SchemaCase]) throws -> [Judgement] {
    try withTemporaryFolder { directory in
      var questions: [(kind: Character, payload: [UInt8])] = []
      for (index, schemaCase) in cases.enumerated() {
        let folder = directory.appendingPathComponent(String(index))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in schemaCase.files {
          let url = folder.appendingPathComponent(file.path)
          if file.path.contains("/") {
            try FileManager.default.createDirectory(
              at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
          }
          try Data(file.bytes).write(to: url)
        }
        questions.append(("p", Array(folder.appendingPathComponent(schemaCase.files[0].path).path.utf8)))
      }
      return try program.ask(questions).map { answer in
        let text = String(decoding: answer.dropFirst(), as: UTF8.self)
        switch answer.first {
        case UInt8(ascii: "V"): return .valid(BinarySchemaContent(text))
        case UInt8(ascii: "I"): return .invalid(text)
        default: return .crashed(text)
        }
      }
    }
  }

  /// The content of each buffer. Nothing if the library's verifier refuses it.
  func decode(_ buffers: [[UInt8]]) throws -> [BinarySchemaContent?] {
    try program.ask(buffers.map { ("d", $0) }).map { answer in
      answer.first == UInt8(ascii: "V")
        ? BinarySchemaContent(String(decoding: answer.dropFirst(), as: UTF8.self)) : nil
    }
  }

  /// Whether the tools are there: the Makefile installs them.
  static let isAvailable = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
    FileManager.default.isExecutableFile(atPath: $0 + "/flatc")
  }
}
