import FlatBuffersCore

/// A loop over the elements of a vector, during the evaluation of a program.
struct ElementLoop {
  var elements = FlatBufferElements.empty
  var index = 0
  /// The position in the folded texts before the first element. Texts that are folded for an element are freed after
  /// it.
  var mark = FoldedTexts().mark
}

/// Reads a field's value from an element of a vector.
struct ElementReader: BitwiseCopyable {
  private enum Kind: BitwiseCopyable {
    /// The element has no such value.
    case nothing
    /// The element itself: a number, a text or bytes.
    case value(FieldStorage)
    /// A field of a table. The element is the table, or a union that holds the table as its member with the type code.
    case table(FieldReader, UnionCode?)
    /// A scalar, or the bytes, of a struct; the element is the struct.
    case structure(FieldStorage, offset: Int)
    /// A scalar, or the bytes, of the struct that a union holds as its member with the type code; the element is the union.
    case unionStructure(FieldStorage, UnionCode, offset: Int)
    /// The string that a union holds as its member with the type code; the element is the union.
    case unionString(UnionCode)
    /// The element's type code.
    case code
  }

  private let kind: Kind

  /// Creates the reader of a field. The field's path starts at an element of the type `element`.
  init(_ field: RecordField, of element: RecordVector.Element, in memory: inout ConstantMemory) {
    let path = field.path.behindElement
    switch element {
    case .value(let storage):
      kind = path.steps.isEmpty && field.slot == 0 && field.storage == storage ? .value(storage) : .nothing
    case .table: kind = .table(FieldReader(field.moved(to: path), in: &memory), nil)
    case .structure:
      kind = Self.offset(of: path).map { .structure(field.storage, offset: $0 + Int(field.slot)) } ?? .nothing
    case .union:
      let rest = path.behindElement
      switch path.steps.first {
      case nil: kind = field.storage.isUnionType ? .code : .nothing
      case .unionTable(_, let code)?: kind = .table(FieldReader(field.moved(to: rest), in: &memory), code)
      case .unionStructure(_, let code)?:
        let offset = Self.offset(of: rest)
        kind = offset.map { .unionStructure(field.storage, code, offset: $0 + Int(field.slot)) } ?? .nothing
      case .unionString(_, let code)?: kind = .unionString(code)
      case .table?, .structure?, .element?: kind = .nothing
      }
    }
  }

  /// Returns the offset in a struct to which a path through nested structs leads; nil if it leads elsewhere.
  private static func offset(of path: FieldPath) -> Int? {
    var offset = 0
    for step in path.steps {
      guard case .structure(let inner) = step else { return nil }
      offset += Int(inner)
    }
    return offset
  }

  /// Returns the field's value for the element at `index`. A text is valid while the row's bytes are.
  func value(of elements: FlatBufferElements, at index: Int) -> RowValue {
    switch kind {
    case .nothing: return .null
    case .value(let storage): return storage.value(of: elements, at: index)
    case .table(let field, nil): return field.value(in: elements.table(at: index))
    case .table(let field, let code?):
      guard elements.code(at: index) == code.number else { return .null }
      return elements.member(at: index).table.map { field.value(in: $0) } ?? .null
    case .structure(let storage, let offset): return storage.value(in: elements.structure(at: index), at: offset)
    case .unionStructure(let storage, let code, let offset):
      guard elements.code(at: index) == code.number else { return .null }
      let structure = elements.member(at: index).structure(size: offset &+ storage.width)
      return structure.map { storage.value(in: $0, at: offset) } ?? .null
    case .unionString(let code):
      guard elements.code(at: index) == code.number else { return .null }
      return elements.member(at: index).utf8.map { .text($0) } ?? .null
    case .code:
      let code = elements.code(at: index)
      return code == 0 ? .null : RowValue(code)
    }
  }
}

/// A vector's path, compiled once into flat memory.
struct VectorReader: BitwiseCopyable {
  /// The element at which the path of the vector starts.
  struct Start: BitwiseCopyable {
    /// The number of the loop over these elements.
    let loop: Int32
    /// The type code of the member that holds the vector, if the element is a union.
    let code: UnionCode?
  }

  let start: Start?
  private let steps: UnsafeBufferPointer<FieldReader.Step>
  private let vector: (element: RecordVector.Element, slot: VTableOffset, reference: FlatBufferElements.Reference)

  /// Creates the reader of a vector; nil if the path leads to no table.
  ///
  /// - Parameter outer: the loop of the element at which the path starts, and that element's type.
  init?(
    _ vector: RecordVector, startingAt outer: (loop: Int32, element: RecordVector.Element)?,
    in memory: inout ConstantMemory
  ) {
    var path = vector.path.steps[...]
    var start: Start?
    if let outer {
      path = path.dropFirst()
      var code: UnionCode?
      switch (outer.element, path.first) {
      case (.table, _): break
      case (.union, .unionTable(_, let member)?):
        code = member
        path = path.dropFirst()
      default: return nil
      }
      start = Start(loop: outer.loop, code: code)
    }
    var steps: [FieldReader.Step] = []
    for step in path {
      switch step {
      case .table(let slot): steps.append(.table(slot))
      case .unionTable(let slot, let code): steps.append(.unionTable(slot: slot, code: code))
      // They hold no vectors.
      case .structure, .unionStructure, .unionString, .element: return nil
      }
    }
    self.start = start
    self.steps = memory.store(steps)
    let reference: FlatBufferElements.Reference =
      switch vector.reference {
      case .offset: .offset
      case .offset64: .offset64
      case .vector64: .vector64
      }
    self.vector = (vector.element, vector.slot, reference)
  }

  /// Returns the elements of the vector. Its path starts at `table`: the row's root, or the table that the element is
  /// or holds.
  func elements(from table: FlatBufferTable) -> FlatBufferElements {
    var table = table
    for step in steps {
      guard let next = step.next(from: table) else { return .empty }
      table = next
    }
    switch vector.element {
    case .value(let storage):
      return FlatBufferElements(in: table, at: vector.slot, stride: storage.width, vector.reference)
    case .structure(let size): return FlatBufferElements(in: table, at: vector.slot, stride: size, vector.reference)
    case .table: return FlatBufferElements(in: table, at: vector.slot, stride: 4)
    case .union(let codeSize): return FlatBufferElements(unionsIn: table, at: vector.slot, codeSize: codeSize)
    }
  }

  /// Returns the elements over which a query loops; none if the path to the vector ends early. The path starts at the
  /// current element of an outer loop, or at the row's root.
  func elements(in row: FlatBufferTable, _ loops: UnsafeMutablePointer<ElementLoop>) -> FlatBufferElements {
    guard let start else { return elements(from: row) }
    let (outer, index) = (loops[Int(start.loop)].elements, loops[Int(start.loop)].index)
    guard let code = start.code else { return elements(from: outer.table(at: index)) }
    guard outer.code(at: index) == code.number, let member = outer.member(at: index).table else { return .empty }
    return elements(from: member)
  }
}

extension FieldStorage {
  /// Returns the element at `index` of a vector of such values.
  fileprivate func value(of elements: FlatBufferElements, at index: Int) -> RowValue {
    switch self {
    case .bool: .integer(elements.scalar(UInt8.self, at: index) == 0 ? 0 : 1)
    case .int8: .integer(Int64(elements.scalar(Int8.self, at: index)))
    case .uint8: .integer(Int64(elements.scalar(UInt8.self, at: index)))
    case .int16: .integer(Int64(elements.scalar(Int16.self, at: index)))
    case .uint16: .integer(Int64(elements.scalar(UInt16.self, at: index)))
    case .int32: .integer(Int64(elements.scalar(Int32.self, at: index)))
    case .uint32: .integer(Int64(elements.scalar(UInt32.self, at: index)))
    case .int64: .integer(elements.scalar(Int64.self, at: index))
    case .uint64: RowValue(elements.scalar(UInt64.self, at: index))
    case .float: RowValue(Double(elements.scalar(Float.self, at: index)))
    case .double: RowValue(elements.scalar(Double.self, at: index))
    case .string: .text(elements.utf8(at: index))
    case .bytes: value(in: elements.structure(at: index), at: 0)
    // No vector has such elements.
    case .stringOffset64, .unionType, .unionType16, .unionType32, .unionType64: .null
    }
  }
}

extension RecordField {
  /// Returns this field at the end of another path.
  fileprivate func moved(to path: FieldPath) -> RecordField {
    RecordField(path, storage, at: slot, default: defaultValue)
  }
}
