import FBSDiagnostics
import FBSParser
import FBSSchema

/// Finds places that a schema does not keep, such as those of defaults, in the text. It parses a file again when it is first
/// asked about it: few are, since few places are shown.
struct PlaceFinder {
  private let sources: SourceMap
  private var files: [FileID: Parsed] = [:]

  private struct Parsed {
    let tree: SyntaxTree
    var fields: [Int: FieldSyntax] = [:]
    var values: [Int: EnumValueSyntax] = [:]
    var members: [Int: UnionMemberSyntax] = [:]
    /// The types of enums' numbers and unions' codes, by where the names start.
    var underlyingTypes: [Int: Int] = [:]
    var identifier: TokenIndex?
  }

  init(_ sources: SourceMap) {
    self.sources = sources
  }

  private mutating func parsed(_ file: FileID) -> Parsed {
    if let known = files[file] { return known }
    let tree = Parser.parse(sources[file]).tree
    var result = Parsed(tree: tree)
    for field in tree.fields { result.fields[Int(tree.tokens[field.name].start)] = field }
    for value in tree.enumValues { result.values[Int(tree.tokens[value.name].start)] = value }
    for member in tree.unionMembers { result.members[Int(tree.tokens[member.name.first].start)] = member }
    for item in tree.items {
      switch item {
      case .enumeration(let syntax): result.underlyingTypes[Int(tree.tokens[syntax.name].start)] = syntax.type
      case .union(let syntax): result.underlyingTypes[Int(tree.tokens[syntax.name].start)] = syntax.type
      case .fileIdentifier(let value): result.identifier = value
      default: break
      }
    }
    files[file] = result
    return result
  }

  /// A field's default, without the equals sign.
  mutating func defaultValue(of field: Declaration) -> SourceRange? {
    let file = parsed(field.nameRange.file)
    guard let value = file.fields[field.nameRange.start]?.value else { return nil }
    return file.tree.range(of: file.tree.values[value].span)
  }

  /// What to take away for a field to have no default.
  mutating func defaultRemoval(of field: Declaration) -> SourceRange? {
    let file = parsed(field.nameRange.file)
    guard let value = file.fields[field.nameRange.start]?.value else { return nil }
    return file.tree.removal(ofDefault: file.tree.values[value].span)
  }

  /// An enum's value's number.
  mutating func number(of value: Declaration) -> SourceRange? {
    let file = parsed(value.nameRange.file)
    guard let token = file.values[value.nameRange.start]?.number else { return nil }
    return file.tree.range(of: token)
  }

  /// The type of an enum's numbers, or of a union's codes.
  mutating func underlyingType(of definition: Declaration) -> SourceRange? {
    let file = parsed(definition.nameRange.file)
    guard let type = file.underlyingTypes[definition.nameRange.start] else { return nil }
    return file.tree.range(of: file.tree.types[type].span)
  }

  /// A union member's code, and its type after an alias.
  mutating func parts(ofMember member: Declaration) -> (code: SourceRange?, type: SourceRange?) {
    let file = parsed(member.nameRange.file)
    guard let syntax = file.members[member.nameRange.start] else { return (nil, nil) }
    return (
      syntax.code.map { file.tree.range(of: $0) }, syntax.type.map { file.tree.range(of: file.tree.types[$0].span) }
    )
  }

  /// A file's `file_identifier`: the string.
  mutating func identifier(of file: FileID) -> SourceRange? {
    let parsed = parsed(file)
    return parsed.identifier.map { parsed.tree.range(of: $0) }
  }

  /// The place after a field's semicolon.
  mutating func end(of field: Declaration) -> SourceRange? {
    guard let (place, _) = attributeInsertion(of: field) else { return nil }
    let bytes = sources[place.file].bytes
    guard let semicolon = bytes[place.end...].firstIndex(of: UInt8(ascii: ";")) else { return nil }
    return SourceRange(file: place.file, start: semicolon + 1, end: semicolon + 1)
  }

  /// The last byte of a field's declaration before its semicolon, and where its attributes are open, if it has some.
  mutating func attributeInsertion(of field: Declaration) -> (place: SourceRange, isFirst: Bool)? {
    let file = parsed(field.nameRange.file)
    guard let syntax = file.fields[field.nameRange.start] else { return nil }
    if let last = field.attributes.last {
      return (SourceRange(file: field.nameRange.file, start: last.range.end, end: last.range.end), false)
    }
    let span = syntax.value.map { file.tree.values[$0].span } ?? file.tree.types[syntax.type].span
    let end = file.tree.range(of: span).end
    return (SourceRange(file: field.nameRange.file, start: end, end: end), true)
  }
}
