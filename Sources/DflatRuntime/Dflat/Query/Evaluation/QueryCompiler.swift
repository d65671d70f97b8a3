/// A compiler of expression trees to flat arrays of instructions, constants, fields and tables, which uses no
/// recursion.
struct QueryCompiler: ~Copyable {
  var memory = ConstantMemory()
  private(set) var instructions: [QueryProgram.Instruction] = []
  private(set) var constants: [RowValue] = []
  private(set) var fields: [FieldReader] = []
  private(set) var tables: [ConstantTable] = []
  private(set) var vectors: [VectorReader] = []
  private(set) var elementFields: [ElementReader] = []
  /// The deepest nesting of loops over elements.
  private(set) var loopCount = 0
  /// The most values that the program's stack holds.
  private(set) var stackSize = 0
  /// Whether an instruction makes a text.
  private(set) var folds = false

  private var fieldIndexes: [RecordField: Int32] = [:]
  private var elementFieldIndexes: [ElementField: Int32] = [:]
  /// The loops that have begun and not ended. The position of a loop here is the position of its `ElementLoop`.
  private var scopes: [Scope] = []
  /// The number of values on the stack after the instructions added so far.
  private var stackCount = 0
  /// For each open chain, the last instruction that jumps to its end; -1 if there is none. Until the end is known,
  /// each jump holds the index of the previous jump of the chain instead of the end.
  private var lastJumps: [Int32] = []

  /// The remaining steps; the last one is next.
  private var steps: [Step] = []

  private enum Step {
    case compile(QueryNode)
    case add(QueryProgram.Instruction)
    case endTerm(isAnd: Bool)
    case endChain
    case endElement
  }

  /// A condition on an element whose instructions are being added.
  private struct Scope {
    let level: Int
    let element: RecordVector.Element
    /// The index of the instruction that begins the loop.
    let start: Int
  }

  /// A field of the elements of a loop, which begins at the instruction `start`.
  private struct ElementField: Hashable {
    let field: RecordField
    let start: Int
  }

  consuming func takeMemory() -> ConstantMemory { memory }

  /// Adds the instructions that compute `node`.
  mutating func compile(_ node: QueryNode) {
    begin(node)
    while let step = steps.popLast() {
      switch step {
      case .compile(let node): begin(node)
      case .add(let instruction): add(instruction)
      case .endTerm(let isAnd): endTerm(isAnd: isAnd)
      case .endChain: endChain()
      case .endElement: endElement()
      }
    }
  }

  /// Adds the instructions of a node, or plans the instructions that follow those of its operands.
  private mutating func begin(_ node: QueryNode) {
    if addSimple(node) { return }
    switch node.kind {
    case .field, .constant: break
    case .comparison(let comparison, let lhs, let rhs): plan(lhs, rhs, .compare(comparison))
    case .arithmetic(let operation, let lhs, let rhs): plan(lhs, rhs, .arithmetic(operation))
    case .and: beginChain(node.conjuncts, isAnd: true)
    case .or: beginChain(node.disjuncts, isAnd: false)
    case .not(let operand): plan(operand, .not)
    case .isNull(let operand): plan(operand, .isNull)
    case .isIn(let operand, let values): plan(operand, .isIn(table: add(values)))
    case .position(let operand, let values): plan(operand, .position(table: add(values)))
    case .text(let condition, let operand, let constant): plan(operand, instruction(condition, constant))
    case .length(let operand): plan(operand, .length)
    case .folded(let folding, let operand):
      folds = true
      plan(operand, .fold(folding))
    case .uuidText(let operand):
      folds = true
      plan(operand, .uuidText)
    case .count(let vector):
      if let vector = add(vector) { add(.count(vector: vector)) } else { add(.constant(add(.integer(0)))) }
    case .hasElement(let vector, let level, let condition): beginElements(of: vector, level, condition)
    }
  }

  // MARK: Elements

  private mutating func beginElements(of vector: RecordVector, _ level: Int, _ condition: QueryNode) {
    guard let index = add(vector) else { return add(.constant(add(.integer(0)))) }
    let scope = Scope(level: level, element: vector.element, start: instructions.count)
    let loop = Int32(scopes.count)
    scopes.append(scope)
    loopCount = max(loopCount, scopes.count)
    // The end is known when the condition's instructions are there.
    add(.beginElements(vector: index, loop: loop, end: -1))
    steps.append(.endElement)
    steps.append(.compile(condition))
  }

  private mutating func endElement() {
    let start = scopes.removeLast().start
    guard case .beginElements(let vector, let loop, _) = instructions[start] else { return }
    add(.endElement(loop: loop, body: Int32(start + 1)))
    instructions[start] = .beginElements(vector: vector, loop: loop, end: Int32(instructions.count))
  }

  /// Returns the index of the innermost loop over elements of the level; nil if there is none.
  private func loop(ofLevel level: Int) -> Int? { scopes.lastIndex { $0.level == level } }

  /// Adds the reader of a vector, and returns its index; nil if there is no such vector.
  private mutating func add(_ vector: RecordVector) -> Int32? {
    var outer: (loop: Int32, element: RecordVector.Element)?
    if let level = vector.path.elementLevel {
      // An element outside of the condition on it has no vectors.
      guard let loop = loop(ofLevel: level) else { return nil }
      outer = (Int32(loop), scopes[loop].element)
    }
    guard let reader = VectorReader(vector, startingAt: outer, in: &memory) else { return nil }
    vectors.append(reader)
    return Int32(vectors.count - 1)
  }

  /// Returns the index of the reader of an element's field, and its loop; nil outside of the condition on the element.
  private mutating func elementField(_ field: RecordField, _ level: Int) -> (index: Int32, loop: Int32)? {
    guard let loop = loop(ofLevel: level) else { return nil }
    let key = ElementField(field: field, start: scopes[loop].start)
    if let index = elementFieldIndexes[key] { return (index, Int32(loop)) }
    elementFields.append(ElementReader(field, of: scopes[loop].element, in: &memory))
    let index = Int32(elementFields.count - 1)
    elementFieldIndexes[key] = index
    return (index, Int32(loop))
  }

  private mutating func addValue(of field: RecordField) {
    guard let level = field.path.elementLevel else { return add(.field(index(of: field))) }
    guard let (index, loop) = elementField(field, level) else { return add(.constant(add(.null))) }
    add(.elementField(index, loop: loop))
  }

  private mutating func instruction(
    _ condition: QueryNode.TextCondition, _ constant: String
  ) -> QueryProgram.Instruction {
    let constant = add(.text(constant))
    switch condition {
    case .prefix: return .hasPrefix(constant: constant)
    case .suffix: return .hasSuffix(constant: constant)
    case .part:
      guard case .text(let bytes) = constants[Int(constant)] else { return .contains(constant: constant, anchor: 0) }
      return .contains(constant: constant, anchor: Int32(TextSearch.anchor(of: bytes)))
    }
  }

  /// Adds the instruction of a node that needs only one; returns false for others.
  private mutating func addSimple(_ node: QueryNode) -> Bool {
    if let (field, comparison, value) = node.fieldComparison, field.path.elementLevel == nil {
      add(.compareFieldWithConstant(comparison, field: index(of: field), constant: add(value)))
      return true
    }
    switch node.kind {
    case .field(let field): addValue(of: field)
    case .constant(let value): add(.constant(add(value)))
    default: return false
    }
    return true
  }

  private mutating func plan(_ operand: QueryNode, _ instruction: QueryProgram.Instruction) {
    steps.append(.add(instruction))
    steps.append(.compile(operand))
  }

  private mutating func plan(_ lhs: QueryNode, _ rhs: QueryNode, _ instruction: QueryProgram.Instruction) {
    steps.append(.add(instruction))
    steps.append(.compile(rhs))
    steps.append(.add(.push))
    steps.append(.compile(lhs))
  }

  private mutating func beginChain(_ terms: [QueryNode], isAnd: Bool) {
    add(.beginChain(isAnd))
    lastJumps.append(-1)
    var count = 0
    // Most terms are simple: they need no plan.
    while count < terms.count, addSimple(terms[count]) {
      endTerm(isAnd: isAnd)
      count += 1
    }
    if count == terms.count { return endChain() }
    steps.append(.endChain)
    for term in terms[count...].reversed() {
      steps.append(.endTerm(isAnd: isAnd))
      steps.append(.compile(term))
    }
  }

  private mutating func endTerm(isAnd: Bool) {
    let previous = lastJumps[lastJumps.count - 1]
    lastJumps[lastJumps.count - 1] = Int32(instructions.count)
    add(isAnd ? .and(end: previous) : .or(end: previous))
  }

  private mutating func endChain() {
    add(.endChain)
    let end = Int32(instructions.count)
    var jump = Int(lastJumps.removeLast())
    while jump >= 0 {
      switch instructions[jump] {
      case .and(let previous):
        instructions[jump] = .and(end: end)
        jump = Int(previous)
      case .or(let previous):
        instructions[jump] = .or(end: end)
        jump = Int(previous)
      default: return
      }
    }
  }

  private mutating func add(_ instruction: QueryProgram.Instruction) {
    switch instruction {
    case .push, .beginChain: stackCount += 1
    case .compare, .arithmetic, .endChain: stackCount -= 1
    default: break
    }
    stackSize = max(stackSize, stackCount)
    instructions.append(instruction)
  }

  /// Returns the index of the reader of `field`, which is added unless it exists.
  private mutating func index(of field: RecordField) -> Int32 {
    if let index = fieldIndexes[field] { return index }
    fields.append(FieldReader(field, in: &memory))
    fieldIndexes[field] = Int32(fields.count - 1)
    return Int32(fields.count - 1)
  }

  /// Adds a table, and returns its index.
  private mutating func add(_ values: [FieldValue]) -> Int32 {
    tables.append(ConstantTable(values, in: &memory))
    return Int32(tables.count - 1)
  }

  /// Adds a constant, and returns its index.
  private mutating func add(_ value: FieldValue) -> Int32 {
    constants.append(memory.store(value))
    return Int32(constants.count - 1)
  }
}
