// The C++ library as the judge: the parser and the printer inside flatc, which as a program refuses to print some schemas that
// it can print, in a program that answers many questions in one run.

import Foundation
import TestSupport

/// What the C++ library makes of data.
enum Answer: Equatable {
  case done([UInt8])
  case refused(String)

  var bytes: [UInt8]? { if case .done(let bytes) = self { bytes } else { nil } }
}

/// How the library converts, as the options of flatc are called.
struct OracleOptions: OptionSet {
  let rawValue: UInt8
  static let strictJSON = OracleOptions(rawValue: 1)
  static let defaultsJSON = OracleOptions(rawValue: 2)
  static let naturalUTF8 = OracleOptions(rawValue: 4)
  static let sizePrefixed = OracleOptions(rawValue: 8)
  static let forceDefaults = OracleOptions(rawValue: 16)
  static let oneLine = OracleOptions(rawValue: 32)
  static let unknownJSON = OracleOptions(rawValue: 64)
}

/// The JSON parser and printer of the C++ library.
struct JSONOracle {
  private let program: OracleProgram

  /// Built once, in the package's build folder.
  static let shared = Result { JSONOracle(program: try OracleProgram(name: "json-oracle", source: Self.source)) }

  enum Question {
    case binary(json: [UInt8])
    case json(binary: [UInt8])
  }

  /// What the library answers by a schema, whose root is a table.
  func ask(
    _ questions: [(Question, OracleOptions)], schema: URL, root: String
  ) throws -> [Answer] {
    var input = Data()
    func append(_ letter: Character, _ options: OracleOptions, _ bytes: [UInt8]) {
      input.append(contentsOf: Array(String(letter).utf8) + [options.rawValue])
      withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { input.append(contentsOf: $0) }
      input.append(contentsOf: bytes)
    }
    for (question, options) in questions {
      switch question {
      case .binary(let json): append("b", options, json)
      case .json(let binary): append("t", options, binary)
      }
    }
    return try program.ask(input, [schema.path, root], count: questions.count).map { answer in
      answer.first == UInt8(ascii: "V")
        ? .done(Array(answer.dropFirst())) : .refused(String(decoding: answer.dropFirst(), as: UTF8.self))
    }
  }

  private static let source = #"""
    #include <cstdio>
    #include <fstream>
    #include <iterator>
    #include <string>
    #include <vector>
    #include "flatbuffers/idl.h"
    static void answer(char verdict, const void *bytes, size_t count) {
      uint32_t n = static_cast<uint32_t>(count) + 1;
      fwrite(&n, 4, 1, stdout);
      fwrite(&verdict, 1, 1, stdout);
      fwrite(bytes, 1, count, stdout);
    }
    static void answer(char verdict, const std::string &text) { answer(verdict, text.data(), text.size()); }
    int main(int argc, char **argv) {
      std::ifstream file(argv[1]);
      std::string schema((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      std::string path(argv[1]);
      std::string folder = path.substr(0, path.rfind('/'));
      const char *includes[] = { folder.c_str(), nullptr };
      flatbuffers::IDLOptions options;
      options.lang_to_generate = flatbuffers::IDLOptions::kCpp;
      flatbuffers::Parser parser(options);
      if (!parser.Parse(schema.c_str(), includes, argv[1])) { puts(parser.error_.c_str()); return 3; }
      if (!parser.SetRootType(argv[2])) { puts("no such root"); return 3; }
      char question;
      uint8_t flags;
      uint32_t n, count = 0;
      while (fread(&question, 1, 1, stdin) == 1 && fread(&flags, 1, 1, stdin) == 1 && fread(&n, 4, 1, stdin) == 1) {
        std::vector<uint64_t> words(n / 8 + 1);
        uint8_t *bytes = reinterpret_cast<uint8_t *>(words.data());
        if (n && fread(bytes, 1, n, stdin) != n) return 4;
        parser.opts.strict_json = flags & 1;
        parser.opts.output_default_scalars_in_json = flags & 2;
        parser.opts.natural_utf8 = flags & 4;
        parser.opts.size_prefixed = flags & 8;
        parser.opts.force_defaults = flags & 16;
        parser.opts.indent_step = flags & 32 ? -1 : 2;
        parser.opts.skip_unexpected_fields_in_json = flags & 64;
        parser.builder_.ForceDefaults(flags & 16);
        if (question == 't') {
          std::string text;
          bool ok = flatbuffers::GenerateText(parser, bytes, &text);
          answer(ok ? 'V' : 'I', text);
        } else {
          std::string text(reinterpret_cast<char *>(bytes), n);
          // A file that was read before is not read again.
          std::string name = "data" + std::to_string(count++) + ".json";
          bool ok = parser.Parse(text.c_str(), includes, name.c_str());
          if (ok) answer('V', parser.builder_.GetBufferPointer(), parser.builder_.GetSize());
          else answer('I', parser.error_);
        }
      }
      return 0;
    }
    """#
}
