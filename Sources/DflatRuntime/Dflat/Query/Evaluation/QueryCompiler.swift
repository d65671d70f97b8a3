/// A compiler of expression trees to flat arrays of instructions, constants, fields and tables, which uses no
/// recursion.
struct QueryCompiler: ~Copyable {
  var memory = ConstantMemory()
  private(set) var instructions: [QueryProgram.Instruction] = []
  private(set) var constants: [RowValue] = []
  private(set) var fields: [FieldReader] = []
  private(set) var tables: [ConstantTable] = []
  /// The maximum number of values on the program's stack.
  private(set) var stackSize = 0
  /// Whether an instruction folds a text.
  private(set) var folds = false

  private var fieldIndexes: [RecordField: Int32] = [:]
  /// The number of values on the stack after the present instructions.
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
    }
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
    if let (field, comparison, value) = node.fieldComparison {
      add(.compareFieldWithConstant(comparison, field: index(of: field), constant: add(value)))
      return true
    }
    switch node.kind {
    case .field(let field): add(.field(index(of: field)))
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
