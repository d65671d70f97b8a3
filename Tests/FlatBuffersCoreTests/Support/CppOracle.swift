// The C++ library as the reference for reading and writing: a small program around the library that answers many
// requests in one run. It is compiled from a header that flatc generates.

import Foundation
import TestSupport

@testable import BufferJobs

/// The C++ library's verifier, JSON parser and JSON printer for `everythingSchema`.
struct CppOracle {
  private let program: OracleProgram

  /// Built once in a run, in the package's build folder.
  static let shared = Result {
    CppOracle(
      program: try OracleProgram(
        name: "flatbuffers-oracle", source: source(), schema: (name: "everything.fbs", text: everythingSchema)))
  }

  /// What answers the requests. It includes the reader that fuzzing compares with, whose text is named by its hash, so that a
  /// program with another one is another program.
  private static func source() throws -> String {
    let reader = packageFolder.appendingPathComponent("Quality/Fuzz/Sources/CppReader/CppReader.cpp")
    let hash = stableHash(try String(contentsOf: reader, encoding: .utf8))
    return "#include \"\(reader.path)\"  // \(hash)\n" + questions
  }

  private static let questions = #"""
    #include <cstdio>
    #include <cstring>
    #include <fstream>
    #include <iterator>
    #include <string>
    #include <vector>
    #include "everything_generated.h"
    #include "flatbuffers/idl.h"
    static void answer(const void *bytes, size_t count) {
      uint32_t n = static_cast<uint32_t>(count);
      fwrite(&n, 4, 1, stdout);
      fwrite(bytes, 1, count, stdout);
    }
    int main(int argc, char **argv) {
      std::ifstream file(argv[1]);
      std::string schema((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      flatbuffers::IDLOptions options;
      options.strict_json = true;
      options.indent_step = -1;
      // For other languages the parser refuses unions of structs and strings, and vectors of unions.
      options.lang_to_generate = flatbuffers::IDLOptions::kCpp;
      flatbuffers::Parser parser(options);
      if (!parser.Parse(schema.c_str())) { puts(parser.error_.c_str()); return 3; }
      char question;
      uint32_t n;
      while (fread(&question, 1, 1, stdin) == 1 && fread(&n, 4, 1, stdin) == 1) {
        std::vector<uint64_t> words(n / 8 + 1);
        uint8_t *bytes = reinterpret_cast<uint8_t *>(words.data());
        if (n && fread(bytes, 1, n, stdin) != n) return 4;
        if (question == 'v' || question == 'p') {
          flatbuffers::Verifier verifier(bytes, n);
          bool ok = question == 'v' ? VerifyEverythingBuffer(verifier) : VerifySizePrefixedEverythingBuffer(verifier);
          answer(ok ? "1" : "0", 1);
        } else if (question == 'd') {
          bool ok = cppReaderVerifies(bytes, n);
          uint64_t digest = ok ? cppReaderDigest(bytes) : 0;
          answer(&digest, ok ? sizeof digest : 0);
        } else if (question == 'j') {
          std::string text;
          if (!flatbuffers::GenerateText(parser, bytes, &text)) text = "cannot print";
          answer(text.data(), text.size());
        } else {
          std::string text(reinterpret_cast<char *>(bytes), n);
          if (!parser.ParseJson(text.c_str())) { puts(parser.error_.c_str()); puts(text.c_str()); return 5; }
          answer(parser.builder_.GetBufferPointer(), parser.builder_.GetSize());
        }
      }
      return 0;
    }
    """#

  private func ask(_ kind: Character, _ payloads: [[UInt8]]) throws -> [[UInt8]] {
    try program.ask(payloads.map { (kind, $0) }, ["everything.fbs"])
  }

  /// For each of `buffers`, whether the C++ verifier accepts it, including the file identifier.
  func verify(_ buffers: [[UInt8]], sizePrefixed: Bool = false) throws -> [Bool] {
    try ask(sizePrefixed ? "p" : "v", buffers).map { $0 == Array("1".utf8) }
  }

  /// For each of `buffers`, what the C++ library reads in it, as `WireFormatJob.digest(of:)` sums it up; nil if the verifier
  /// refuses it. The file identifier may be any.
  func digests(of buffers: [[UInt8]]) throws -> [UInt64?] {
    try ask("d", buffers).map { answer in
      answer.isEmpty ? nil : answer.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// For each of `buffers`, the JSON that the C++ library prints.
  func json(of buffers: [[UInt8]]) throws -> [String] {
    try ask("j", buffers).map { String(decoding: $0, as: UTF8.self) }
  }

  /// For each of `texts`, JSON, the buffer that the C++ library writes.
  func buffers(of texts: [String]) throws -> [[UInt8]] {
    try ask("b", texts.map { Array($0.utf8) })
  }
}
