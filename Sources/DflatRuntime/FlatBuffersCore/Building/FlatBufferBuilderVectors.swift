extension FlatBufferBuilder {
  // MARK: Strings

  /// Writes a string.
  public mutating func create(_ string: String) -> Offset {
    // Avoids a copy of the string and its reference counting. Only strings bridged from Objective-C can lack contiguous
    // storage.
    if let offset = string.utf8.withContiguousStorageIfAvailable({ create(utf8: UnsafeRawBufferPointer($0)) }) {
      return offset
    }
    var string = string
    return string.withUTF8 { create(utf8: UnsafeRawBufferPointer($0)) }
  }

  /// Writes a string; returns ``Offset/null`` if it is nil.
  public mutating func create(_ string: String?) -> Offset {
    guard let string else { return .null }
    return create(string)
  }

  /// Writes a string of the given bytes. They should be UTF-8, which is not checked.
  public mutating func create(utf8 bytes: UnsafeRawBufferPointer) -> Offset {
    requireIdle()
    guard bytes.count < sizeLimit else {
      fail(.builderTooLarge(limit: sizeLimit))
      return dropped
    }
    guard reserve(4 + bytes.count + 1, alignment: 4) else { return dropped }
    push(0 as UInt8)
    if let start = bytes.baseAddress { push(start, count: bytes.count) }
    push(UInt32(truncatingIfNeeded: bytes.count))
    return currentOffset
  }

  /// Writes a string, or returns the offset of an equal string that this method has written before.
  public mutating func createShared(_ string: String) -> Offset {
    requireIdle()
    var string = string
    return string.withUTF8 { createShared(utf8: UnsafeRawBufferPointer($0)) }
  }

  private mutating func createShared(utf8 bytes: UnsafeRawBufferPointer) -> Offset {
    let hash = hashBytes(bytes)
    let end = UnsafeRawPointer(memory + capacity)
    let known = state.pointee.sharedStrings.find(hash: hash) { offset in
      let other = end - Int(offset)
      guard Int(UInt32(littleEndian: other.loadUnaligned(as: UInt32.self))) == bytes.count else { return false }
      return bytes.baseAddress.map { equalBytes(other + 4, $0, count: bytes.count) } ?? true
    }
    if let known { return Offset(rawValue: known) }
    let offset = create(utf8: bytes)
    if state.pointee.failure == nil { state.pointee.sharedStrings.insert(offset.rawValue, hash: hash) }
    return offset
  }

  /// Writes a string as ``createShared(_:)-(String)`` does; returns ``Offset/null`` if it is nil.
  public mutating func createShared(_ string: String?) -> Offset {
    guard let string else { return .null }
    return createShared(string)
  }

  /// Writes a struct outside of a table, as the member of a union. A table stores its struct fields inline: use `add`.
  @inlinable
  public mutating func create<Structure: FlatBufferStructWritable>(_ structure: Structure) -> Offset {
    requireIdle()
    guard reserve(Structure.byteSize, alignment: Structure.byteAlignment) else { return dropped }
    push(structure)
    return currentOffset
  }

  // MARK: Vectors

  /// Reserves `count` elements of `stride` bytes. Returns false if the buffer would become too large, or writing has
  /// failed before.
  @inlinable
  mutating func startVector(count: Int, stride: Int, alignment: Int) -> Bool {
    requireIdle()
    let (bytes, overflow) = count.multipliedReportingOverflow(by: stride)
    guard !overflow, bytes < sizeLimit else {
      fail(.builderTooLarge(limit: sizeLimit))
      return false
    }
    return reserve(bytes, alignment: count == 0 ? 4 : max(4, alignment))
  }

  /// Writes the length in front of the elements, which start at a multiple of 4, and returns the vector's offset.
  @inlinable
  mutating func endVector(count: Int) -> Offset {
    guard reserve(4, alignment: 4) else { return dropped }
    push(UInt32(truncatingIfNeeded: count))
    return currentOffset
  }

  /// Writes the elements of a vector of scalars into reserved bytes.
  @inlinable
  mutating func push<T: FlatBufferScalar>(elements: [T]) {
    guard T.isWrittenAsInMemory else {
      for element in elements.reversed() { push(element.flatBufferBits) }
      return
    }
    elements.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { push(start, count: bytes.count) }
    }
  }

  /// Writes a vector of scalars.
  ///
  /// - Parameters:
  ///   - values: the elements.
  ///   - alignment: the alignment of the first element in bytes, a power of two, if it is larger than the element's
  ///     size; 8 for the bytes of a nested FlatBuffer, for example.
  @inlinable
  public mutating func create<T: FlatBufferScalar>(vector values: [T], alignment: Int = 1) -> Offset {
    let stride = MemoryLayout<T.Bits>.size
    guard startVector(count: values.count, stride: stride, alignment: max(stride, alignment)) else { return dropped }
    push(elements: values)
    return endVector(count: values.count)
  }

  /// Writes a vector of enum values.
  @inlinable
  public mutating func create<T: FlatBufferEnumValue>(vector values: [T]) -> Offset {
    let stride = MemoryLayout<T.RawValue.Bits>.size
    guard startVector(count: values.count, stride: stride, alignment: stride) else { return dropped }
    for value in values.reversed() { push(value.rawValue.flatBufferBits) }
    return endVector(count: values.count)
  }

  /// Writes a vector of bytes. A nested FlatBuffer needs an `alignment` of at least 8.
  public mutating func create(bytes: UnsafeRawBufferPointer, alignment: Int = 1) -> Offset {
    guard startVector(count: bytes.count, stride: 1, alignment: alignment) else { return dropped }
    if let start = bytes.baseAddress { push(start, count: bytes.count) }
    return endVector(count: bytes.count)
  }

  /// Writes a vector of structs.
  ///
  /// - Parameters:
  ///   - structures: the elements.
  ///   - alignment: the alignment of the first element in bytes, a power of two, if it is larger than that of the struct.
  @inlinable
  public mutating func create<Structure: FlatBufferStructWritable>(
    vector structures: [Structure], alignment: Int = 1
  ) -> Offset {
    let alignment = max(Structure.byteAlignment, alignment)
    guard startVector(count: structures.count, stride: Structure.byteSize, alignment: alignment) else {
      return dropped
    }
    for structure in structures.reversed() { push(structure) }
    return endVector(count: structures.count)
  }

  /// Writes a vector of references to the objects at `offsets`: strings, tables, or union members.
  @inlinable
  public mutating func create(vector offsets: [Offset]) -> Offset {
    guard startVector(count: offsets.count, stride: 4, alignment: 4) else { return dropped }
    for offset in offsets.reversed() { push(distanceTo: offset) }
    return endVector(count: offsets.count)
  }

  /// Writes strings and a vector of them.
  public mutating func create(vector strings: [String]) -> Offset {
    let mark = startOffsets()
    for string in strings { append(create(string)) }
    return endOffsets(from: mark)
  }

  /// Starts to gather offsets for a vector, without allocating an array: call ``append(_:)`` for each, then
  /// `endOffsets(from:)` with the returned mark. Such sequences may be nested.
  public mutating func startOffsets() -> Int {
    requireIdle()
    return state.pointee.pendingOffsets.count
  }

  /// Adds an offset to those gathered for a vector.
  public mutating func append(_ offset: Offset) {
    state.pointee.pendingOffsets.append(offset.rawValue)
  }

  /// Writes a vector of the offsets gathered since `startOffsets` returned `mark`. Any other mark may stop the program.
  public mutating func endOffsets(from mark: Int) -> Offset {
    precondition(
      mark >= 0 && mark <= state.pointee.pendingOffsets.count,
      "The mark does not come from startOffsets of this builder.")
    let count = state.pointee.pendingOffsets.count &- mark
    defer { state.pointee.pendingOffsets.truncate(to: mark) }
    guard startVector(count: count, stride: 4, alignment: 4) else { return dropped }
    for index in (mark..<mark &+ count).reversed() {
      push(distanceTo: Offset(rawValue: state.pointee.pendingOffsets.numbers[index]))
    }
    return endVector(count: count)
  }
}
