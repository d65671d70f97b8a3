import FBSDiagnostics
import FBSParser

/// Resolves the unions: types with codes.
struct UnionStage {
  let scope: ResolutionScope
  private let attributes: AttributeReader
  private var numberTypes: NumberTypes
  private var memberNames = MemberNames()

  init(_ scope: ResolutionScope, _ numberTypes: NumberTypes) {
    self.scope = scope
    self.numberTypes = numberTypes
    attributes = AttributeReader(scope: scope)
  }

  mutating func run() {
    for index in scope.symbols.definitions.indices {
      guard case .union(let node) = scope.symbols.definitions[index].syntax else { continue }
      scope.schema.unions.append(resolve(node, index))
    }
  }

  private mutating func resolve(_ node: UnionSyntax, _ index: Int) -> UnionDefinition {
    let definition = scope.symbols.definitions[index]
    let tree = scope.tree(definition.file)
    let declaration = attributes.declaration(
      node.keyword, node.name, node.attributes, on: .union, in: tree, definition.file, type: node.type)
    var members: [UnionDefinition.Member] = []
    members.reserveCapacity(node.members.count)
    let writtenType = node.type == nil ? nil : numberTypes.type(of: index)
    let numbers = writtenType ?? .uint8
    var first: [UInt64: SourceRange] = [:]
    var previous: UInt64? = 0
    for (place, memberIndex) in node.members.enumerated() {
      let syntax = tree.unionMembers[memberIndex]
      let range = tree.range(of: syntax.name)
      // `N.M.A` becomes `N_M_A`.
      let text = syntax.name.components.map { tree.text(of: $0) }.joined(separator: "_")
      if text == "NONE" {
        scope.error(
          .nameClash, "`NONE` cannot be written in a union", at: range, advice: "remove it",
          notes: ["every union has `NONE`, with the code 0"])
        continue
      }
      let name = scope.intern(Array(text.utf8)[...])
      if !memberNames.isNew(name, in: index, as: place) {
        scope.duplicateMember(
          "union `\(scope.qualifiedName(definition))` has two members `\(text)`", at: range,
          first: tree.range(of: tree.unionMembers[node.members.lowerBound + memberNames.member(of: name)].name),
          notes: ["one type may have several members, each with its own name: `a: T, b: T`"])
        continue
      }
      let type = memberType(syntax, definition, tree)
      guard let code = memberCode(syntax, previous: previous, numbers, tree) else {
        if syntax.code == nil && previous == numbers.limits.greatest { break }
        previous = nil
        continue
      }
      previous = code
      if let other = first[code] {
        scope.error(
          .duplicateNumber, "`\(text)` has the code \(code), which is taken", at: range,
          advice: "give it another code", labels: [.init(other, "taken here")],
          notes: ["the code is all that says which member is stored"])
        continue
      }
      first[code] = range
      guard let type else { continue }
      members.append(
        UnionDefinition.Member(
          name: text, code: Int64(bitPattern: code), type: type,
          declaration: attributes.declaration(
            syntax.name.first, syntax.name.last, syntax.attributes, on: .unionMember, in: tree, definition.file,
            type: syntax.type, value: syntax.code.map { TokenSpan($0, $0) })))
    }
    return UnionDefinition(
      name: scope.qualifiedName(definition), writtenType: writtenType, members: members, declaration: declaration)
  }

  private func memberType(
    _ syntax: UnionMemberSyntax, _ definition: UnresolvedDefinition, _ tree: SyntaxTree
  ) -> UnionDefinition.MemberType? {
    var span = syntax.name
    if let index = syntax.type {
      let type = tree.types[index]
      span = type.span
      guard case .named = type.kind else {
        notAMember(tree, span, "a union's member cannot be a vector", "wrap it in a table")
        return nil
      }
      if span.first == span.last, let name = scope.symbols.names.find(tree.bytes(of: span.first)),
        name < BuiltinType.names.count
      {
        if BuiltinType.names[name].type == .string { return .string }
        notAMember(tree, span, "a union's member cannot be a number", "wrap it in a struct or table")
        return nil
      }
    } else if span.first == span.last, let name = scope.symbols.names.find(tree.bytes(of: span.first)),
      name < BuiltinType.names.count, scope.lookUp([name], from: definition.namespace, in: definition.file).found == nil
    {
      let isString = BuiltinType.names[name].type == .string
      notAMember(
        tree, span, "a member of type `\(scope.symbols.names.strings[name])` needs a name of its own",
        isString ? "such as `text: string`" : "wrap it in a table, and name that")
      return nil
    }
    guard let found = scope.resolve(span, in: definition) else { return nil }
    switch found.id {
    case .table(let id): return .table(id)
    case .structure(let id): return .structure(id)
    case .enumeration, .union:
      notAMember(
        tree, span, "`\(tree.text(of: span))` is \(found.id.kindName), which a union cannot hold", "wrap it in a table")
      return nil
    }
  }

  private func notAMember(_ tree: SyntaxTree, _ span: TokenSpan, _ message: String, _ advice: String) {
    scope.error(
      .wrongType, message, at: tree.range(of: span), advice: advice,
      notes: ["unions hold tables, structs and strings"])
  }

  private func memberCode(
    _ syntax: UnionMemberSyntax, previous: UInt64?, _ type: ScalarType, _ tree: SyntaxTree
  ) -> UInt64? {
    let largest = type.limits.greatest
    if let token = syntax.code {
      guard !tree.tokens[token].isMalformed else { return nil }
      guard let number = WholeNumber.parse(tree.bytes(of: token)).number, number.fits(type), number != .zero,
        !number.isNegative
      else {
        scope.error(
          .outOfRange, "a member's code is 1 to \(largest), and not `\(tree.text(of: token))`",
          at: tree.range(of: token),
          advice: "use a number in this range", notes: ["0 is the code of `NONE`, which every union has"])
        return nil
      }
      return number.magnitude
    }
    guard let previous else { return nil }
    guard previous < largest else {
      scope.error(
        .tooLarge, "a union can have at most \(largest) members", at: tree.range(of: syntax.name),
        advice: "no code is left for this one")
      return nil
    }
    return previous + 1
  }
}
