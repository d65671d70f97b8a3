import FBSDiagnostics
import FBSParser
import FBSSchema
import FlatBuffersJSON
import TextFolding

/// A point on the path of a condition: the table, struct, union, vector or value that the next name is looked up in.
enum FilterTarget {
  case table(TableID)
  /// A struct, which may stand for a UUID.
  case structure(StructID, isUUID: Bool)
  case union(UnionID)
  /// A vector, with the type of its elements, which may be structs or strings that stand for UUIDs.
  case vector(of: MemberType, areUUIDs: Bool)
  /// A number or text.
  case single(FilterKind)
  /// A value that a condition can only test for presence.
  case opaque

  /// Returns the kind of the value, as far as comparisons are concerned.
  func kind(_ layouts: SchemaLayouts) -> FilterKind {
    switch self {
    case .single(let kind): kind
    case .union(let id): .members(of: id, layouts.schema)
    case .vector(let element, let areUUIDs): .vector(of: element, areUUIDs: areUUIDs)
    case .structure(let id, let isUUID):
      layouts.schema[id].byteCount.map { .bytes($0, isUUID: isUUID) } ?? .presence
    case .table, .opaque: .presence
    }
  }
}

extension FilterTarget {
  /// Creates the target for values of a type.
  /// - Parameter isUUID: whether a struct or string of the type, or each one in a vector of the type, stands for a
  ///   UUID.
  init(_ type: MemberType, isUUID: Bool, _ layouts: SchemaLayouts) {
    switch type {
    case .number(let number): self = .single(FilterKind(number, layouts.schema))
    case .string: self = .single(.text(isUUID: isUUID))
    case .structure(let id): self = .structure(id, isUUID: isUUID)
    case .table(let id): self = .table(id)
    case .union(let id): self = .union(id)
    case .vector(let element): self = .vector(of: element, areUUIDs: isUUID)
    case .nested, .flexible: self = .opaque
    }
  }

  init(_ member: StructLayout.Member, _ layouts: SchemaLayouts) {
    switch member.type {
    case .number(let number): self = .single(FilterKind(number, layouts.schema))
    case .structure(let id): self = .structure(id, isUUID: member.isUUID)
    case .array: self = .opaque
    }
  }
}

/// Resolves the names in conditions to fields, elements and other operands.
struct FilterNames {
  /// The operand that a path leads to.
  struct Found {
    let operand: Filter.Operand
    let kind: FilterKind
  }

  /// The word for the element itself, in a condition on elements.
  static let elementWord = "it"

  let layouts: SchemaLayouts
  /// The object, and the elements that the conditions around the current one are about.
  private(set) var origins: [FilterTarget]

  init(_ table: TableID, _ layouts: SchemaLayouts) {
    self.layouts = layouts
    origins = [.table(table)]
  }

  /// Looks names up in an element as well from now on.
  mutating func enter(_ element: FilterTarget) { origins.append(element) }

  /// Stops looking names up in the innermost element.
  mutating func leave() { origins.removeLast() }

  /// Returns the operand that a path leads to. Its first name is looked up in the innermost element, then in those
  /// around it, and finally in the object.
  func find(_ path: FilterSyntax.Path, at range: SourceRange) throws(FilterMistake) -> Found {
    var names = path.names[...]
    var level = origins.count - 1
    if level > 0, !path.isQuoted, names.first == Self.elementWord {
      names = names.dropFirst()
    } else {
      let name = names.first ?? ""
      guard let found = origins.indices.last(where: { step(name, from: origins[$0]) != nil }) else {
        throw unknown(name, range)
      }
      level = found
    }
    var target = origins[level]
    var steps: [FieldPath.Step] = []
    while let name = names.first, let (step, next) = step(name, from: target) {
      steps.append(step)
      target = next
      names = names.dropFirst()
    }
    let field = Filter.Field(level: level, path: FieldPath(steps))
    var found = Found(operand: .field(field), kind: target.kind(layouts))
    // What follows a text or a vector is what queries ask of it.
    while let name = names.first {
      switch (found.kind, name) {
      case (.vector, "count"): found = Found(operand: .count(field), kind: .number(.int64))
      case (.text, "length"): found = Found(operand: .length(found.operand), kind: .number(.int64))
      case (.text, "folded"):
        found = Found(operand: found.operand.folded(.caseAndDiacritics), kind: .text(isUUID: false))
      case (.text, "foldedCase"): found = Found(operand: found.operand.folded(.case), kind: .text(isUUID: false))
      default: throw nothing(name, in: target, found, path, range)
      }
      names = names.dropFirst()
    }
    return found
  }

  /// Returns the step of a path that a name means; nil if it means none.
  private func step(_ name: String, from target: FilterTarget) -> (step: FieldPath.Step, target: FilterTarget)? {
    switch target {
    case .table(let id):
      guard let index = layouts[id].member(named: name), !layouts[id].members[index].isDeprecated else { return nil }
      let member = layouts[id].members[index]
      return (.field(id, index), FilterTarget(member.type, isUUID: member.isUUID || member.isUUIDText, layouts))
    case .structure(let id, _):
      guard let index = layouts[id].members.firstIndex(where: { $0.name == name }) else { return nil }
      return (.inline(id, index), FilterTarget(layouts[id].members[index], layouts))
    case .union(let id):
      let union = layouts.schema[id]
      guard let index = union.members.firstIndex(where: { $0.name == name }) else { return nil }
      let member: FilterTarget =
        switch union.members[index].type {
        case .table(let id): .table(id)
        case .structure(let id): .structure(id, isUUID: false)
        case .string: .single(.text(isUUID: false))
        }
      return (.member(id, index), member)
    case .vector, .single, .opaque: return nil
    }
  }

  // MARK: Mistakes

  /// Returns the names that can follow a table, struct or union, and its own name; nil for other targets.
  private func names(in target: FilterTarget) -> (names: [String], owner: QualifiedName)? {
    switch target {
    case .table(let id): (layouts[id].members.filter { !$0.isDeprecated }.map(\.name), layouts[id].name)
    case .structure(let id, _): (layouts[id].members.map(\.name), layouts[id].name)
    case .union(let id): (layouts.schema[id].members.map(\.name), layouts.schema[id].name)
    case .vector, .single, .opaque: nil
    }
  }

  /// Returns the mistake of a path whose first name is unknown.
  private func unknown(_ name: String, _ range: SourceRange) -> FilterMistake {
    let known = origins.reversed().compactMap { names(in: $0) }
    guard let innermost = known.first else {
      return FilterMistake(.unknownFilterName, "there is no `\(name)`", at: range)
    }
    let near = known.lazy.compactMap { nearestName(to: name, in: $0.names) }.first
    var advice = near.map { "did you mean `\($0)`?" } ?? "it has \(innermost.names.prefix(8).joined(separator: ", "))"
    if near == nil, case .single? = origins.last { advice = "the element itself is `\(Self.elementWord)`" }
    return FilterMistake(.unknownFilterName, "`\(innermost.owner)` has no `\(name)`", at: range, advice: advice)
  }

  /// Returns the mistake of a name that cannot follow the names before it in its path.
  private func nothing(
    _ name: String, in target: FilterTarget, _ found: Found, _ path: FilterSyntax.Path, _ range: SourceRange
  ) -> FilterMistake {
    if let (known, owner) = names(in: target) {
      let near = nearestName(to: name, in: known)
      return FilterMistake(
        .unknownFilterName, "`\(owner)` has no `\(name)`", at: range,
        advice: near.map { "did you mean `\($0)`?" } ?? "it has \(known.prefix(8).joined(separator: ", "))")
    }
    let advice: String
    switch found.kind {
    case .vector(let element, _):
      let vector = path.names.prefix { $0 != name }.joined(separator: ".")
      advice =
        names(in: FilterTarget(element, isUUID: false, layouts))?.names.contains(name) == true
        ? "ask its elements: `\(vector) contains (\(name) ...)`" : "remove `.\(name)`, or write `.count`"
    case .text:
      let near = nearestName(to: name, in: ["length", "folded", "foldedCase"])
      advice = near.map { "did you mean `.\($0)`?" } ?? "remove `.\(name)`"
    default: advice = "remove `.\(name)`"
    }
    return FilterMistake(
      .unknownFilterName, "there is nothing in the field before `.\(name)`", at: range, advice: advice)
  }
}

extension Filter.Operand {
  /// The folding that the operand has; nil without one.
  var folding: TextFolder.Folding? { if case .folded(let folding, _) = self { folding } else { nil } }

  /// Returns the operand's text with a folding. It replaces the operand's own folding if that keeps more differences.
  func folded(_ folding: TextFolder.Folding) -> Self {
    switch self {
    case .value(.text(let text)): .value(.text(TextFolder.fold(text, folding)))
    case .folded(.caseAndDiacritics, _): self
    case .folded(.case, let operand): .folded(folding, operand)
    default: .folded(folding, self)
    }
  }

  /// Returns two operands of a comparison with one folding: if either is folded, both get the folding that keeps fewer
  /// differences.
  static func withOneFolding(_ left: Self, _ right: Self) -> (Self, Self) {
    switch (left.folding, right.folding) {
    case (nil, nil): (left, right)
    case (.caseAndDiacritics?, _), (_, .caseAndDiacritics?):
      (left.folded(.caseAndDiacritics), right.folded(.caseAndDiacritics))
    default: (left.folded(.case), right.folded(.case))
    }
  }
}
