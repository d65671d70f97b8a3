import FBSDiagnostics
import FBSParser
import Foundation
import TestSupport
import Testing

/// The grammar that editors color schemas with, beside the compiler's own lexer and parser.
@Suite("The TextMate grammar")
struct GrammarTests {
  private func grammar() throws -> TextMateGrammar {
    try TextMateGrammar(packageFolder.appendingPathComponent("Editors/vscode/syntaxes/fbs.tmLanguage.json"))
  }

  /// The scopes of words, each as `word scope`.
  private func words(_ text: String) throws -> [String] {
    let scopes = try grammar().scopes(of: text)
    let units = Array(text.utf16)
    var found: [String] = []
    var index = 0
    while index < units.count {
      var end = index + 1
      guard units[index] != 32, units[index] != 10 else {
        index = end
        continue
      }
      while end < units.count, scopes[end] == scopes[index], units[end] != 32, units[end] != 10 { end += 1 }
      if !scopes[index].isEmpty {
        found.append("\(String(decoding: units[index..<end], as: UTF16.self)) \(scopes[index].dropLast(4))")
      }
      index = end
    }
    return found
  }

  @Test("Words of a sample have the scopes that themes know")
  func sample() throws {
    let table = try words("table Post (private) { // x\n  a: [int] = 0x1F (id: 3, hash: \"b\"); }\n")
    #expect(
      table == [
        "table storage.type", "Post entity.name.type", "private entity.other.attribute-name",
        "// comment.line.double-slash", "x comment.line.double-slash", "a variable.other.property",
        "int support.type.builtin", "0x1F constant.numeric", "id entity.other.attribute-name", "3 constant.numeric",
        "hash entity.other.attribute-name", "\"b\" string.quoted.double",
      ])
    let service = try words(
      "namespace A.B;\nenum E : ubyte { Red = -1 }\nroot_type Post;\n/// d\nrpc_service S { Get(P): Q; }\n")
    #expect(
      service
        == [
          "namespace keyword.other", "A.B entity.name.namespace", "enum storage.type", "E entity.name.type",
          "ubyte support.type.builtin", "Red support.type", "-1 constant.numeric", "root_type keyword.other",
          "Post support.type", "/// comment.line.documentation", "d comment.line.documentation",
          "rpc_service storage.type", "S entity.name.type", "Get entity.name.function", "P support.type",
          "Q support.type",
        ])
  }

  @Test("Comments, strings, numbers and names are those of the compiler", arguments: FormattingTests.fixtures)
  func fixture(_ name: String) throws {
    let data = try Data(contentsOf: packageFolder.appendingPathComponent("Fixtures/\(name)"))
    guard data.count < 40_000, let text = String(data: data, encoding: .utf8), !text.hasPrefix("\u{FEFF}") else {
      return
    }
    let (tree, found) = Parser.parse(SourceFile(id: FileID(0), path: name, bytes: Array(text.utf8)))
    // JSON in a schema, and texts with mistakes, are colored as well as can be.
    guard !found.contains(where: { $0.severity == .error }), tree.json.isEmpty else { return }
    let scopes = try grammar().scopes(of: text)
    // By byte.
    var units: [Int] = []
    for (index, unit) in text.utf16.enumerated() {
      let width = unit < 0x80 ? 1 : unit < 0x800 ? 2 : (0xD800...0xDFFF).contains(unit) ? 2 : 3
      units += Array(repeating: index, count: width)
    }
    func scope(_ offset: Int) -> String { scopes[units[offset]] }
    var gap = 0
    for token in tree.tokens {
      for offset in gap..<Int(token.start) where !" \t\r\n".utf8.contains(tree.source.bytes[offset]) {
        #expect(scope(offset).hasPrefix("comment"), "\(name) at \(offset)")
      }
      gap = Int(token.end)
      guard token.kind != .endOfFile else { break }
      let first = scope(Int(token.start))
      switch token.kind {
      case .string:
        for offset in Int(token.start)..<Int(token.end) {
          let isString = scope(offset).hasPrefix("string") || scope(offset).hasPrefix("constant.character.escape")
          #expect(isString, "\(name) at \(offset)")
        }
      case .integer, .float: #expect(first.hasPrefix("constant.numeric"), "\(name) at \(token.start): \(first)")
      default: #expect(!first.hasPrefix("comment") && !first.hasPrefix("string"), "\(name) at \(token.start): \(first)")
      }
    }
    for item in tree.items {
      let token: TokenIndex
      switch item {
      case .table(let node), .structure(let node): token = node.name
      case .enumeration(let node): token = node.name
      case .union(let node): token = node.name
      case .service(let node): token = node.name
      default: continue
      }
      #expect(scope(Int(tree.tokens[token].start)) == "entity.name.type.fbs", "\(name): \(tree.text(of: token))")
    }
    for attribute in tree.attributes where tree.tokens[attribute.name].kind == .identifier {
      let start = Int(tree.tokens[attribute.name].start)
      #expect(scope(start) == "entity.other.attribute-name.fbs", "\(name): \(tree.text(of: attribute.name))")
    }
  }
}
