import Foundation
import TestSupport

/// Writes the C++ program that does with the same schemas what the Swift program does, through flatc's generated code and
/// the library's parser and printer of JSON.
package enum CppProgram {
  /// Builds the program for `schemas` in a folder, with flatc's code for them.
  package static func build(
    _ schemas: [RandomSchema], lookUps: CppLookUps = CppLookUps(), in folder: URL
  ) throws -> URL {
    let files = schemas.flatMap(\.files)
    for file in files {
      try Data(file.cppText.utf8).write(to: folder.appendingPathComponent(file.name))
    }
    try runTool("flatc", ["--cpp", "--scoped-enums"] + files.map(\.name), in: folder)
    for file in files {
      let header = folder.appendingPathComponent("\(file.name.dropLast(4))_generated.h")
      let text = try String(contentsOf: header, encoding: .utf8)
      try Data(mended(text).utf8).write(to: header)
    }
    try Data(source(schemas, lookUps).utf8).write(to: folder.appendingPathComponent("oracle.cpp"))
    try runTool("c++", ["-O0", "-w", "-std=c++17", "-o", "oracle", "oracle.cpp", "-lflatbuffers"], in: folder)
    return folder.appendingPathComponent("oracle")
  }

  private static func source(_ schemas: [RandomSchema], _ lookUps: CppLookUps) -> String {
    var includes = ""
    var cases = ""
    for (index, schema) in schemas.enumerated() {
      for file in schema.files { includes += "#include \"\(file.name.dropLast(4))_generated.h\"\n" }
      for table in 0..<schema.tableCount {
        cases +=
          "case \(index * 100 + table): return verified<\(schema.namespace)::T\(table)>(bytes, count, prefixed);\n"
      }
    }
    let names = schemas.map { "{\"\($0.files.last?.name ?? "")\", \"\($0.namespace)\"}" }.joined(separator: ", ")
    return head + includes + verification + lookUps.source
      + "static bool verified(int type, const uint8_t *bytes, size_t count, bool prefixed) {\n"
      + "  switch (type) {\n\(cases)  default: return false;\n  }\n}\n"
      + "static const char *const schemas[][2] = {\(names)};\n" + rest
  }

  private static let head = #"""
    #include <cstdio>
    #include <cstring>
    #include <fstream>
    #include <iterator>
    #include <memory>
    #include <string>
    #include <vector>
    #include "flatbuffers/idl.h"
    #include "flatbuffers/util.h"
    using std::string;
    // Whether a union's missing struct is accepted, as its missing table is.
    static bool acceptsMissingStructs = true;

    """#

  /// Generated code that verifies a union's struct member computes with its address also when that is null, and so refuses
  /// a type code without one, where it accepts a missing table or string. With this, it can be told to accept it.
  package static func mended(_ header: String) -> String {
    header.replacingOccurrences(
      of: "return verifier.VerifyField<", with: "return (acceptsMissingStructs && !obj) || verifier.VerifyField<")
  }

  private static let verification = #"""
    template<typename T> static bool verified(const uint8_t *bytes, size_t count, bool prefixed) {
      flatbuffers::Verifier verifier(bytes, count);
      return prefixed ? verifier.VerifySizePrefixedBuffer<T>(nullptr) : verifier.VerifyBuffer<T>(nullptr);
    }

    """#

  private static let rest = #"""
    static FILE *input, *output;
    static uint32_t number() {
      uint32_t n = 0;
      if (fread(&n, 4, 1, input) != 1) exit(feof(input) ? 0 : 3);
      return n;
    }
    struct Bytes {
      std::vector<uint64_t> words;
      size_t count;
      const uint8_t *data() const { return reinterpret_cast<const uint8_t *>(words.data()); }
    };
    static Bytes chunk() {
      Bytes bytes;
      bytes.count = number();
      // Exactly as large as needed, so that AddressSanitizer could tell.
      bytes.words.resize(bytes.count / 8 + 1);
      if (bytes.count && fread(bytes.words.data(), 1, bytes.count, input) != bytes.count) exit(3);
      return bytes;
    }
    static void answer(const void *bytes, size_t count) {
      uint32_t n = static_cast<uint32_t>(count);
      fwrite(&n, 4, 1, output);
      fwrite(bytes, 1, count, output);
    }
    static void answer(const string &text) { answer(text.data(), text.size()); }

    int main(int, char **arguments) {
      std::vector<std::unique_ptr<flatbuffers::Parser>> parsers;
      for (auto &schema : schemas) {
        flatbuffers::IDLOptions options;
        options.strict_json = true;
        options.indent_step = -1;
        options.output_enum_identifiers = false;
        options.natural_utf8 = true;
        options.json_nested_flatbuffers = true;
        options.lang_to_generate = flatbuffers::IDLOptions::kCpp;
        parsers.emplace_back(new flatbuffers::Parser(options));
        std::ifstream file(schema[0], std::ios::binary);
        string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        const char *folders[] = { ".", nullptr };
        if (!parsers.back()->Parse(text.c_str(), folders, schema[0])) {
          fprintf(stderr, "%s\n", parsers.back()->error_.c_str());
          return 2;
        }
      }
      input = fopen(arguments[1], "rb");
      output = fopen(arguments[2], "wb");
      for (;;) {
        uint32_t schema = number(), table = number(), prefixed = number(), forced = number();
        int type = static_cast<int>(schema * 100 + table);
        flatbuffers::Parser &parser = *parsers[schema];
        Bytes bytes = chunk();
        Bytes json = chunk();
        acceptsMissingStructs = false;
        bool isValid = verified(type, bytes.data(), bytes.count, prefixed);
        string text, name = string(schemas[schema][1]) + ".T" + std::to_string(table);
        if (!isValid) {
          text = "refused";
        } else if (!found(type, bytes.data(), prefixed)) {
          text = "not found by its key";
        } else {
          const void *root = prefixed ? flatbuffers::GetSizePrefixedRoot<flatbuffers::Table>(bytes.data())
                                      : flatbuffers::GetRoot<flatbuffers::Table>(bytes.data());
          if (!flatbuffers::GenerateTextFromTable(parser, root, name, &text)) text = "not printed";
        }
        answer(text);
        string source(reinterpret_cast<const char *>(json.data()), json.count);
        parser.SetRootType(name.c_str());
        parser.builder_.ForceDefaults(forced);
        if (parser.ParseJson(source.c_str())) {
          answer(parser.builder_.GetBufferPointer(), parser.builder_.GetSize());
        } else {
          fprintf(stderr, "%s\n%s\n", parser.error_.c_str(), source.c_str());
          answer("");
        }
        uint32_t mutants = number();
        string verdicts;
        for (uint32_t i = 0; i < mutants; i++) {
          Bytes mutant = chunk();
          chunk();
          acceptsMissingStructs = false;
          char verdict = verified(type, mutant.data(), mutant.count, prefixed) ? 'a' : 'r';
          acceptsMissingStructs = true;
          if (verdict == 'r' && verified(type, mutant.data(), mutant.count, prefixed)) verdict = 'm';
          verdicts += verdict;
        }
        answer(verdicts);
      }
    }
    """#
}
