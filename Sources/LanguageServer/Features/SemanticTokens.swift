import FBSDiagnostics
import FBSParser
import FBSSchema

struct SemanticTokens: Encodable { var data: [Int] }

/// The kinds of names, in the order of their numbers.
enum SemanticTokenType: String, CaseIterable {
  case type, `class`, `struct`, `enum`, interface, property, enumMember, method, namespace, keyword, decorator

  var number: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The properties of a name, as bits.
struct SemanticTokenModifier: OptionSet {
  let rawValue: Int
  static let names = ["declaration", "deprecated", "defaultLibrary"]
  static let declaration = SemanticTokenModifier(rawValue: 1)
  static let deprecated = SemanticTokenModifier(rawValue: 2)
  static let defaultLibrary = SemanticTokenModifier(rawValue: 4)
}

extension DocumentContext {
  private struct Mark {
    let start: Int
    let end: Int
    let type: SemanticTokenType
    let modifiers: SemanticTokenModifier
  }

  /// Returns the names of the document with their kinds, as five numbers each, in the protocol's encoding.
  func semanticTokens(in range: TextRange?) -> SemanticTokens {
    let limits = range.map { text.offset(of: $0.start)...max(text.offset(of: $0.start), text.offset(of: $0.end)) }
    let marks = (names.occurrences.map(mark) + otherMarks).sorted { $0.start < $1.start }
    var data: [Int] = []
    data.reserveCapacity(marks.count * 5)
    var last = TextPosition(line: 0, character: 0)
    var end = 0
    for mark in marks where mark.start >= end {
      end = mark.end
      guard limits?.overlaps(mark.start...mark.end) ?? true else { continue }
      let position = text.position(of: mark.start)
      let length = text.position(of: mark.end).character - position.character
      data += [
        position.line - last.line,
        position.line == last.line ? position.character - last.character : position.character,
        length, mark.type.number, mark.modifiers.rawValue,
      ]
      last = position
    }
    return SemanticTokens(data: data)
  }

  private func mark(_ occurrence: NameOccurrence) -> Mark {
    var modifiers: SemanticTokenModifier = occurrence.isDeclaration ? .declaration : []
    let type: SemanticTokenType
    switch occurrence.symbol {
    case .definition(.table): type = .class
    case .definition(.structure): type = .struct
    case .definition(.enumeration): type = .enum
    case .definition(.union), .service: type = .interface
    case .field(let table, let index):
      type = .property
      if schema[table].fields[index].isDeprecated { modifiers.insert(.deprecated) }
    case .structField: type = .property
    case .enumValue, .unionMember: type = .enumMember
    case .method: type = .method
    }
    return Mark(start: occurrence.range.start, end: occurrence.range.end, type: type, modifiers: modifiers)
  }

  /// The built-in types, namespaces and attributes.
  private var otherMarks: [Mark] {
    let tree = tree
    let builtins = Set(Schema.builtinTypeNames)
    var marks: [Mark] = []
    func add(_ token: TokenIndex, _ type: SemanticTokenType, _ modifiers: SemanticTokenModifier = []) {
      let token = tree.tokens[token]
      marks.append(Mark(start: Int(token.start), end: Int(token.end), type: type, modifiers: modifiers))
    }
    for type in tree.types {
      guard case .named = type.kind, type.span.first == type.span.last,
        builtins.contains(tree.text(of: type.span.first))
      else { continue }
      add(type.span.first, .type, .defaultLibrary)
    }
    for attribute in tree.attributes { add(attribute.name, .decorator) }
    for item in tree.items {
      if case .namespace(let name?) = item { for token in name.components { add(token, .namespace) } }
    }
    return marks
  }
}
