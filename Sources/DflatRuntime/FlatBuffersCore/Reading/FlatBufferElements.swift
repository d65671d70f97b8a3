/// A vector in a buffer whose type of elements is known only at run time, read in place.
///
/// It does not retain the bytes: it is valid only while the table from which it was read, or another view of the same
/// buffer, exists.
package struct FlatBufferElements {
  private let window: FlatBufferWindow
  private let start: Int
  private let stride: Int
  /// Where the type codes of a vector of unions start, and how many bytes each takes; 0 bytes if there are none.
  private let firstCode: Int
  private let codeSize: Int
  /// The number of elements.
  package let count: Int

  /// How a field refers to its vector.
  package enum Reference: Hashable, Sendable, BitwiseCopyable {
    case offset
    /// A 64-bit offset.
    case offset64
    /// A 64-bit offset to a vector whose length has 64 bits.
    case vector64
  }

  /// A vector without elements.
  package static var empty: FlatBufferElements {
    FlatBufferElements(.empty, start: 0, stride: 1, count: 0)
  }

  private init(
    _ window: FlatBufferWindow, start: Int, stride: Int, count: Int, firstCode: Int = 0, codeSize: Int = 0
  ) {
    self.window = FlatBufferWindow(base: window.base, owner: nil, size: window.size, depth: window.depth)
    self.start = start
    self.stride = stride
    self.count = count
    self.firstCode = firstCode
    self.codeSize = codeSize
  }

  /// The vector in the field of `table` at `slot`, whose elements take `stride` bytes each; an empty one if it is absent or exceeds
  /// the buffer.
  package init(in table: FlatBufferTable, at slot: VTableOffset, stride: Int, _ reference: Reference = .offset) {
    let range: (start: Int, count: Int)? =
      switch reference {
      case .offset: table.elements(at: slot, stride: stride)
      case .offset64: table.elements(offset64At: slot, stride: stride)
      case .vector64: table.elements(vector64At: slot, stride: stride)
      }
    self.init(table.window, start: range?.start ?? 0, stride: stride, count: range?.count ?? 0)
  }

  /// The vector of unions whose members are in the field of `table` at `slot`, and whose type codes, of `codeSize` bytes each, are in
  /// the slot before. The surplus elements of the longer vector are ignored.
  package init(unionsIn table: FlatBufferTable, at slot: VTableOffset, codeSize: Int) {
    let codes = table.elements(at: slot &- 2, stride: codeSize)
    let members = table.elements(at: slot, stride: 4)
    self.init(
      table.window, start: members.start, stride: 4, count: min(codes.count, members.count), firstCode: codes.start,
      codeSize: codeSize)
  }

  // Inlined for the benchmark row "fetch by an element of a vector, 1,000 times": the elements of each row found are
  // compared with the condition.
  @inline(__always)
  private func position(of index: Int) -> Int {
    precondition(index >= 0 && index < count, "The index is outside the FlatBuffer vector: it is from 0 to count - 1.")
    return start &+ index &* stride
  }

  /// Returns the scalar at `index`, from 0 to `count - 1`, whose size is the stride.
  package func scalar<T: FlatBufferScalar>(_: T.Type, at index: Int) -> T { window.scalar(at: position(of: index)) }

  /// Returns the bytes of the string at `index`; none if it cannot be read.
  package func utf8(at index: Int) -> UnsafeRawBufferPointer {
    let position = position(of: index)
    guard window.containsFourBytes(at: position), let target = window.elementReference(at: position) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return window.utf8(lengthAt: target) ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Returns the table at `index`; one without fields if it cannot be read.
  package func table(at index: Int) -> FlatBufferTable {
    FlatBufferTable.vectorElement(in: window, at: position(of: index))
  }

  /// Returns the struct at `index`, whose size is the stride.
  package func structure(at index: Int) -> FlatBufferStruct {
    FlatBufferStruct(in: window, at: position(of: index), size: stride) ?? .empty
  }

  /// Returns the type code of the union at `index`; 0 if there is no union or it has no member, and in a vector of other
  /// elements.
  package func code(at index: Int) -> UInt64 {
    let position = position(of: index)
    guard codeSize > 0, window.containsFourBytes(at: position), window.load(UInt32.self, at: position) != 0 else {
      return 0
    }
    let code = firstCode &+ index &* codeSize
    switch codeSize {
    case 1: return UInt64(window.scalar(UInt8.self, at: code))
    case 2: return UInt64(window.scalar(UInt16.self, at: code))
    case 4: return UInt64(window.scalar(UInt32.self, at: code))
    default: return window.scalar(UInt64.self, at: code)
    }
  }

  /// Returns the member of the union at `index`, of any type.
  package func member(at index: Int) -> FlatBufferUnionMember {
    FlatBufferUnionMember.vectorElement(in: window, at: position(of: index))
  }
}
