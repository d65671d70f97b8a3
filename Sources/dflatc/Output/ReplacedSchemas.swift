import Emitters
import Foundation

extension OutputFolder {
  /// An existing output file of another schema with the same name: all its types are missing from the new output.
  struct ReplacedSchema {
    /// The path of the file.
    let path: String
    /// One of the file's types.
    let type: String
  }

  /// Returns the outputs, one for each schema, that seem to replace the outputs of another schema with the same name. A
  /// run does not know the schemas of earlier runs, but two versions of a schema usually have a type in common.
  ///
  /// - Parameter files: the new outputs that differ from the existing files.
  func schemasReplaced(by files: [GeneratedFile]) -> [ReplacedSchema] {
    var replaced: [ReplacedSchema] = []
    for file in files.sorted(by: { $0.name.utf8.count < $1.name.utf8.count }) where file.name.hasSuffix(Self.suffix) {
      let stem = String(file.name.dropLast(Self.suffix.utf8.count)) + "_"
      let outputPath = (path as NSString).appendingPathComponent(file.name)
      // Other emitters' outputs of a schema have longer names, such as post_query_generated.swift.
      guard !replaced.contains(where: { Self.isOutput(stem, ofSameSchemaAs: $0.path) }),
        // To open a pipe would wait for its writer.
        !FileSystem.isStream(outputPath),
        let old = FileManager.default.contents(atPath: outputPath)
      else { continue }
      let types = Self.types(in: old)
      guard let type = types.first, Set(types).isDisjoint(with: Self.types(in: file.content)) else { continue }
      replaced.append(ReplacedSchema(path: outputPath, type: type))
    }
    return replaced.sorted { $0.path < $1.path }
  }

  private static let suffix = "_generated.swift"

  private static func isOutput(_ stem: String, ofSameSchemaAs path: String) -> Bool {
    stem.hasPrefix((path as NSString).lastPathComponent.dropLast(suffix.utf8.count) + "_")
  }

  /// Returns the types that generated Swift declares, with their namespaces, in the order of the text.
  private static func types(in text: some Sequence<UInt8>) -> [String] {
    var (types, namespace): ([String], String) = ([], "")
    // By bytes: CR LF, with which git may have ended the lines, is one character to Swift.
    for bytes in Array(text).split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
      let line = String(decoding: bytes, as: UTF8.self)
      let isNested = line.hasPrefix(" ")
      let words = line.split(separator: " ")
      if !isNested { namespace = words.first == "extension" && words.count > 1 ? String(words[1]) : "" }
      guard words.first == "public", let kind = words.firstIndex(where: { ["struct", "class", "enum"].contains($0) }),
        kind < 3, kind + 1 < words.count
      else { continue }
      let name = words[kind + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "`" }
      types.append(isNested && !namespace.isEmpty ? namespace + "." + name : String(name))
    }
    return types
  }
}
