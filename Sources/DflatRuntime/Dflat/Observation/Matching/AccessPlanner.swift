/// The choice of a predicate's access paths.
///
/// In a conjunction, the planner chooses the term that the fewest rows are expected to satisfy: all terms have to be
/// true, so one suffices to find the query. In a disjunction, it takes all terms. It pushes `!` down to the comparisons
/// by De Morgan's laws, which hold in three-valued logic as well.
struct AccessPlanner {
  /// The fields under which the other queries are filed.
  let fields: [FiledField: UnsafeMutablePointer<FieldIndex>]
  /// The vector whose elements the predicate is about, and the level of the condition; nil for the predicate of a
  /// query.
  private let elements: (vector: RecordVector, level: Int)?

  init(fields: [FiledField: UnsafeMutablePointer<FieldIndex>], elements: (vector: RecordVector, level: Int)? = nil) {
    self.fields = fields
    self.elements = elements
  }

  enum Plan {
    /// No row matches.
    case never
    /// Every row matches.
    case always
    /// There is no access path.
    case unindexed
    /// Each matching row satisfies one of the paths. The weight stands for the number of rows that do, compared with
    /// other plans.
    case paths([AccessPath], weight: Int)

    /// Whether a row may satisfy an access predicate without matching the query, so that the whole predicate has to
    /// be evaluated.
    var needsProgram: Bool {
      switch self {
      case .never, .always: false
      case .unindexed: true
      case .paths(let paths, weight: _): paths.contains { !$0.isExact }
      }
    }
  }

  /// The weights of predicates, which stand for the unknown number of rows that satisfy them.
  ///
  /// The weight of an equality is 1 plus the number of queries that are filed under the value already: a value that
  /// many queries have in common does not tell them apart.
  private enum Weight {
    static let equality = 1
    /// The weight of an equality for a field of 8 bits, which is mostly an enum: it has few distinct values, so many
    /// rows satisfy the equality.
    static let smallDomain = 32
    static let bool = 64
    static let interval = 16
    static let null = 48
    static let halfLine = 96
    static let notNull = 128
  }

  func plan(_ predicate: QueryNode?) -> Plan {
    predicate.map { plan($0, isNegated: false) } ?? .always
  }

  /// A step of planning a tree. Its nodes are visited in a loop, since a recursive function could overflow the stack.
  private enum Step {
    case plan(QueryNode, isNegated: Bool)
    /// Replaces the last plans by one.
    case combine(count: Int, isConjunction: Bool)
  }

  private func plan(_ node: QueryNode, isNegated: Bool) -> Plan {
    var plans: [Plan] = []
    var steps = [Step.plan(node, isNegated: isNegated)]
    func combine(_ terms: [QueryNode], isConjunction: Bool, isNegated: Bool) {
      steps.append(.combine(count: terms.count, isConjunction: isConjunction != isNegated))
      for term in terms.reversed() { steps.append(.plan(term, isNegated: isNegated)) }
    }
    while let step = steps.popLast() {
      switch step {
      case .plan(let node, let isNegated):
        switch node.kind {
        case .and: combine(node.conjuncts, isConjunction: true, isNegated: isNegated)
        case .or: combine(node.disjuncts, isConjunction: false, isNegated: isNegated)
        case .not(let operand): steps.append(.plan(operand, isNegated: !isNegated))
        default: plans.append(planTerm(node, isNegated: isNegated))
        }
      case .combine(let count, let isConjunction):
        let terms = Array(plans.suffix(count))
        plans.removeLast(count)
        plans.append(isConjunction ? conjunction(terms) : disjunction(terms))
      }
    }
    // Each node adds one plan, or the plans of its terms, which are then combined into one.
    return plans.last ?? .unindexed
  }

  // MARK: Terms

  /// Returns the plan of a term without conjunctions and disjunctions, or of its negation.
  private func planTerm(_ node: QueryNode, isNegated: Bool) -> Plan {
    if let (field, comparison, value) = filedComparison(node) {
      return plan(field, isNegated ? comparison.negated : comparison, value)
    }
    switch node.kind {
    case .constant(let value):
      return isTrue(value).map { $0 != isNegated ? .always : .never } ?? .never
    case .field(let field):
      guard field.isOnlyZeroOrOne, let field = filedField(node) else { return .unindexed }
      return equality(field, .integer(isNegated ? 0 : 1))
    case .isNull(let operand):
      guard let field = filedField(operand)?.unfolded else { return .unindexed }
      return isNegated ? notNull(field, isExact: true) : path(field, .isNull, weight: Weight.null)
    case .isIn(let operand, let values):
      guard let field = filedField(operand) else { return .unindexed }
      return isNegated ? exclusion(field, values) : membership(field, values)
    case .text(let condition, let operand, let text):
      guard let field = filedField(operand), field.field.storage.isText else { return .unindexed }
      if !isNegated, condition == .prefix { return plan(field, prefix: text) }
      // Neither the condition nor its negation is true for NULL.
      return notNull(field, isExact: false)
    case .hasElement(let vector, let level, let condition):
      return isNegated ? .unindexed : plan(vector, level, condition)
    case .and, .or, .not, .comparison, .arithmetic, .position, .length, .folded, .uuidText, .count:
      return .unindexed
    }
  }

  /// Returns the plan of the condition that an element of a vector satisfies a condition. It is the plan of the
  /// condition on the element; a row has several values of its fields.
  private func plan(_ vector: RecordVector, _ level: Int, _ condition: QueryNode) -> Plan {
    // Conditions within conditions on elements have no plan, so that this calls itself once at most.
    guard elements == nil, vector.path.elementLevel == nil, vector.isInTable else { return .unindexed }
    switch AccessPlanner(fields: fields, elements: (vector, level)).plan(condition) {
    case .never: return .never
    case .always, .unindexed: return .unindexed
    case .paths(var paths, let weight):
      // A condition on another field of the row leaves open whether there is an element.
      for index in paths.indices where paths[index].field.vector == nil { paths[index].isExact = false }
      return .paths(paths, weight: weight)
    }
  }

  /// Returns the field whose value the node is, or the field and the folding that the node applies to it. Returns nil
  /// for any other node, and for a field of an element if the condition is not about that element.
  private func filedField(_ node: QueryNode) -> FiledField? {
    switch node.kind {
    case .field(let field):
      guard let level = field.path.elementLevel else { return FiledField(field: field) }
      guard let elements, elements.level == level else { return nil }
      return FiledField(field: field, vector: elements.vector)
    case .folded(let folding, let operand):
      guard case .field(let field) = operand.kind, field.storage.isText, var filed = filedField(operand) else {
        return nil
      }
      filed.folding = folding
      return filed
    default: return nil
    }
  }

  /// Returns the comparison of a field, or of its folding, with a constant, turned so that the field is on the left;
  /// nil for any other node.
  private func filedComparison(
    _ node: QueryNode
  ) -> (field: FiledField, comparison: QueryNode.Comparison, value: FieldValue)? {
    guard case .comparison(let comparison, let lhs, let rhs) = node.kind else { return nil }
    if case .constant(let value) = rhs.kind, let field = filedField(lhs) { return (field, comparison, value) }
    if case .constant(let value) = lhs.kind, let field = filedField(rhs) { return (field, comparison.mirrored, value) }
    return nil
  }

  /// Returns the plan of the condition that the text of a field begins with a constant.
  private func plan(_ field: FiledField, prefix: String) -> Plan {
    if prefix.utf8.isEmpty { return notNull(field, isExact: true) }
    let next = prefix.nextPrefix
    let range = ValueRange(
      lower: ValueRange.Bound(value: .text(prefix), isInclusive: true),
      upper: next.map { ValueRange.Bound(value: .text($0.text), isInclusive: false) })
    let path = AccessPath(field: field, predicate: .within(range), isExact: next?.isExact ?? false)
    return .paths([path], weight: next == nil ? Weight.halfLine : Weight.interval)
  }

  /// Returns the plan of a comparison of a field with a constant.
  private func plan(_ field: FiledField, _ comparison: QueryNode.Comparison, _ value: FieldValue) -> Plan {
    guard let value = value.canonical else { return .never }
    func range(from lower: Bool? = nil, to upper: Bool? = nil) -> Plan {
      let range = ValueRange(
        lower: lower.map { ValueRange.Bound(value: value, isInclusive: $0) },
        upper: upper.map { ValueRange.Bound(value: value, isInclusive: $0) })
      return path(field, .within(range), weight: Weight.halfLine)
    }
    return switch comparison {
    case .equal: equality(field, value)
    case .notEqual:
      if field.field.isOnlyZeroOrOne, value == .integer(0) || value == .integer(1) {
        equality(field, .integer(value == .integer(0) ? 1 : 0))
      } else {
        notNull(field, isExact: false)
      }
    case .less: range(to: false)
    case .lessOrEqual: range(to: true)
    case .greater: range(from: false)
    case .greaterOrEqual: range(from: true)
    }
  }

  private func equality(_ field: FiledField, _ value: FieldValue) -> Plan {
    let weight =
      switch field.field.storage {
      case .bool: Weight.bool
      case .int8, .uint8, .unionType, .unionType16, .unionType32, .unionType64: Weight.smallDomain
      default: Weight.equality
      }
    return path(field, .equal(value), weight: weight + fields.popularity(of: value, in: field))
  }

  private func membership(_ field: FiledField, _ values: [FieldValue]) -> Plan {
    disjunction(values.map { $0.canonical.map { equality(field, $0) } ?? .never })
  }

  /// Returns the plan of `notIn`, which is never true if a value is NULL, and always true if there are no values.
  private func exclusion(_ field: FiledField, _ values: [FieldValue]) -> Plan {
    if values.isEmpty { return .always }
    return values.allSatisfy { $0.canonical != nil } ? notNull(field, isExact: false) : .never
  }

  private func notNull(_ field: FiledField, isExact: Bool) -> Plan {
    if field.field.isNeverNull { return isExact ? .always : .unindexed }
    return .paths([AccessPath(field: field.unfolded, predicate: .isNotNull, isExact: isExact)], weight: Weight.notNull)
  }

  private func path(_ field: FiledField, _ predicate: AccessPath.Predicate, weight: Int) -> Plan {
    .paths([AccessPath(field: field, predicate: predicate, isExact: true)], weight: weight)
  }

  private func isTrue(_ value: FieldValue) -> Bool? {
    switch value.canonical {
    case nil, .null?: nil
    case .integer(let value)?: value != 0
    case .unsigned?: true
    case .real(let value)?: value != 0
    case .text?, .bytes?: false
    }
  }

  // MARK: Combinations

  private func disjunction(_ plans: [Plan]) -> Plan {
    var paths: [AccessPath] = []
    var sum = 0
    var largest = 0
    var isIndexed = true
    for plan in plans {
      switch plan {
      case .never: break
      case .always: return .always
      case .unindexed: isIndexed = false
      case .paths(let more, let weight):
        paths += more
        sum += weight
        largest = max(largest, weight)
      }
    }
    if !isIndexed { return .unindexed }
    // Many values of a field are still few of all its possible values.
    return paths.isEmpty ? .never : .paths(paths, weight: largest + (sum - largest) / 8)
  }

  private func conjunction(_ plans: [Plan]) -> Plan {
    var termCount = 0
    var best: (paths: [AccessPath], weight: Int, termCount: Int)?
    func propose(_ paths: [AccessPath], _ weight: Int, termCount: Int) {
      if best.map({ weight < $0.weight }) ?? true { best = (paths, weight, termCount) }
    }
    var ranges: [(field: FiledField, range: ValueRange, termCount: Int)] = []
    for plan in plans {
      switch plan {
      case .never: return .never
      case .always: continue
      case .unindexed: break
      case .paths(let paths, let weight):
        // Two conditions on elements may be satisfied by two elements. Within one condition, the element is the same.
        let isOfRow = elements != nil || paths.first?.field.vector == nil
        if isOfRow, paths.count == 1, case .within(let range) = paths[0].predicate, paths[0].isExact {
          if let index = ranges.firstIndex(where: { $0.field == paths[0].field }) {
            ranges[index].range.formIntersection(range)
            ranges[index].termCount += 1
          } else {
            ranges.append((paths[0].field, range, 1))
          }
        } else {
          propose(paths, weight, termCount: 1)
        }
      }
      termCount += 1
    }
    for (field, range, termCount) in ranges {
      if range.isEmpty { return .never }
      if let value = range.onlyValue, case .paths(let paths, let weight) = equality(field, value) {
        propose(paths, weight, termCount: termCount)
      } else {
        let weight = range.lower == nil || range.upper == nil ? Weight.halfLine : Weight.interval
        propose([AccessPath(field: field, predicate: .within(range), isExact: true)], weight, termCount: termCount)
      }
    }
    if termCount == 0 { return .always }
    guard var best else { return .unindexed }
    if best.termCount < termCount {
      for index in best.paths.indices { best.paths[index].isExact = false }
    }
    return .paths(best.paths, weight: best.weight)
  }
}

extension RecordField {
  /// Whether every value of the field is 0, 1 or NULL.
  fileprivate var isOnlyZeroOrOne: Bool {
    guard storage == .bool else { return false }
    switch defaultValue {
    case nil, .null, .integer(0), .integer(1): return true
    default: return false
    }
  }
}

extension FieldValue {
  /// The value in its canonical form; nil for NULL.
  fileprivate var canonical: FieldValue? {
    switch self {
    case .null: nil
    case .unsigned(let value): FieldValue(value)
    case .real(let value): value.isNaN ? nil : self
    case .integer, .text, .bytes: self
    }
  }
}

extension String {
  /// The first text after all texts that begin with this one, which must not be empty; nil if there is none.
  ///
  /// `isExact` is false if damaged texts, which are not UTF-8, may come between those texts and the result.
  fileprivate var nextPrefix: (text: String, isExact: Bool)? {
    var bytes = Array(utf8)
    // The last byte of a scalar takes all values up to these two.
    if let last = bytes.last, last != 0x7F, last != 0xBF {
      bytes[bytes.count - 1] += 1
      return (String(decoding: bytes, as: UTF8.self), true)
    }
    var scalars = unicodeScalars
    while let last = scalars.popLast() {
      // Surrogates are no scalars. Nothing comes after U+10FFFF, so the scalar before it is raised.
      guard let next = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1) else { continue }
      scalars.append(next)
      return (String(scalars), false)
    }
    return nil
  }
}

extension QueryNode.Comparison {
  /// The comparison that is true where this one is false.
  fileprivate var negated: Self {
    switch self {
    case .equal: .notEqual
    case .notEqual: .equal
    case .less: .greaterOrEqual
    case .lessOrEqual: .greater
    case .greater: .lessOrEqual
    case .greaterOrEqual: .less
    }
  }
}
