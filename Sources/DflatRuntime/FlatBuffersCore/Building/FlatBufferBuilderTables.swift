extension FlatBufferBuilder {
  /// Starts a table whose fields have ids below `fieldCount`. Add the fields in any order; largest first needs the
  /// least padding.
  ///
  /// The program stops if another table is open, the buffer is finished, or `fieldCount` is not from 0 to 32,765.
  @inlinable
  public mutating func startTable(fieldCount: Int) {
    requireIdle()
    precondition(fieldCount >= 0 && fieldCount <= 32765, "A table has from 0 to 32765 fields.")
    vtableCount = fieldCount &+ 2
    if vtableCount > vtableCapacity { growVTable() }
    vtable.update(repeating: 0, count: vtableCount)
    tableStart = count
    phase = .table
  }

  @usableFromInline
  mutating func growVTable() {
    vtable.deallocate()
    vtableCapacity = vtableCount
    vtable = .allocate(capacity: vtableCapacity)
    vtable.initialize(repeating: 0, count: vtableCapacity)
  }

  // Inlined for the benchmark row "build, builder reused": each field and each vtable is written here.
  /// Records in the vtable that the field at `slot` starts at the current offset. Stops the program if no table is
  /// open, it was started without this slot, or the field was added before.
  @inlinable @inline(__always)
  mutating func track(_ slot: VTableOffset) {
    precondition(phase == .table, "Fields are added between startTable and endTable.")
    let index = Int(slot >> 1)
    precondition(
      slot & 1 == 0 && index >= 2 && index < vtableCount, "The table was started without a field of this slot.")
    let distance = count &- tableStart
    guard distance <= Int(UInt16.max) else { return fail(.tableTooLarge) }
    precondition(vtable[index] == 0, "The field was added twice: a table has one value for each of its fields.")
    vtable[index] = UInt16(truncatingIfNeeded: distance)
  }

  @inlinable @inline(__always)
  mutating func addPresent<T: FlatBufferScalar>(_ value: T, at slot: VTableOffset) {
    guard reserve(MemoryLayout<T.Bits>.size, alignment: MemoryLayout<T.Bits>.size) else { return }
    push(value.flatBufferBits)
    track(slot)
  }

  /// Adds a scalar to the table, unless it has the same bits as the field's default.
  ///
  /// Comparing bits rather than values ensures that a reader gets the written value: `-0.0` is stored even though it
  /// equals a default of `0.0`, and a NaN is omitted only if the default is a NaN with the same bits.
  @inlinable
  public mutating func add<T: FlatBufferScalar>(_ value: T, default: T, at slot: VTableOffset) {
    if value.flatBufferBits == `default`.flatBufferBits, !forceDefaults { return }
    addPresent(value, at: slot)
  }

  /// Adds an optional scalar to the table, unless it is nil.
  @inlinable
  public mutating func add<T: FlatBufferScalar>(_ value: T?, at slot: VTableOffset) {
    guard let value else { return }
    addPresent(value, at: slot)
  }

  /// Adds a reference to the object at `offset` to the table, unless that is ``Offset/null``.
  @inlinable
  public mutating func add(_ offset: Offset, at slot: VTableOffset) {
    guard !offset.isNull, reserve(4, alignment: 4) else { return }
    push(distanceTo: offset)
    track(slot)
  }

  /// Adds a struct to the table, unless it is nil.
  @inlinable
  public mutating func add<Structure: FlatBufferStructWritable>(_ structure: Structure?, at slot: VTableOffset) {
    guard let structure, reserve(Structure.byteSize, alignment: Structure.byteAlignment) else { return }
    push(structure)
    track(slot)
  }

  /// Writes a struct into reserved bytes.
  @inlinable @inline(__always)
  mutating func push<Structure: FlatBufferStructWritable>(_ structure: Structure) {
    space &-= Structure.byteSize
    var writer = FlatBufferStructWriter(memory + space, count: Structure.byteSize)
    structure.write(to: &writer)
    if let error = writer.error { note(error) }
  }

  /// Ends the table and returns its offset. The table shares an identical vtable if one was written before. A call
  /// without `startTable` stops the program.
  public mutating func endTable() -> Offset {
    precondition(phase == .table, "There is no table to end: call startTable before endTable.")
    phase = .idle
    guard reserve(4, alignment: 4) else { return dropped }
    space -= 4
    let table = currentOffset
    let tableSize = count - tableStart
    guard tableSize <= Int(UInt16.max) else {
      fail(.tableTooLarge)
      return dropped
    }
    while vtableCount > 2, vtable[vtableCount - 1] == 0 { vtableCount -= 1 }
    for index in 2..<vtableCount {
      let distance = vtable[index]
      vtable[index] = distance == 0 ? 0 : (UInt16(tableSize) &- distance).littleEndian
    }
    vtable[0] = UInt16(vtableCount * 2).littleEndian
    vtable[1] = UInt16(tableSize).littleEndian

    guard let vtableOffset = writtenVTable() ?? writeVTable() else { return dropped }
    let distance = Int32(truncatingIfNeeded: Int(vtableOffset) - Int(table.rawValue))
    (memory + (capacity - Int(table.rawValue))).storeBytes(of: distance.littleEndian, as: Int32.self)
    return table
  }

  /// The number of vtables that are compared one by one, without a hash. Later ones are found by their hash.
  private static var comparedVTableCount: Int { 8 }

  private var currentVTable: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: vtable, count: vtableCount * 2)
  }

  /// Returns the offset of a vtable identical to the current one among those written before; nil if there is none.
  @inline(__always)
  private func writtenVTable() -> UInt32? {
    let end = UnsafeRawPointer(memory + capacity)
    let current = UnsafeRawPointer(vtable)
    let byteCount = vtableCount * 2
    let sizes = current.loadUnaligned(as: UInt32.self)
    // The first 4 bytes are the sizes of vtable and table: if they are equal, both vtables have `byteCount` bytes.
    func isCurrent(_ offset: UInt32) -> Bool {
      let other = end - Int(offset)
      return other.loadUnaligned(as: UInt32.self) == sizes && equalBytes(other, current, count: byteCount)
    }
    for index in 0..<min(state.pointee.vtables.count, Self.comparedVTableCount)
    where isCurrent(state.pointee.vtables.numbers[index]) {
      return state.pointee.vtables.numbers[index]
    }
    guard state.pointee.vtableIndex.count > 0 else { return nil }
    return state.pointee.vtableIndex.find(hash: hashBytes(currentVTable), where: isCurrent)
  }

  @inline(__always)
  private mutating func writeVTable() -> UInt32? {
    guard reserve(vtableCount * 2, alignment: 2) else { return nil }
    push(vtable, count: vtableCount * 2)
    let offset = currentOffset.rawValue
    if state.pointee.vtables.count < Self.comparedVTableCount {
      state.pointee.vtables.append(offset)
    } else {
      state.pointee.vtableIndex.insert(offset, hash: hashBytes(currentVTable))
    }
    return offset
  }
}
