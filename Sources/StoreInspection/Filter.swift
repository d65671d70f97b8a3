import FBSDiagnostics
import FBSParser
import FBSSchema
import FlatBuffersJSON

/// A condition on the objects of a table, with the three-valued logic of the runtime's queries: a comparison with null
/// is neither true nor false.
public struct Filter: Sendable {
  fileprivate enum Operand: Sendable {
    case field(FieldPath)
    case value(FieldValue)
  }

  fileprivate indirect enum Node: Sendable {
    case or(Node, Node)
    case and(Node, Node)
    case not(Node)
    case comparison(Operand, FilterSyntax.Comparison, Operand)
    case among(Operand, [Operand])
    case isNull(Operand)
    case truth(Operand)
  }

  fileprivate let root: Node

  /// Returns whether an object satisfies the condition; nil if that is unknown because a value is null.
  public func evaluate(_ object: VerifiedObject) -> Bool? { evaluate(root, object) }

  private func evaluate(_ node: Node, _ object: VerifiedObject) -> Bool? {
    switch node {
    case .or(let a, let b):
      let left = evaluate(a, object)
      if left == true { return true }
      let right = evaluate(b, object)
      if right == true { return true }
      return left == nil || right == nil ? nil : false
    case .and(let a, let b):
      let left = evaluate(a, object)
      if left == false { return false }
      let right = evaluate(b, object)
      if right == false { return false }
      return left == nil || right == nil ? nil : true
    case .not(let inner): return evaluate(inner, object).map { !$0 }
    case .isNull(let operand): return value(operand, object) == .null
    case .truth(let operand):
      let value = value(operand, object)
      return value == .null ? nil : value != .integer(0)
    case .comparison(let left, let comparison, let right):
      let (a, b) = (value(left, object), value(right, object))
      guard a != .null, b != .null else { return nil }
      let order = FieldValue.order(a, b)
      switch comparison {
      case .equal: return order == 0
      case .unequal: return order != 0
      case .less: return order < 0
      case .lessOrEqual: return order <= 0
      case .greater: return order > 0
      case .greaterOrEqual: return order >= 0
      }
    case .among(let operand, let choices):
      let value = value(operand, object)
      guard value != .null else { return nil }
      var isUnknown = false
      for choice in choices {
        let other = self.value(choice, object)
        if other == .null { isUnknown = true } else if FieldValue.order(value, other) == 0 { return true }
      }
      return isUnknown ? nil : false
    }
  }

  private func value(_ operand: Operand, _ object: VerifiedObject) -> FieldValue {
    switch operand {
    case .field(let path): object.value(at: path)
    case .value(let value): value
    }
  }
}

/// Parses conditions and field paths, and binds them to the fields of a table.
public struct FilterReader {
  /// The kind of a field's values, as far as comparisons are concerned.
  private enum Kind {
    case number, bool, text
    /// A number that represents something else, such as a date.
    case mapped(ValueMapping)
    case names([String: Int64], of: String)
    /// A struct that is so many bytes, which may stand for a UUID.
    case bytes(Int, isUUID: Bool)
    /// A value that can only be tested for presence.
    case presence
    init(bytesOf structure: StructDefinition, isUUID: Bool) {
      self = structure.byteCount.map { .bytes($0, isUUID: isUUID) } ?? .presence
    }
  }

  private let layouts: SchemaLayouts
  private let table: TableID

  /// Creates a reader for expressions about a table.
  public init(_ table: TableID, _ layouts: SchemaLayouts) {
    self.table = table
    self.layouts = layouts
  }

  /// Parses and binds a condition.
  /// - Returns: the condition, or the error in the text of the file.
  public func filter(_ file: SourceFile) -> (filter: Filter?, diagnostic: Diagnostic?) {
    do throws(FilterMistake) {
      var parser = try FilterParser(file)
      return (Filter(root: try bind(parser.condition())), nil)
    } catch {
      return (nil, error.diagnostic)
    }
  }

  /// Resolves the path of a field that can be ordered.
  public func path(_ names: [String], in file: SourceFile) -> (path: FieldPath?, diagnostic: Diagnostic?) {
    let range = SourceRange(file: file.id, start: 0, end: file.bytes.count)
    do throws(FilterMistake) {
      let (path, kind) = try resolve(names, at: range)
      if case .presence = kind {
        throw FilterMistake(
          .wrongFilterType, "`\(names.joined(separator: "."))` has no order", at: range,
          advice: "name a number, bool, enum or string")
      }
      return (path, nil)
    } catch {
      return (nil, error.diagnostic)
    }
  }

  // MARK: Binding

  private func bind(_ syntax: FilterSyntax) throws(FilterMistake) -> Filter.Node {
    switch syntax {
    case .or(let a, let b): return .or(try bind(a), try bind(b))
    case .and(let a, let b): return .and(try bind(a), try bind(b))
    case .not(let inner): return .not(try bind(inner))
    case .isNull(let operand, let isNegated):
      guard case .path(let names) = operand.kind else {
        throw FilterMistake(.wrongFilterType, "a value is never null", at: operand.range, advice: "name a field")
      }
      let node = Filter.Node.isNull(.field(try resolve(names, at: operand.range).path))
      return isNegated ? .not(node) : node
    case .alone(let operand):
      if case .bool(let value) = operand.kind { return .truth(.value(.integer(value ? 1 : 0))) }
      if case .path(let names) = operand.kind {
        let (path, kind) = try resolve(names, at: operand.range)
        if case .bool = kind { return .truth(.field(path)) }
      }
      throw FilterMistake(
        .malformedFilter, "this is neither true nor false", at: operand.range, advice: "compare it with something")
    case .comparison(let left, let comparison, let right):
      let (a, b) = try pair(left, right)
      return .comparison(a, comparison, b)
    case .among(let operand, let choices, let isNegated):
      var first: Filter.Operand?
      var bound: [Filter.Operand] = []
      for choice in choices {
        let (a, b) = try pair(operand, choice)
        first = a
        bound.append(b)
      }
      guard let first else { return .not(.truth(.value(.integer(1)))) }
      let node = Filter.Node.among(first, bound)
      return isNegated ? .not(node) : node
    }
  }

  /// Binds two operands that are compared with one another.
  private func pair(
    _ left: FilterSyntax.Operand, _ right: FilterSyntax.Operand
  ) throws(FilterMistake) -> (Filter.Operand, Filter.Operand) {
    let (a, b) = (field(left), field(right))
    if let a, let b {
      guard comparable(a.kind, b.kind) else { throw mismatch(a.kind, right.range) }
      return (.field(a.path), .field(b.path))
    }
    if let a { return (.field(a.path), .value(try value(right, as: a.kind))) }
    if let b { return (.value(try value(left, as: b.kind)), .field(b.path)) }
    // Neither is a field: report the error of an operand that looks like one.
    for operand in [left, right] {
      if case .path(let names) = operand.kind { _ = try resolve(names, at: operand.range) }
    }
    throw FilterMistake(.wrongFilterType, "neither of the two is a field", at: left.range, advice: "name a field")
  }

  private func field(_ operand: FilterSyntax.Operand) -> (path: FieldPath, kind: Kind)? {
    guard case .path(let names) = operand.kind else { return nil }
    return try? resolve(names, at: operand.range)
  }

  private func comparable(_ a: Kind, _ b: Kind) -> Bool {
    switch (a, b) {
    case (.text, .text), (.bytes, .bytes): true
    case (.presence, _), (_, .presence), (.text, _), (_, .text), (.bytes, _), (_, .bytes): false
    // Numbers of different units.
    case (.mapped(let a), .mapped(let b)): a == b
    default: true
    }
  }

  private func mismatch(_ kind: Kind, _ range: SourceRange) -> FilterMistake {
    switch kind {
    case .number: FilterMistake(.wrongFilterType, "a number is due here", at: range, advice: "such as `3`")
    case .mapped(let mapping):
      FilterMistake(
        .wrongFilterType, "\(mapping.due) is due here", at: range, advice: "such as \(mapping.example), or a number")
    case .bool: FilterMistake(.wrongFilterType, "a bool is due here", at: range, advice: "write `true` or `false`")
    case .text: FilterMistake(.wrongFilterType, "a text is due here", at: range, advice: "write it in quotes")
    case .names(let names, let type):
      FilterMistake(
        .wrongFilterType, "a value of `\(type)` is due here", at: range,
        advice: names.keys.sorted().first.map { "such as `\($0)`" } ?? "")
    case .bytes(let count, let isUUID):
      FilterMistake(
        .wrongFilterType, isUUID ? "a UUID is due here" : "\(2 * count) hexadecimal digits are due here", at: range,
        advice: isUUID ? "such as '0e37df36-f698-11e6-8dd4-cb9ced3df976'" : "write them in quotes")
    case .presence:
      FilterMistake(
        .wrongFilterType, "this field has no single value to compare", at: range,
        advice: "write `is null` or `is not null`")
    }
  }

  private func value(_ operand: FilterSyntax.Operand, as kind: Kind) throws(FilterMistake) -> FieldValue {
    switch (kind, operand.kind) {
    case (.text, .text(let text)): return .text(Array(text.utf8))
    case (.bytes(let count, let isUUID), .text(let text)):
      let bytes = isUUID ? ValueText.bytes(ofUUID: text) : ValueText.bytes(ofHexadecimal: text)
      guard let bytes, bytes.count == count else { throw mismatch(kind, operand.range) }
      return .bytes(bytes)
    case (.bool, .bool(let value)), (.number, .bool(let value)): return .integer(value ? 1 : 0)
    case (.mapped(let mapping), .text(let text)):
      guard let value = ValueText.value(text, mapping) else { throw mismatch(kind, operand.range) }
      return value
    case (.number, .number(let text)), (.bool, .number(let text)), (.names, .number(let text)),
      (.mapped, .number(let text)):
      if let whole = Int64(text) { return .integer(whole) }
      if let whole = UInt64(text) { return .unsigned(whole) }
      guard let real = Double(text), !real.isNaN else { throw mismatch(.number, operand.range) }
      return .real(real)
    case (.number, .path(let path)) where ["inf", "infinity"].contains(path.joined(separator: ".").lowercased()):
      return .real(.infinity)
    case (.names(let names, let type), .path(let path)):
      return try named(path.last ?? "", names, type, operand.range)
    case (.names(let names, let type), .text(let text)):
      return try named(text, names, type, operand.range)
    case (.presence, _): throw mismatch(kind, operand.range)
    default:
      // A name that is no field is more likely a slip than a value.
      if case .path(let path) = operand.kind { _ = try resolve(path, at: operand.range) }
      throw mismatch(kind, operand.range)
    }
  }

  private func named(
    _ name: String, _ names: [String: Int64], _ type: String, _ range: SourceRange
  ) throws(FilterMistake) -> FieldValue {
    var bits: Int64 = 0
    for word in name.split(separator: " ", omittingEmptySubsequences: false) {
      guard let number = names[String(word)] else {
        let near = nearestName(to: String(word), in: names.keys.sorted())
        throw FilterMistake(
          .unknownFilterName, "`\(type)` has no value `\(word)`", at: range,
          advice: near.map { "did you mean `\($0)`?" } ?? "")
      }
      bits |= number
    }
    return .integer(bits)
  }

  // MARK: Paths

  private enum Place {
    case table(TableID)
    case structure(StructID)
    case union(UnionID)
    case value
  }

  private func resolve(_ names: [String], at range: SourceRange) throws(FilterMistake) -> (path: FieldPath, kind: Kind)
  {
    var place = Place.table(table)
    var steps: [FieldPath.Step] = []
    var kind = Kind.presence
    for name in names {
      switch place {
      case .table(let id):
        guard let index = layouts[id].member(named: name), !layouts[id].members[index].isDeprecated else {
          throw unknown(name, layouts[id].members.filter { !$0.isDeprecated }.map(\.name), layouts[id].name, range)
        }
        steps.append(.field(id, index))
        (place, kind) = describe(layouts[id].members[index].type, isUUID: layouts[id].members[index].isUUID)
      case .structure(let id):
        guard let index = layouts[id].members.firstIndex(where: { $0.name == name }) else {
          throw unknown(name, layouts[id].members.map(\.name), layouts[id].name, range)
        }
        steps.append(.inline(id, index))
        (place, kind) = describe(layouts[id].members[index].type, isUUID: layouts[id].members[index].isUUID)
      case .union(let id):
        let union = layouts.schema[id]
        guard let index = union.members.firstIndex(where: { $0.name == name }) else {
          throw unknown(name, union.members.map(\.name), union.name, range)
        }
        steps.append(.member(id, index))
        switch union.members[index].type {
        case .table(let id): (place, kind) = (.table(id), .presence)
        case .structure(let id): (place, kind) = (.structure(id), .presence)
        case .string: (place, kind) = (.value, .text)
        }
      case .value:
        throw FilterMistake(
          .unknownFilterName, "there is nothing in the field before `.\(name)`", at: range, advice: "remove `.\(name)`")
      }
    }
    return (FieldPath(steps), kind)
  }

  private func unknown(
    _ name: String, _ known: [String], _ owner: QualifiedName, _ range: SourceRange
  ) -> FilterMistake {
    let near = nearestName(to: name, in: known)
    return FilterMistake(
      .unknownFilterName, "`\(owner)` has no `\(name)`", at: range,
      advice: near.map { "did you mean `\($0)`?" } ?? "it has \(known.prefix(8).joined(separator: ", "))")
  }

  private func describe(_ type: MemberType, isUUID: Bool) -> (Place, Kind) {
    switch type {
    case .number(let number): (.value, self.kind(number))
    case .string: (.value, .text)
    case .structure(let id): (.structure(id), Kind(bytesOf: layouts.schema[id], isUUID: isUUID))
    case .table(let id): (.table(id), .presence)
    case .union(let id):
      (
        .union(id),
        .names(
          Dictionary(layouts.schema[id].members.map { ($0.name, $0.code) }, uniquingKeysWith: { first, _ in first }),
          of: layouts.schema[id].name.description)
      )
    case .vector, .nested, .flexible: (.value, .presence)
    }
  }

  private func describe(_ type: StructLayout.Member.MemberType, isUUID: Bool) -> (Place, Kind) {
    switch type {
    case .number(let number): (.value, kind(number))
    case .structure(let id): (.structure(id), Kind(bytesOf: layouts.schema[id], isUUID: isUUID))
    case .array: (.value, .presence)
    }
  }

  private func kind(_ number: NumberType) -> Kind {
    switch number.names {
    case .enumeration(let id):
      .names(
        Dictionary(layouts.schema[id].names.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first }),
        of: layouts.schema[id].name.description)
    case .union(let id):
      .names(
        Dictionary(layouts.schema[id].members.map { ($0.name, $0.code) }, uniquingKeysWith: { first, _ in first }),
        of: layouts.schema[id].name.description)
    case nil:
      if let mapping = number.mapping, mapping.isText {
        .mapped(mapping)
      } else {
        number.scalar == .bool ? .bool : .number
      }
    }
  }
}

extension ValueMapping {
  /// Whether filters write the mapping's numbers as text.
  fileprivate var isText: Bool {
    switch self {
    case .date, .duration, .decimal: true
    case .uuid, .url, .swiftType: false
    }
  }

  fileprivate var due: String {
    switch self {
    case .date: "a date"
    case .duration: "a duration"
    case .decimal, .uuid, .url, .swiftType: "a number"
    }
  }

  fileprivate var example: String {
    switch self {
    case .date: "'2026-11-28' or '2026-11-28T16:09:51Z'"
    case .duration: "'1.5 s' or '90 min'"
    case .decimal, .uuid, .url, .swiftType: "'19.99'"
    }
  }
}
