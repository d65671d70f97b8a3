import Emitters
import Foundation
import TestSupport
import Testing

@Suite("Names from outside that generated code mentions")
struct OutsideNamesTests {
  private func texts(of folder: String, suffix: String) throws -> [String] {
    let folder = packageFolder.appending(path: folder)
    let names = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
    return try names.filter { $0.hasSuffix(suffix) }.sorted().map {
      try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
    }
  }

  private func words(_ line: Substring) -> [String] {
    line.split { !($0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_") }.map(String.init)
  }

  /// The types that a module of the runtime declares at its top.
  private func types(of module: String) throws -> Set<String> {
    let kinds: Set<String> = ["struct", "class", "enum", "protocol", "typealias"]
    var found: Set<String> = []
    for line in try texts(of: "Sources/DflatRuntime/\(module)", suffix: ".swift").flatMap({ $0.split(separator: "\n") })
    where line.hasPrefix("public ") || line.hasPrefix("@") {
      let words = words(line)
      guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count else { continue }
      found.insert(words[kind + 1])
    }
    return found
  }

  @Test("Each type of the runtime in a golden output is known, with its module")
  func everyTypeIsKnown() throws {
    var mentioned: Set<String> = []
    let outputs = try texts(of: "Fixtures", suffix: "_generated.swift")
    for line in outputs.flatMap({ $0.split(separator: "\n") }) where !line.drop(while: { $0 == " " }).hasPrefix("//") {
      mentioned.formUnion(words(line))
    }
    // The editors' names are among them.
    #expect(mentioned.isSuperset(of: ["FlatBufferTableEditor", "FlatBufferVectorEditor", "FlatBufferStringKeyed"]))
    for module in ["FlatBuffersCore", "Dflat", "SQLiteDflat"] {
      let types = try types(of: module)
      #expect(!types.isEmpty)
      for type in types.intersection(mentioned).sorted() {
        #expect(OutsideNames.modules[type] == module, "\(type) is missing in OutsideNames")
      }
    }
  }
}
