import FBSDiagnostics
import FBSParser

/// Lays structs out: fields of fixed size, each at its offset.
struct StructStage {
  let scope: ResolutionScope
  private let attributes: AttributeReader
  private let rules: FieldRules
  private var defaults: DefaultReader
  private var memberNames = MemberNames()

  init(_ scope: ResolutionScope) {
    self.scope = scope
    attributes = AttributeReader(scope: scope)
    rules = FieldRules(scope: scope)
    defaults = DefaultReader(scope)
  }

  /// The largest struct: its size must be a 32-bit offset.
  static let maximumStructSize = Int(Int32.max)

  mutating func run() {
    let structs = scope.symbols.definitions.indices.filter {
      if case .structure = scope.symbols.definitions[$0].syntax { true } else { false }
    }
    let types = structs.map { structFieldTypes($0) }
    var layouts = [StructDefinition?](repeating: nil, count: structs.count)
    // Structs that contain one another are laid out from the inside. A chain may be long: this does not recurse.
    var state = [UInt8](repeating: 0, count: structs.count)
    for start in structs.indices where state[start] == 0 {
      var stack = [(index: start, field: 0)]
      state[start] = 1
      while let (index, field) = stack.last {
        if field == types[index].count {
          layouts[index] = layOut(structs[index], types[index], layouts)
          state[index] = 2
          stack.removeLast()
          continue
        }
        stack[stack.count - 1].field += 1
        guard let inner = types[index][field]?.innerStruct?.index else { continue }
        if state[inner] == 0 {
          state[inner] = 1
          stack.append((inner, 0))
        } else if state[inner] == 1 {
          reportCycle(structs, stack.map { ($0.index, $0.field - 1) }, back: inner)
        }
      }
    }
    scope.schema.structs = layouts.compactMap { $0 }
  }

  private func reportCycle(_ structs: [Int], _ stack: [(index: Int, field: Int)], back: Int) {
    guard let start = stack.firstIndex(where: { $0.index == back }), let last = stack.last else { return }
    func range(_ step: (index: Int, field: Int)) -> SourceRange? {
      let definition = scope.symbols.definitions[structs[step.index]]
      guard case .structure(let node) = definition.syntax else { return nil }
      let tree = scope.tree(definition.file)
      return tree.range(of: tree.types[tree.fields[node.fields.lowerBound + step.field].type].span)
    }
    guard let place = range(last) else { return }
    let name = scope.qualifiedName(scope.symbols.definitions[structs[back]])
    let path = stack[start...].dropLast().prefix(8).compactMap { step in
      range(step).map { Diagnostic.Label($0, "by way of this") }
    }
    scope.error(
      .recursiveStruct, "struct `\(name)` contains itself, and so would be endless", at: place,
      advice: "use a table", labels: path,
      notes: ["a struct holds its fields in line; a table refers to them"])
  }

  /// Returns the types of a struct's fields; nil for a field whose type is wrong, which is reported.
  private func structFieldTypes(_ index: Int) -> [StructDefinition.FieldType?] {
    let definition = scope.symbols.definitions[index]
    guard case .structure(let node) = definition.syntax else { return [] }
    let tree = scope.tree(definition.file)
    return node.fields.map { structFieldType(tree.types[tree.fields[$0].type], definition, tree) }
  }

  private func structFieldType(
    _ type: TypeSyntax, _ definition: UnresolvedDefinition, _ tree: SyntaxTree
  ) -> StructDefinition.FieldType? {
    let range = tree.range(of: type.span)
    let note = "structs hold numbers, bools, enums, structs and arrays of them, such as `[int:4]`"
    switch type.kind {
    case .named:
      if let builtin = scope.builtin(type, tree) {
        if case .scalar(let scalar) = builtin { return .scalar(scalar) }
        scope.error(
          .wrongType, "a struct cannot hold a string", at: range, advice: "make the struct a table", notes: [note])
        return nil
      }
      guard let found = scope.resolve(type.span, in: definition) else { return nil }
      switch found.id {
      case .enumeration(let id): return .enumeration(id)
      case .structure(let id): return .structure(id)
      case .table, .union:
        scope.error(
          .wrongType, "a struct cannot hold \(found.id.kindName)", at: range, advice: "make the struct a table",
          notes: [note])
        return nil
      }
    case .list(let element, let length):
      guard let length else {
        scope.error(
          .wrongType, "a struct cannot hold a vector", at: range, advice: "give it a length, such as `[int:4]`",
          notes: [note])
        return nil
      }
      guard case .named = tree.types[element].kind else {
        scope.error(
          .wrongType, "an array cannot hold vectors or arrays", at: range, advice: "wrap the inner one in a struct")
        return nil
      }
      let elementType = structFieldType(tree.types[element], definition, tree)
      guard !tree.tokens[length].isMalformed else { return nil }
      guard let count = WholeNumber.parse(tree.bytes(of: length)).number, count.fits(.uint16), count != .zero else {
        scope.error(
          .outOfRange, "an array's length is 1 to 65535, and not `\(tree.text(of: length))`",
          at: tree.range(of: length), advice: "use a length in this range")
        return nil
      }
      return elementType.map { .array(of: $0, count: Int(count.magnitude)) }
    }
  }

  private mutating func layOut(
    _ index: Int, _ types: [StructDefinition.FieldType?], _ layouts: [StructDefinition?]
  ) -> StructDefinition? {
    let definition = scope.symbols.definitions[index]
    guard case .structure(let node) = definition.syntax else { return nil }
    let tree = scope.tree(definition.file)
    let declaration = attributes.declaration(
      node.keyword, node.name, node.attributes, on: .structure, in: tree, definition.file)
    var fields: [StructDefinition.Field] = []
    var size = 0
    var alignment = 1
    var isTooLarge = false
    var keys: [SourceRange] = []
    for (place, fieldIndex) in node.fields.enumerated() {
      let syntax = tree.fields[fieldIndex]
      let name = scope.intern(tree.bytes(of: syntax.name))
      let own = attributes.fieldDeclaration(syntax, on: .structField, in: tree, definition.file)
      memberNames.checkFieldName(name, place, of: node.fields, own, index, scope)
      // The type of a field is laid out before the struct that holds it, unless it contains itself. An array has no value.
      let byteCount: Int? =
        if case .structure(let id)? = types[place] { layouts[id.index]?.byteCount } else { nil }
      checkStructField(syntax, own, types[place], byteCount, &keys, definition)
      guard let type = types[place] else { continue }
      let (fieldSize, fieldAlignment) = measure(type, layouts)
      size = align(size, to: fieldAlignment)
      fields.append(
        .init(
          name: scope.symbols.names.strings[name], type: type, offset: size, byteCount: byteCount, declaration: own))
      size += fieldSize
      alignment = max(alignment, fieldAlignment)
      isTooLarge = isTooLarge || size > Self.maximumStructSize
      // The size is capped, since the computations below must not overflow either.
      size = min(size, Self.maximumStructSize)
    }
    if node.fields.isEmpty, !node.hasUnreadFields {
      scope.error(
        .emptyStruct, "struct `\(scope.qualifiedName(definition))` has no fields", at: tree.range(of: node.name),
        advice: "add one, or make it a table")
    }
    alignment = forcedAlignment(declaration, natural: alignment) ?? alignment
    let paddedSize = align(size, to: alignment)
    if isTooLarge || paddedSize > Self.maximumStructSize {
      scope.error(
        .tooLarge, "struct `\(scope.qualifiedName(definition))` is larger than \(Self.maximumStructSize) bytes",
        at: tree.range(of: node.name), advice: "use vectors in a table instead")
    }
    return StructDefinition(
      name: scope.qualifiedName(definition), fields: fields, size: paddedSize, alignment: alignment,
      declaration: declaration)
  }

  private func align(_ size: Int, to alignment: Int) -> Int { (size + alignment - 1) & -alignment }

  private func measure(
    _ type: StructDefinition.FieldType, _ layouts: [StructDefinition?]
  ) -> (size: Int, alignment: Int) {
    switch type {
    case .scalar(let scalar): return (scalar.size, scalar.size)
    case .enumeration(let id): return (scope.schema[id].underlyingType.size, scope.schema[id].underlyingType.size)
    // A struct inside itself has no layout yet, which is reported.
    case .structure(let id): return (layouts[id.index]?.size ?? 0, layouts[id.index]?.alignment ?? 1)
    case .array(let element, let count):
      let (size, alignment) = measure(element, layouts)
      // Cannot overflow: at most 2^31 times 2^16.
      return (size * count, alignment)
    }
  }

  private func forcedAlignment(_ declaration: Declaration, natural: Int) -> Int? {
    guard let attribute = declaration.attribute("force_align") else { return nil }
    let number: WholeNumber? =
      switch attribute.value {
      case .integer(let value): value < 0 ? nil : WholeNumber(UInt64(value))
      case .string(let text): WholeNumber.parse(quoted: text).number
      case nil: nil
      }
    guard let number, !number.isNegative, number.magnitude.nonzeroBitCount == 1, number.magnitude <= 32,
      number.magnitude >= UInt64(natural)
    else {
      let choices = [1, 2, 4, 8, 16, 32].filter { $0 >= natural }.map(String.init).joined(separator: ", ")
      scope.error(
        .wrongAttributeValue,
        "`force_align` is a power of two up to 32, and not below the natural alignment, \(natural)",
        at: attribute.range, advice: "one of \(choices)")
      return nil
    }
    return Int(number.magnitude)
  }

  private mutating func checkStructField(
    _ syntax: FieldSyntax, _ declaration: Declaration, _ type: StructDefinition.FieldType?, _ byteCount: Int?,
    _ keys: inout [SourceRange], _ definition: UnresolvedDefinition
  ) {
    checkStructDefault(syntax, declaration, type, definition)
    if let type {
      let field = PendingField(
        name: 0, type: type.asField, declaration: declaration, presence: .required, byteCount: byteCount)
      rules.checkAttributes(of: field, type.asField, &keys, definition, isInStruct: true)
    }
    for attribute in declaration.attributes {
      switch attribute.name {
      case "deprecated":
        scope.error(
          .misplacedAttribute, "a struct's field cannot be deprecated", at: attribute.range, advice: "remove it",
          notes: ["a struct's layout is fixed for ever: a field cannot leave it"], fixes: attribute.removalFixes)
      case "required":
        scope.error(
          .misplacedAttribute, "a struct's field is always there", at: attribute.range, advice: "remove `required`",
          fixes: attribute.removalFixes)
      case "offset64", "vector64":
        scope.error(
          .misplacedAttribute, "a struct holds its fields in line, and no offsets", at: attribute.range,
          advice: "remove `\(attribute.name)`", fixes: attribute.removalFixes)
      case "key":
        // Newer versions of flatc accept every type that a struct may hold, structs and fixed arrays included.
        rules.checkKey(attribute, isAllowed: true, isOptional: false, &keys)
      default:
        break
      }
    }
  }

  /// Checks the default of a struct's field, which may only be 0. An enum must have that value, since structs start as
  /// zeros.
  private mutating func checkStructDefault(
    _ syntax: FieldSyntax, _ declaration: Declaration, _ type: StructDefinition.FieldType?,
    _ definition: UnresolvedDefinition
  ) {
    let tree = scope.tree(definition.file)
    let mistakes = scope.diagnostics.count
    var isZero = syntax.value == nil
    switch type {
    case .scalar(let scalar):
      if let value = syntax.value {
        let presence = defaults.presence(of: .scalar(scalar), value, declaration, definition, tree)
        isZero = presence == .defaulted(ScalarValue.zero(of: scalar))
        // flatc accepts only one way to write a zero for floating-point numbers.
        let text = tree.bytes(of: tree.values[value].span.first).filter { ![UInt8(ascii: "\""), 0x27].contains($0) }
        if scalar.isFloatingPoint, text != [UInt8(ascii: "0")] { isZero = false }
      }
    case .enumeration(let id):
      let presence = defaults.presence(
        of: .enumeration(id), syntax.value, declaration, definition, tree, isInStruct: true)
      isZero = presence == .defaulted(.integer(0))
    case .structure, .array, nil:
      break
    }
    guard !isZero, scope.diagnostics.count == mistakes, let value = syntax.value else { return }
    scope.error(
      .wrongDefault, "a struct's field cannot have a default", at: tree.range(of: tree.values[value].span),
      advice: "remove it",
      notes: ["a struct is there whole or not at all, so none of its fields can be absent"],
      fixes: tree.defaultRemovalFixes(tree.values[value]))
  }
}

extension StructDefinition.FieldType {
  var innerStruct: StructID? {
    switch self {
    case .structure(let id): id
    case .array(let element, _): element.innerStruct
    case .scalar, .enumeration: nil
    }
  }

  /// Returns the type of a table's field of the same kind. No table's field is an array: a table stands for it, since
  /// attributes for other types are not allowed on either.
  fileprivate var asField: FieldType {
    switch self {
    case .scalar(let type): .scalar(type)
    case .enumeration(let id): .enumeration(id)
    case .structure(let id): .structure(id)
    case .array: .table(TableID(0))
    }
  }

  var isScalarOrEnum: Bool {
    switch self {
    case .scalar, .enumeration: true
    case .structure, .array: false
    }
  }
}
