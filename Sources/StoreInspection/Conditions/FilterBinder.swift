import FBSDiagnostics
import FBSParser
import FlatBuffersJSON
import TextFolding

/// Turns the syntax of conditions to conditions on the fields of a table.
struct FilterBinder {
  private var names: FilterNames

  init(_ names: FilterNames) { self.names = names }

  /// Binds a condition.
  mutating func bind(_ syntax: FilterSyntax) throws(FilterMistake) -> Filter.Node {
    switch syntax {
    case .or(let parts): return .any(try bind(parts))
    case .and(let parts): return .all(try bind(parts))
    case .not(let inner): return .not(try bind(inner))
    case .isNull(let operand): return .isNull(try found(operand, "a value is never null").operand)
    case .isEmpty(let operand): return try bindEmpty(operand)
    case .alone(let operand):
      if case .bool(let value) = operand.kind { return .truth(.value(.integer(value ? 1 : 0))) }
      if case .path(let path) = operand.kind {
        let found = try names.find(path, at: operand.range)
        if case .bool = found.kind { return .truth(found.operand) }
      }
      throw FilterMistake(
        .malformedFilter, "this is neither true nor false", at: operand.range, advice: "compare it with something")
    case .comparison(let left, let comparison, let right):
      let (a, b) = try pair(left, right)
      return .comparison(a, comparison, b)
    case .among(let operand, let choices):
      return .any(
        try choices.map { (choice) throws(FilterMistake) in
          let (a, b) = try pair(operand, choice)
          return .comparison(a, .equal, b)
        })
    case .hasEnd(let condition, let operand, let part):
      let found = try found(operand, "a text in quotes has no `\(condition.rawValue)`")
      guard case .text = found.kind else {
        throw FilterMistake(
          .wrongFilterType, "only a text has a \(condition.rawValue)", at: operand.range, advice: "name a string")
      }
      return .text(condition, found.operand, try searched(part, in: found))
    case .contains(let operand, let value): return try bindContains(operand, value)
    case .containsAny(let operand, let values):
      let (vector, element) = try vector(operand)
      let nodes = try values.map { (value) throws(FilterMistake) in try equals(element, value) }
      return .hasElement(vector, .any(nodes))
    case .containsElement(let operand, let condition):
      let (vector, element) = try vector(operand)
      names.enter(element.target)
      defer { names.leave() }
      return .hasElement(vector, try bind(condition))
    }
  }

  private mutating func bind(_ parts: [FilterSyntax]) throws(FilterMistake) -> [Filter.Node] {
    var nodes: [Filter.Node] = []
    for part in parts { nodes.append(try bind(part)) }
    return nodes
  }

  // MARK: Vectors and texts

  /// An element of a vector that a condition is about.
  private struct Element {
    let target: FilterTarget
    let found: FilterNames.Found
  }

  /// Returns the field that an operand names.
  private func found(
    _ operand: FilterSyntax.Operand, _ mistake: @autoclosure () -> String
  ) throws(FilterMistake) -> FilterNames.Found {
    guard case .path(let path) = operand.kind else {
      throw FilterMistake(.wrongFilterType, mistake(), at: operand.range, advice: "name a field")
    }
    return try names.find(path, at: operand.range)
  }

  private func bindEmpty(_ operand: FilterSyntax.Operand) throws(FilterMistake) -> Filter.Node {
    let found = try found(operand, "only a vector or a text is empty")
    switch (found.kind, found.operand) {
    case (.vector, .field(let field)): return .comparison(.count(field), .equal, .value(.integer(0)))
    case (.text, _): return .comparison(found.operand, .equal, .value(.text([])))
    default:
      throw FilterMistake(
        .wrongFilterType, "only a vector or a text is empty", at: operand.range,
        advice: "write `is null` for a field that is absent")
    }
  }

  private func bindContains(
    _ operand: FilterSyntax.Operand, _ value: FilterSyntax.Operand
  ) throws(FilterMistake) -> Filter.Node {
    let found = try found(operand, "a text in quotes contains nothing to ask for")
    if case .text = found.kind { return .text(.part, found.operand, try searched(value, in: found)) }
    let (vector, element) = try vector(operand)
    return .hasElement(vector, try equals(element, value))
  }

  /// Returns the vector that an operand names, and its element in the condition that is bound next.
  private func vector(_ operand: FilterSyntax.Operand) throws(FilterMistake) -> (Filter.Field, Element) {
    let found = try found(operand, "only a vector or a text contains something")
    switch (found.kind, found.operand) {
    case (.vector(let type, let areUUIDs), .field(let field)):
      let target = FilterTarget(type, isUUID: areUUIDs, names.layouts)
      let element = Filter.Field(level: names.origins.count, path: FieldPath([]))
      let kind = target.kind(names.layouts)
      return (field, Element(target: target, found: .init(operand: .field(element), kind: kind)))
    case (.text, _):
      throw FilterMistake(
        .wrongFilterType, "a text contains one other text", at: operand.range,
        advice: "write `contains 'a'`, and join several by `or`")
    default:
      throw FilterMistake(
        .wrongFilterType, "only a vector or a text contains something", at: operand.range,
        advice: "compare it with `=`, or with `in (...)`")
    }
  }

  /// Returns the condition that an element is a value. Names in the value are not those of the element.
  private func equals(_ element: Element, _ value: FilterSyntax.Operand) throws(FilterMistake) -> Filter.Node {
    if case .presence = element.found.kind {
      throw FilterMistake(
        .wrongFilterType, "the elements of this vector have no single value to compare", at: value.range,
        advice: "write a condition on their fields in parentheses: `contains (...)`")
    }
    let (a, b) = try pair(element.found, value)
    return .comparison(a, .equal, b)
  }

  /// Returns the text that is searched for in a field's text, with the same folding.
  private func searched(
    _ operand: FilterSyntax.Operand, in found: FilterNames.Found
  ) throws(FilterMistake) -> SearchedText {
    guard case .text(let text) = operand.kind else { throw FilterKind.text(isUUID: false).mismatch(operand.range) }
    let bytes = Array(text.utf8)
    return SearchedText(found.operand.folding.map { TextFolder.fold(bytes, $0) } ?? bytes)
  }

  // MARK: Comparisons

  /// Binds two operands that are compared with one another.
  private func pair(
    _ left: FilterSyntax.Operand, _ right: FilterSyntax.Operand
  ) throws(FilterMistake) -> (Filter.Operand, Filter.Operand) {
    if let a = field(left) {
      // A value may have the name of a field.
      if let b = field(right), !a.kind.isComparable(with: b.kind), let value = namedValue(left, as: b.kind) {
        return (.value(value), b.operand)
      }
      return try pair(a, right)
    }
    if let b = field(right) {
      let (second, first) = try pair(b, left)
      return (first, second)
    }
    // Neither is a field: report the error of an operand that looks like one.
    for operand in [left, right] {
      if case .path(let path) = operand.kind { _ = try names.find(path, at: operand.range) }
    }
    throw FilterMistake(.wrongFilterType, "neither of the two is a field", at: left.range, advice: "name a field")
  }

  /// Binds an operand that is compared with a field.
  private func pair(
    _ found: FilterNames.Found, _ operand: FilterSyntax.Operand
  ) throws(FilterMistake) -> (Filter.Operand, Filter.Operand) {
    if let other = field(operand) {
      if found.kind.isComparable(with: other.kind) {
        return Filter.Operand.withOneFolding(found.operand, other.operand)
      }
      guard let value = namedValue(operand, as: found.kind) else { throw found.kind.mismatch(operand.range) }
      return (found.operand, .value(value))
    }
    return Filter.Operand.withOneFolding(found.operand, try constant(operand, as: found.kind))
  }

  /// Returns the value of an enum, or the member of a union, that a name stands for; nil if it stands for none.
  private func namedValue(_ operand: FilterSyntax.Operand, as kind: FilterKind) -> FieldValue? {
    guard case .names(let values, let scalar, _) = kind, case .path(let path) = operand.kind, path.names.count == 1
    else { return nil }
    return values[path.text].map { FieldValue(UInt64(bitPattern: $0), NumberType(scalar), isCode: false) }
  }

  /// Returns the field that an operand names; nil if it names none.
  private func field(_ operand: FilterSyntax.Operand) -> FilterNames.Found? {
    guard case .path(let path) = operand.kind else { return nil }
    // `try?`: the name may be that of an enum's value. Who asks reports a name that is neither.
    return try? names.find(path, at: operand.range)
  }

  /// Returns the operand for a value that is compared with a field of the kind.
  private func constant(
    _ operand: FilterSyntax.Operand, as kind: FilterKind
  ) throws(FilterMistake) -> Filter.Operand {
    switch (kind, operand.kind) {
    case (.mapped(let mapping, _), .text(let text)):
      guard let number = ValueText.number(text, mapping) else { throw kind.mismatch(operand.range) }
      return kind.isReal ? .value(number.value) : Self.constant(number)
    case (.number, .number(let text)), (.bool, .number(let text)), (.names, .number(let text)),
      (.mapped, .number(let text)):
      if !kind.isReal, let number = DecimalNumber(text, isPlain: false) { return Self.constant(number.wholeNumber) }
      guard let value = Self.number(text, kind) else { throw FilterKind.number(.double).mismatch(operand.range) }
      return .value(value)
    default: return .value(try value(operand, as: kind))
    }
  }

  /// Returns the operand for a number that is compared with integers.
  private static func constant(_ number: WholeNumber) -> Filter.Operand {
    number.isExact ? .value(number.floor) : .justAbove(number.floor)
  }

  /// Returns a value that is no number and no text of one.
  private func value(_ operand: FilterSyntax.Operand, as kind: FilterKind) throws(FilterMistake) -> FieldValue {
    switch (kind, operand.kind) {
    case (.text(let isUUID), .text(let text)):
      // A UUID is stored with small letters. Malformed text is compared as it is, since a row may hold it.
      let isWellFormedUUID = isUUID && ValueText.bytes(ofUUID: text) != nil
      return .text(Array((isWellFormedUUID ? text.lowercased() : text).utf8))
    case (.bytes(let count, let isUUID), .text(let text)):
      let bytes = isUUID ? ValueText.bytes(ofUUID: text) : ValueText.bytes(ofHexadecimal: text)
      guard let bytes, bytes.count == count else { throw kind.mismatch(operand.range) }
      return .bytes(bytes)
    case (.bool, .bool(let value)), (.number, .bool(let value)): return .integer(value ? 1 : 0)
    case (.number, .path(let path)) where ["inf", "infinity"].contains(path.text.lowercased()):
      return .real(.infinity)
    case (.names(let names, let scalar, let type), .path(let path)):
      return FieldValue(
        try bits(of: path.names.last ?? "", names, type, operand.range), NumberType(scalar), isCode: false)
    case (.names(let names, let scalar, let type), .text(let text)):
      return FieldValue(try bits(of: text, names, type, operand.range), NumberType(scalar), isCode: false)
    case (.presence, _), (.vector, _): throw kind.mismatch(operand.range)
    default:
      // A name that is no field is more likely a slip than a value.
      if case .path(let path) = operand.kind { _ = try names.find(path, at: operand.range) }
      throw kind.mismatch(operand.range)
    }
  }

  /// Returns a number in the form of a floating-point field, or in hexadecimal digits. A `float` is compared with the
  /// nearest number that it can hold. Nil if the text is no number, or NaN.
  private static func number(_ text: String, _ kind: FilterKind) -> FieldValue? {
    if case .number(.float) = kind, let real = Float(text), !real.isNaN { return .real(Double(real)) }
    if let whole = Int64(text) { return .integer(whole) }
    if let whole = UInt64(text) { return .unsigned(whole) }
    guard let real = Double(text), !real.isNaN else { return nil }
    return .real(real)
  }

  /// Returns the bits of an enum's value, or of several with blanks between them.
  private func bits(
    of name: String, _ names: [String: Int64], _ type: String, _ range: SourceRange
  ) throws(FilterMistake) -> UInt64 {
    var bits: UInt64 = 0
    for word in name.split(separator: " ", omittingEmptySubsequences: false) {
      guard let number = names[String(word)] else {
        let near = nearestName(to: String(word), in: names.keys.sorted())
        throw FilterMistake(
          .unknownFilterName, "`\(type)` has no value `\(word)`", at: range,
          advice: near.map { "did you mean `\($0)`?" } ?? "")
      }
      bits |= UInt64(bitPattern: number)
    }
    return bits
  }
}
