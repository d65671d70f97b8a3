import ConformanceSupport
import Emitters
import Foundation
import TestSupport
import Testing

/// That generated code spells the types of other modules as it must, whatever names a schema has.
@Suite("Types that generated code imports")
struct ImportedTypesTests {
  /// A golden case: what the emitters write for it by itself, and beside a schema that shadows every imported type.
  private struct Case {
    let schema: String
    /// The Swift files of the schema, by their names.
    let plain: [String: String]
    let shadowed: [String: String]
  }

  /// Its definitions have all names of imported types, as namespaces. So none of them has a suffix that would shadow more.
  private static let shadows = ImportedType.allCases.map { "namespace \($0.rawValue); enum E: byte { A }\n" }.joined()

  private static func cases() throws -> [Case] {
    let fixtures = packageFolder.appending(path: "Fixtures")
    let names = try FileManager.default.contentsOfDirectory(atPath: fixtures.path)
    func text(_ path: String) throws -> String? {
      let file = fixtures.appending(path: path).path
      return FileManager.default.fileExists(atPath: file) ? try String(contentsOfFile: file, encoding: .utf8) : nil
    }
    return try names.sorted().compactMap { name in
      guard let schema = try text("\(name)/schema.fbs") else { return nil }
      // A case that chooses emitters has a schema that no store can hold.
      let isForStores = try text("\(name)/emitters") == nil
      let emitters = EmitterRegistry.all.filter { $0.emitsSwift && (isForStores || !$0.needsStore) }
      func files(_ inputs: [String: String]) throws -> [String: String] {
        let outcome = CompilationPipeline(emitters: emitters).run(
          inputs: inputs.keys.sorted(), provider: SchemaTexts(inputs))
        #expect(outcome.diagnostics.isEmpty, "\(name): \(outcome.diagnostics.map(\.message))")
        let files = try outcome.files.get().filter { $0.name.hasPrefix("schema") }
        return Dictionary(uniqueKeysWithValues: files.map { ($0.name, String(decoding: $0.content, as: UTF8.self)) })
      }
      return Case(
        schema: schema, plain: try files(["schema.fbs": schema]),
        shadowed: try files(["schema.fbs": schema, "shadows.fbs": shadows]))
    }
  }

  private func code(_ text: String) -> [SwiftScanner.Token] {
    SwiftScanner.tokens(text).filter { $0.kind == .code }
  }

  @Test("Beside a schema that shadows all of them, each has its module in front, and all else is the same")
  func shadowing() throws {
    let cases = try Self.cases()
    #expect(cases.count > 10)
    for golden in cases {
      #expect(golden.plain.keys.sorted() == golden.shadowed.keys.sorted())
      for (name, text) in golden.plain {
        let expected = SwiftScanner.tokens(text).flatMap { token -> [String] in
          guard token.kind == .code, !token.isMember, let type = ImportedType(rawValue: token.text) else {
            return [token.text]
          }
          return [type.module, ".", type.rawValue]
        }
        // The lines may be broken elsewhere.
        let found = SwiftScanner.tokens(golden.shadowed[name] ?? "").map(\.text)
        let difference = zip(expected, found).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let around = max(0, (difference ?? 0) - 12)..<min(found.count, (difference ?? 0) + 12)
        #expect(expected == found, "\(name): \(found[around].joined(separator: " "))")
      }
    }
  }

  @Test("Each type that golden output names is the schema's own, or known as imported")
  func unknownTypes() throws {
    for golden in try Self.cases() {
      let suffixes = ["", "Reader", "Value", "Editor", "Builder", "ChangeRequest"]
      let words = SwiftScanner.tokens(golden.schema).map(\.text)
      // An enum's case is spelled without underscores.
      let joined = words.map { $0.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() }
      let own = Set((words + joined).flatMap { word in suffixes.map { word + $0 } })
      for (name, text) in golden.plain {
        for token in code(text) where !token.isMember && token.text.first?.isUppercase == true {
          let isKnown =
            own.contains(token.text) || Self.declared.contains(token.text) || ImportedType(rawValue: token.text) != nil
          #expect(isKnown, "\(name) names \(token.text), which is missing in ImportedType")
        }
      }
    }
  }

  /// What is no imported type and begins with a capital: words of Swift, modules, and what generated code declares itself.
  private static let declared: Set<String> = [
    "Any", "Code", "CodingKeys", "Dflat", "Element", "Fields", "FlatBuffersCore", "Foundation", "Union", "Value",
    "Wrapped",
  ]

  @Test("Golden output names each imported type")
  func allAreNamed() throws {
    var named: Set<String> = []
    for text in try Self.cases().flatMap(\.plain.values) { named.formUnion(code(text).map(\.text)) }
    for type in ImportedType.allCases { #expect(named.contains(type.rawValue), "no golden output names \(type)") }
  }

  @Test("No emitter writes the name of an imported type itself")
  func namesInEmitters() throws {
    let folder = packageFolder.appending(path: "Sources/Emitters")
    let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
    var literals = 0
    for file in files where file.hasSuffix(".swift") && !Self.foldersWithoutSwift.contains(where: file.hasPrefix) {
      let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      for token in SwiftScanner.tokens(source) where token.kind == .literal {
        literals += 1
        if token.isMember || token.literalStart.hasPrefix("//") || Self.ownNames[file] == token.text { continue }
        #expect(ImportedType(rawValue: token.text) == nil, "\(file) has \(token.literalStart): write imported[...]")
      }
    }
    #expect(literals > 1000)
  }

  /// What begins the paths of files whose literals are in no generated Swift: those of other formats, texts for people, the list.
  private static let foldersWithoutSwift = [
    "BinarySchema/", "Codes/", "Diagram/", "HTML/", "JSONSchema/", "SchemaJSON/", "Naming/ImportedType.swift",
  ]

  /// What is a part of other names.
  private static let ownNames = ["Fields/SwiftField+Mutating.swift": "Offset"]

  // MARK: The runtime

  /// The types that a module of the runtime declares at its top.
  private func types(of module: String) throws -> Set<String> {
    let folder = packageFolder.appending(path: "Sources/DflatRuntime/\(module)")
    let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
    let kinds: Set<String> = ["struct", "class", "enum", "protocol", "typealias"]
    var found: Set<String> = []
    for file in files where file.hasSuffix(".swift") {
      let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      for line in source.split(separator: "\n") where line.hasPrefix("public ") || line.hasPrefix("@") {
        let words = code(String(line)).map(\.text)
        guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count else { continue }
        found.insert(words[kind + 1])
      }
    }
    return found
  }

  @Test("Each imported type is declared by the module that is listed for it")
  func modules() throws {
    let runtime = ["Dflat": try types(of: "Dflat"), "FlatBuffersCore": try types(of: "FlatBuffersCore")]
    for type in ImportedType.allCases {
      // What the runtime does not declare is of the standard library or of Foundation, or a compiled test of hostile names fails.
      let foundation = ["Date", "Decimal", "URL", "UUID"]
      let module =
        runtime.first { $0.value.contains(type.rawValue) }?.key
        ?? (foundation.contains(type.rawValue) ? "Foundation" : "Swift")
      #expect(type.module == module, "\(type)")
    }
    #expect(Set(ImportedType.allCases.map(\.module)).count == 4)
  }
}
