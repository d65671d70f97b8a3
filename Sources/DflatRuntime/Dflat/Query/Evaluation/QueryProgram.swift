import FlatBuffersCore

/// A query compiled into flat memory, to be evaluated on many rows.
///
/// Evaluation follows no reference-counted object and creates no string. It allocates only for a folded text, for the
/// stack of a very deep tree, and for the search of a part that repeats itself.
///
/// The instructions run one after another, not nested, so that no tree can overflow the thread's stack. Each leaves
/// its result in one register, `value`. Left operands that wait for the right one, and the state of chains, are on a
/// stack of values.
package final class QueryProgram: @unchecked Sendable {
  // Unchecked because of the pointers: they point into `memory`, which is constant after the initializer.
  private let memory: ConstantMemory
  private let instructions: UnsafeBufferPointer<Instruction>
  private let constants: UnsafeBufferPointer<RowValue>
  private let fields: UnsafeBufferPointer<FieldReader>
  private let tables: UnsafeBufferPointer<ConstantTable>
  private let vectors: UnsafeBufferPointer<VectorReader>
  private let elementFields: UnsafeBufferPointer<ElementReader>
  /// The deepest nesting of loops over elements.
  private let loopCount: Int
  /// The most values that the stack holds.
  private let stackSize: Int
  /// Whether the program makes texts, by folding texts or from UUIDs.
  private let folds: Bool

  /// An instruction. It refers to fields, constants, tables and other instructions by their indexes.
  enum Instruction: BitwiseCopyable {
    case field(Int32)
    case constant(Int32)
    case compareFieldWithConstant(QueryNode.Comparison, field: Int32, constant: Int32)
    /// Pushes the value onto the stack.
    case push
    /// Compares the left operand, popped from the stack, with the value.
    case compare(QueryNode.Comparison)
    case arithmetic(QueryNode.Arithmetic)
    /// Begins a chain of `&&` or `||`: pushes the value of a chain without terms, which is true for `&&` and false for
    /// `||`.
    case beginChain(Bool)
    /// Ends a term of a chain of `&&`. If the value is false, it pops the stack and jumps to `end`. If the value is
    /// NULL, it sets the stack's top to NULL. `or` does the same for `||`, with true in place of false.
    case and(end: Int32)
    case or(end: Int32)
    /// Ends a chain that no term has decided: pops its value from the stack.
    case endChain
    case not
    case isNull
    /// Whether the value is one of the constants in a table.
    case isIn(table: Int32)
    /// The index of the value among the constants in a table.
    case position(table: Int32)
    case hasPrefix(constant: Int32)
    case hasSuffix(constant: Int32)
    /// Whether the value contains the constant. The constant's byte at `anchor` is searched for first.
    case contains(constant: Int32, anchor: Int32)
    case length
    case fold(QueryNode.Folding)
    case uuidText
    /// The number of elements.
    case count(vector: Int32)
    /// Starts a loop over the elements of a vector. Without elements, the value is false, and `end` comes next.
    case beginElements(vector: Int32, loop: Int32, end: Int32)
    /// Ends the condition on an element. Unless the value is true, `body` comes next with the next element; behind the last one, the
    /// value is false.
    case endElement(loop: Int32, body: Int32)
    /// The value of a field of a loop's element.
    case elementField(Int32, loop: Int32)
  }

  package init(_ node: QueryNode) {
    var compiler = QueryCompiler()
    compiler.compile(node)
    instructions = compiler.memory.store(compiler.instructions)
    constants = compiler.memory.store(compiler.constants)
    fields = compiler.memory.store(compiler.fields)
    tables = compiler.memory.store(compiler.tables)
    vectors = compiler.memory.store(compiler.vectors)
    elementFields = compiler.memory.store(compiler.elementFields)
    loopCount = compiler.loopCount
    stackSize = compiler.stackSize
    folds = compiler.folds
    memory = compiler.takeMemory()
  }

  /// The program that is true for every row.
  package static let accepting = QueryProgram(.constant(.integer(1)))

  /// Returns whether the predicate is true for the row whose root is `row`.
  package func matches(_ row: FlatBufferTable) -> Bool {
    // The most common condition, evaluated without a stack.
    if case .compareFieldWithConstant(let comparison, let field, let constant) = instructions[0],
      instructions.count == 1
    {
      return comparison.holds(fields[Int(field)].value(in: row), constants[Int(constant)])
    }
    return withValue(for: row) { truth(of: $0) == true }
  }

  /// The largest size of a stack in the thread's own stack: 32 values are 768 bytes.
  private static let stackLimit = 32

  /// Returns the value for the row whose root is `row`; see `RowValue` for the lifetime of a text.
  ///
  /// The value must not be a text that the program has folded: such a text ends with the evaluation, so the program
  /// stops.
  package func value(for row: FlatBufferTable) -> RowValue {
    withValue(for: row) { value in
      if folds, case .text = value { stopProgram("A folded text ends with its evaluation: use withValue(for:).") }
      return value
    }
  }

  // Inlined, in `Comparison` below as well, for the benchmark rows "fetch a sixth by a string without index" and
  // "fetch by a part of 100,000 texts": each row is evaluated here. The evaluation on the heap stays out of line.
  /// Calls `body` with the value for the row whose root is `row`. A text is valid until `body` returns.
  @inline(__always)
  package func withValue<Result>(for row: FlatBufferTable, _ body: (RowValue) -> Result) -> Result {
    if case .field(let field) = instructions[0], instructions.count == 1 {
      return body(fields[Int(field)].value(in: row))
    }
    var texts = FoldedTexts()
    defer { texts.free() }
    return body(evaluate(row, &texts))
  }

  private func evaluate(_ row: FlatBufferTable, _ texts: inout FoldedTexts) -> RowValue {
    if stackSize > Self.stackLimit || !vectors.isEmpty { return evaluateOnHeap(row, &texts) }
    return withUnsafeTemporaryAllocation(of: RowValue.self, capacity: Self.stackLimit) { run(row, $0, nil, &texts) }
  }

  /// Evaluates with as much memory as the program needs. Small amounts are on the thread's stack all the same.
  @inline(never)
  private func evaluateOnHeap(_ row: FlatBufferTable, _ texts: inout FoldedTexts) -> RowValue {
    withUnsafeTemporaryAllocation(of: RowValue.self, capacity: stackSize) { stack in
      withUnsafeTemporaryAllocation(of: ElementLoop.self, capacity: loopCount) { loops in
        loops.initialize(repeating: ElementLoop())
        defer { loops.deinitialize() }
        return run(row, stack, loops.baseAddress, &texts)
      }
    }
  }

  @inline(__always)
  private func truth(of value: RowValue) -> Bool? {
    switch value {
    case .null: nil
    case .integer(let value): value != 0
    case .unsigned, .wide: true
    case .real(let value): value != 0
    // Never a predicate: the types of the operators do not allow it.
    case .text, .bytes: false
    }
  }

  @inline(__always)
  private func run(
    _ row: FlatBufferTable, _ stack: UnsafeMutableBufferPointer<RowValue>, _ loops: UnsafeMutablePointer<ElementLoop>?,
    _ texts: inout FoldedTexts
  ) -> RowValue {
    let (instructions, constants, fields) = (instructions, constants, fields)
    var value = RowValue.null
    // The number of values on the stack.
    var count = 0
    var next = 0
    while next < instructions.count {
      let instruction = instructions[next]
      next += 1
      switch instruction {
      case .field(let index): value = fields[Int(index)].value(in: row)
      case .constant(let index): value = constants[Int(index)]
      case .compareFieldWithConstant(let comparison, let field, let constant):
        value = compare(comparison, fields[Int(field)].value(in: row), constants[Int(constant)])
      case .push:
        stack.initializeElement(at: count, to: value)
        count += 1
      case .compare(let comparison):
        count -= 1
        value = compare(comparison, stack[count], value)
      case .arithmetic(let operation):
        count -= 1
        value = RowArithmetic.evaluate(operation, stack[count], value)
      case .beginChain(let isTrue):
        stack.initializeElement(at: count, to: RowValue(isTrue))
        count += 1
      case .and(let end):
        switch truth(of: value) {
        case true?: break
        case nil: stack[count - 1] = .null
        case false?:
          value = RowValue(false)
          count -= 1
          next = Int(end)
        }
      case .or(let end):
        switch truth(of: value) {
        case false?: break
        case nil: stack[count - 1] = .null
        case true?:
          value = RowValue(true)
          count -= 1
          next = Int(end)
        }
      case .endChain:
        count -= 1
        value = stack[count]
      case .not: value = truth(of: value).map { RowValue(!$0) } ?? .null
      case .isNull:
        if case .null = value { value = RowValue(true) } else { value = RowValue(false) }
      case .isIn(let table): value = membership(of: value, in: tables[Int(table)])
      case .position(let table): value = position(of: value, in: tables[Int(table)])
      case .hasPrefix(let constant): value = condition(on: value, constants[Int(constant)]) { $0.hasPrefix($1) }
      case .hasSuffix(let constant): value = condition(on: value, constants[Int(constant)]) { $0.hasSuffix($1) }
      case .contains(let constant, let anchor):
        value = condition(on: value, constants[Int(constant)]) {
          TextSearch.contains($0, $1, anchor: Int(anchor))
        }
      case .length: value = length(of: value)
      case .fold(let folding):
        if case .text(let text) = value { value = .text(texts.fold(text, folding)) } else { value = .null }
      case .uuidText:
        guard case .bytes(let bytes) = value, bytes.count == 16 else {
          value = .null
          continue
        }
        value = .text(texts.text(ofUUID: bytes))
      case .count(let vector): value = .integer(Int64(elements(of: vector, in: row, loops).count))
      case .beginElements(let vector, let loop, let end):
        if !begin(loop, vector, row, loops, texts.mark) {
          value = RowValue(false)
          next = Int(end)
        }
      case .endElement(let loop, let body):
        let isTrue = truth(of: value) == true
        value = RowValue(isTrue)
        if advance(loop, loops, &texts), !isTrue { next = Int(body) }
      case .elementField(let field, let loop):
        if let loop = loops?[Int(loop)] { value = elementFields[Int(field)].value(of: loop.elements, at: loop.index) }
      }
    }
    return value
  }

  private func elements(
    of vector: Int32, in row: FlatBufferTable, _ loops: UnsafeMutablePointer<ElementLoop>?
  ) -> FlatBufferElements {
    let reader = vectors[Int(vector)]
    // Without loops, no path starts at an element.
    return if let loops { reader.elements(in: row, loops) } else { reader.elements(from: row) }
  }

  /// Starts a loop at the first element; returns false if there is none.
  private func begin(
    _ loop: Int32, _ vector: Int32, _ row: FlatBufferTable, _ loops: UnsafeMutablePointer<ElementLoop>?,
    _ mark: FoldedTexts.Mark
  ) -> Bool {
    let elements = elements(of: vector, in: row, loops)
    guard elements.count > 0, let loops else { return false }
    loops[Int(loop)] = ElementLoop(elements: elements, mark: mark)
    return true
  }

  /// Goes on to the next element; returns false if there is none.
  private func advance(
    _ loop: Int32, _ loops: UnsafeMutablePointer<ElementLoop>?, _ texts: inout FoldedTexts
  ) -> Bool {
    guard let loops else { return false }
    texts.free(since: loops[Int(loop)].mark)
    loops[Int(loop)].index += 1
    return loops[Int(loop)].index < loops[Int(loop)].elements.count
  }

  @inline(__always)
  private func compare(_ comparison: QueryNode.Comparison, _ lhs: RowValue, _ rhs: RowValue) -> RowValue {
    if case .null = lhs { return .null }
    if case .null = rhs { return .null }
    return RowValue(comparison.holds(forOrder: RowValue.order(lhs, rhs)))
  }

  @inline(__always)
  private func condition(
    on value: RowValue, _ constant: RowValue, _ holds: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) -> RowValue {
    guard case .text(let text) = value, case .text(let constant) = constant else { return .null }
    return RowValue(holds(text, constant))
  }

  private func length(of value: RowValue) -> RowValue {
    guard case .text(let text) = value else { return .null }
    return .integer(Int64(TextSearch.scalarCount(of: text)))
  }

  private func membership(of value: RowValue, in table: ConstantTable) -> RowValue {
    if table.isEmpty { return RowValue(false) }
    if case .null = value { return .null }
    if table.firstIndex(of: value) != nil { return RowValue(true) }
    return table.hasNull ? .null : RowValue(false)
  }

  private func position(of value: RowValue, in table: ConstantTable) -> RowValue {
    if case .null = value { return .null }
    return table.firstIndex(of: value).map { .integer(Int64($0)) } ?? .null
  }
}

extension QueryNode.Comparison {
  /// Returns whether the comparison holds between two values; false if one is NULL.
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
