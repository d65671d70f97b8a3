import FlatBuffersCore

/// A query compiled into flat memory, to be evaluated on many rows. Evaluation allocates nothing, follows no
/// reference-counted object and creates no string.
package final class QueryProgram: @unchecked Sendable {
  // Unchecked because of the pointers: they point into `memory`, which is constant after the initializer.
  private let memory: ConstantMemory
  private let root: Instruction
  private let instructions: UnsafeBufferPointer<Instruction>
  private let constants: UnsafeBufferPointer<RowValue>
  private let fields: UnsafeBufferPointer<FieldReader>

  /// One node of the tree. It refers to its operands by their indexes in `instructions`, `constants` or `fields`.
  enum Instruction: BitwiseCopyable {
    case field(Int32)
    case constant(Int32)
    case compareFieldWithConstant(QueryNode.Comparison, field: Int32, constant: Int32)
    case compare(QueryNode.Comparison, Int32, Int32)
    /// The operands are the instructions `first..<end`; the same for `or`.
    case and(first: Int32, end: Int32)
    case or(first: Int32, end: Int32)
    case not(Int32)
    case isNull(Int32)
    /// Whether the operand is one of the constants `first..<end`, which are sorted for a binary search.
    case isIn(Int32, first: Int32, end: Int32, hasNull: Bool)
    case arithmetic(QueryNode.Arithmetic, Int32, Int32)
    /// The index of the operand in the constants `first..<end`.
    case position(Int32, first: Int32, end: Int32)
  }

  package init(_ node: QueryNode) {
    var compiler = QueryCompiler()
    root = compiler.compile(node)
    instructions = compiler.memory.store(compiler.instructions)
    constants = compiler.memory.store(compiler.constants)
    fields = compiler.memory.store(compiler.fields)
    memory = compiler.takeMemory()
  }

  /// The predicate that is true for every row.
  package static let accepting = QueryProgram(.constant(.integer(1)))

  /// Whether the predicate is true for the row whose root is `row`.
  package func matches(_ row: FlatBufferTable) -> Bool {
    // The most common condition, of which no value is made.
    if case .compareFieldWithConstant(let comparison, let field, let constant) = root {
      return comparison.holds(fields[Int(field)].value(in: row), constants[Int(constant)])
    }
    return truth(of: evaluate(root, row)) == true
  }

  /// The value for the row whose root is `row`; see `RowValue` for the lifetime of a text.
  package func value(for row: FlatBufferTable) -> RowValue {
    evaluate(root, row)
  }

  @inline(__always)
  private func truth(of value: RowValue) -> Bool? {
    switch value {
    case .null: nil
    case .integer(let value): value != 0
    case .unsigned: true
    case .real(let value): value != 0
    // Never a predicate: the types of the operators do not allow it.
    case .text: false
    }
  }

  private func evaluate(_ instruction: Instruction, _ row: FlatBufferTable) -> RowValue {
    switch instruction {
    case .field(let index): return fields[Int(index)].value(in: row)
    case .constant(let index): return constants[Int(index)]
    case .compareFieldWithConstant(let comparison, let field, let constant):
      return compare(comparison, fields[Int(field)].value(in: row), constants[Int(constant)])
    case .compare(let comparison, let lhs, let rhs):
      return compare(comparison, evaluate(instructions[Int(lhs)], row), evaluate(instructions[Int(rhs)], row))
    case .and(let first, let end):
      var unknown = false
      for index in first..<end {
        switch truth(of: evaluate(instructions[Int(index)], row)) {
        case false?: return RowValue(false)
        case nil: unknown = true
        case true?: break
        }
      }
      return unknown ? .null : RowValue(true)
    case .or(let first, let end):
      var unknown = false
      for index in first..<end {
        switch truth(of: evaluate(instructions[Int(index)], row)) {
        case true?: return RowValue(true)
        case nil: unknown = true
        case false?: break
        }
      }
      return unknown ? .null : RowValue(false)
    case .not(let operand):
      return truth(of: evaluate(instructions[Int(operand)], row)).map { RowValue(!$0) } ?? .null
    case .isNull(let operand):
      if case .null = evaluate(instructions[Int(operand)], row) { return RowValue(true) }
      return RowValue(false)
    case .isIn(let operand, let first, let end, let hasNull):
      if first == end, !hasNull { return RowValue(false) }
      let value = evaluate(instructions[Int(operand)], row)
      if case .null = value { return .null }
      if contains(value, first: Int(first), end: Int(end)) { return RowValue(true) }
      return hasNull ? .null : RowValue(false)
    case .arithmetic(let operation, let lhs, let rhs):
      return SQLArithmetic.evaluate(
        operation, evaluate(instructions[Int(lhs)], row), evaluate(instructions[Int(rhs)], row))
    case .position(let operand, let first, let end):
      let value = evaluate(instructions[Int(operand)], row)
      if case .null = value { return .null }
      for index in first..<end where RowValue.order(constants[Int(index)], value) == 0 {
        return .integer(Int64(index - first))
      }
      return .null
    }
  }

  @inline(__always)
  private func compare(_ comparison: QueryNode.Comparison, _ lhs: RowValue, _ rhs: RowValue) -> RowValue {
    if case .null = lhs { return .null }
    if case .null = rhs { return .null }
    return RowValue(comparison.holds(forOrder: RowValue.order(lhs, rhs)))
  }

  private func contains(_ value: RowValue, first: Int, end: Int) -> Bool {
    var low = first
    var high = end
    while low < high {
      let middle = (low + high) / 2
      let order = RowValue.order(constants[middle], value)
      if order == 0 { return true }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return false
  }
}

extension QueryNode.Comparison {
  /// Whether two values compare so; false if one is NULL.
  @inline(__always)
  func holds(_ lhs: RowValue, _ rhs: RowValue) -> Bool {
    if case .integer(let lhs) = lhs, case .integer(let rhs) = rhs {
      return holds(forOrder: lhs < rhs ? -1 : lhs == rhs ? 0 : 1)
    }
    if case .null = lhs { return false }
    if case .null = rhs { return false }
    return holds(forOrder: RowValue.order(lhs, rhs))
  }

  @inline(__always)
  fileprivate func holds(forOrder order: Int) -> Bool {
    switch self {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }
}

/// Compiles an expression tree to flat arrays of instructions, constants and fields.
private struct QueryCompiler: ~Copyable {
  var memory = ConstantMemory()
  var instructions: [QueryProgram.Instruction] = []
  var constants: [RowValue] = []
  var fields: [FieldReader] = []
  private var fieldIndexes: [RecordField: Int32] = [:]

  consuming func takeMemory() -> ConstantMemory { memory }

  /// Compiles `node`: adds its operands to the arrays, and returns its instruction without adding it.
  mutating func compile(_ node: QueryNode) -> QueryProgram.Instruction {
    switch node {
    case .field(let field):
      return .field(addField(field))
    case .constant(let value):
      return .constant(addConstant(value))
    case .comparison(let comparison, .field(let field), .constant(let value)):
      return .compareFieldWithConstant(comparison, field: addField(field), constant: addConstant(value))
    case .comparison(let comparison, let lhs, let rhs):
      return .compare(comparison, addOperand(lhs), addOperand(rhs))
    case .and:
      let range = addOperands(node.conjuncts)
      return .and(first: range.lowerBound, end: range.upperBound)
    case .or:
      let range = addOperands(node.disjuncts)
      return .or(first: range.lowerBound, end: range.upperBound)
    case .not(let inner):
      return .not(addOperand(inner))
    case .isNull(let inner):
      return .isNull(addOperand(inner))
    case .isIn(let inner, let values):
      let operand = addOperand(inner)
      var sorted: [RowValue] = []
      var hasNull = false
      for value in values {
        let stored = memory.store(value)
        if case .null = stored { hasNull = true } else { sorted.append(stored) }
      }
      sorted.sort { RowValue.order($0, $1) < 0 }
      let first = Int32(constants.count)
      constants += sorted
      return .isIn(operand, first: first, end: Int32(constants.count), hasNull: hasNull)
    case .arithmetic(let operation, let lhs, let rhs):
      return .arithmetic(operation, addOperand(lhs), addOperand(rhs))
    case .position(let inner, let values):
      let operand = addOperand(inner)
      let first = Int32(constants.count)
      for value in values { constants.append(memory.store(value)) }
      return .position(operand, first: first, end: Int32(constants.count))
    }
  }

  /// Compiles `node`, adds its instruction, and returns the index of that.
  private mutating func addOperand(_ node: QueryNode) -> Int32 {
    let instruction = compile(node)
    instructions.append(instruction)
    return Int32(instructions.count - 1)
  }

  /// Compiles `nodes`, the operands of one node, and adds their instructions at consecutive indexes.
  private mutating func addOperands(_ nodes: [QueryNode]) -> Range<Int32> {
    var compiled: [QueryProgram.Instruction] = []
    for node in nodes { compiled.append(compile(node)) }
    let first = Int32(instructions.count)
    instructions += compiled
    return first..<Int32(instructions.count)
  }

  /// Returns the index of the reader of `field`, which is added unless it exists.
  private mutating func addField(_ field: RecordField) -> Int32 {
    if let index = fieldIndexes[field] { return index }
    fields.append(FieldReader(field, in: &memory))
    fieldIndexes[field] = Int32(fields.count - 1)
    return Int32(fields.count - 1)
  }

  private mutating func addConstant(_ value: FieldValue) -> Int32 {
    constants.append(memory.store(value))
    return Int32(constants.count - 1)
  }
}
