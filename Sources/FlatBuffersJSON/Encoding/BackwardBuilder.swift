/// Writes a FlatBuffer from its end to its front, byte for byte as the C++ library does. It is for objects whose types
/// are known only from a schema.
///
/// Offsets count from the end of the buffer, which does not move.
final class BackwardBuilder {
  /// The bytes so far, in their final order.
  private let memory: BackwardMemory
  /// The offsets of the vtables, by the hash of their bytes. If several have the same hash, only the last one is known.
  private var vtables: [Int: Int] = [:]
  private var sharedStrings: [[UInt8]: Int] = [:]
  private var fields: [(slot: Int, offset: Int)] = []
  /// The vtable that `endTable` is making. It is a property so that its memory is reused.
  private var vtable: [UInt8] = []
  /// The largest alignment of anything written so far.
  private(set) var minimumAlignment = 1

  /// Creates an empty buffer.
  ///
  /// - Parameter capacity: the likely size of the buffer in bytes. Unused memory costs nothing.
  init(capacity: Int = 1024) {
    memory = BackwardMemory(capacity: capacity)
  }

  /// The offset of the object that was written last, which is also the number of bytes written.
  var count: Int { memory.count }

  // MARK: Bytes

  /// Writes zeros, so that the next `size` bytes start aligned.
  func align(to alignment: Int, before size: Int = 0) {
    minimumAlignment = max(minimumAlignment, alignment)
    let padding = -(count + size) & (alignment - 1)
    if padding > 0 { memory.makeRoom(for: padding).initializeMemory(as: UInt8.self, repeating: 0, count: padding) }
  }

  func push(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    memory.makeRoom(for: bytes.count).copyMemory(from: source, byteCount: bytes.count)
  }

  func push(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { push($0) }
  }

  /// Writes a number of `size` bytes, aligned to its size.
  func push(_ bits: UInt64, size: Int) {
    align(to: size)
    let start = memory.makeRoom(for: size)
    withUnsafeBytes(of: bits.littleEndian) { bytes in
      for place in 0..<size { start.storeBytes(of: bytes[place], toByteOffset: place, as: UInt8.self) }
    }
  }

  /// Writes the distance to an offset.
  func push(distanceTo offset: Int, size: Int = 4) {
    align(to: size)
    push(UInt64(count - offset + size), size: size)
  }

  // MARK: Strings and vectors

  func string(_ bytes: [UInt8], isShared: Bool) -> Int {
    if isShared, let known = sharedStrings[bytes] { return known }
    let offset = bytes.withUnsafeBytes { string($0) }
    if isShared { sharedStrings[bytes] = offset }
    return offset
  }

  func string(_ bytes: UnsafeRawBufferPointer) -> Int {
    align(to: 4, before: bytes.count + 1)
    push(0, size: 1)
    push(bytes)
    push(UInt64(bytes.count), size: 4)
    return count
  }

  /// Aligns a vector of `count` elements, which are written next, the last one first.
  func startVector(count: Int, elementSize: Int, alignment: Int, isWide: Bool = false) {
    // As in C++, an empty vector is aligned for its length alone.
    guard count > 0 else { return }
    align(to: isWide ? 8 : 4, before: count * elementSize)
    align(to: alignment, before: count * elementSize)
  }

  func endVector(count: Int, isWide: Bool = false) -> Int {
    push(UInt64(count), size: isWide ? 8 : 4)
    return self.count
  }

  /// Writes a vector of bytes, aligned at its first one.
  func bytes(_ bytes: [UInt8], alignment: Int, isWide: Bool = false) -> Int {
    if !bytes.isEmpty { align(to: alignment, before: bytes.count) }
    startVector(count: bytes.count, elementSize: 1, alignment: 1, isWide: isWide)
    push(bytes)
    return endVector(count: bytes.count, isWide: isWide)
  }

  // MARK: Tables

  /// Records that the value written last is the field with a slot.
  func track(slot: Int) { fields.append((slot, count)) }

  /// Ends the table whose fields were written since the builder's `count` was `start`.
  /// - Returns: the table's offset; nil if it has more bytes than a vtable can describe.
  func endTable(_ start: Int) -> Int? {
    push(0, size: 4)
    let table = count
    let size = table - start
    guard size <= Int(UInt16.max) else { return nil }
    let length = fields.reduce(4) { max($0, $1.slot + 2) }
    vtable.removeAll(keepingCapacity: true)
    vtable.append(contentsOf: repeatElement(0, count: length))
    set(length, at: 0)
    set(size, at: 2)
    for field in fields { set(table - field.offset, at: field.slot) }
    fields.removeAll(keepingCapacity: true)
    // The distance from the table back to its vtable. It is larger the nearer the vtable is to the front.
    memory.replaceNumber(at: table, with: UInt32(bitPattern: Int32(truncatingIfNeeded: vtableOffset() - table)))
    return table
  }

  private func set(_ value: Int, at slot: Int) {
    vtable[slot] = UInt8(truncatingIfNeeded: value)
    vtable[slot + 1] = UInt8(truncatingIfNeeded: value >> 8)
  }

  /// Returns the offset of a vtable equal to the one just made. Writes it if there is none.
  private func vtableOffset() -> Int {
    let hash = vtable.hashValue
    if let known = vtables[hash],
      vtable.withUnsafeBytes({ memory.bytes(at: known, count: min(known, $0.count)).elementsEqual($0) })
    {
      return known
    }
    push(vtable)
    vtables[hash] = count
    return count
  }

  // MARK: Reading back

  /// Returns a number that was written at an offset.
  func number(at offset: Int, size: Int) -> UInt64 {
    memory.bytes(at: offset, count: size).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns the bytes of a string that was written at an offset. They are valid until the next write.
  func string(at offset: Int) -> UnsafeRawBufferPointer {
    memory.bytes(at: offset - 4, count: Int(number(at: offset, size: 4)))
  }

  /// Returns `count` bytes that were written, from the one at an offset on. They are valid until the next write.
  func bytes(at offset: Int, count: Int) -> UnsafeRawBufferPointer {
    memory.bytes(at: offset, count: count)
  }

  /// Returns the offset of the field with a slot in the table that was written at an offset; nil if the field is
  /// absent.
  func field(_ slot: Int, ofTableAt table: Int) -> Int? {
    let vtable = table + Int(Int32(truncatingIfNeeded: number(at: table, size: 4)))
    guard slot + 2 <= Int(number(at: vtable, size: 2)) else { return nil }
    let distance = Int(number(at: vtable - slot, size: 2))
    return distance == 0 ? nil : table - distance
  }

  /// Ends the buffer, with a table as its root. Nothing can be written afterwards.
  /// - Returns: the finished buffer.
  func finish(_ root: Int, identifier: String?, sizePrefixed: Bool) -> EncodedFlatBuffer {
    align(to: max(4, minimumAlignment), before: (sizePrefixed ? 4 : 0) + 4 + (identifier == nil ? 0 : 4))
    if let identifier { push(Array(identifier.utf8)) }
    push(distanceTo: root)
    if sizePrefixed { push(UInt64(count), size: 4) }
    return EncodedFlatBuffer(memory)
  }
}

/// A memory that is filled from its end to its front.
final class BackwardMemory {
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  /// The number of bytes written.
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = max(capacity, 64)
    start = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { start.deallocate() }

  /// Adds `size` bytes at the front, which the caller then fills.
  /// - Returns: the address of the first of these bytes.
  func makeRoom(for size: Int) -> UnsafeMutableRawPointer {
    if capacity - count < size {
      let larger = max(2 * capacity, count + size)
      let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
      (moved + larger - count).copyMemory(from: start + capacity - count, byteCount: count)
      start.deallocate()
      (start, capacity) = (moved, larger)
    }
    count += size
    return start + capacity - count
  }

  /// Returns `count` bytes that were written, from `offset` bytes before the end on.
  func bytes(at offset: Int, count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start + capacity - offset, count: count)
  }

  func replaceNumber(at offset: Int, with number: UInt32) {
    (start + capacity - offset).storeBytes(of: number.littleEndian, as: UInt32.self)
  }
}

/// A FlatBuffer that was made from JSON, in its encoder's memory.
public struct EncodedFlatBuffer {
  private let memory: BackwardMemory

  init(_ memory: BackwardMemory) { self.memory = memory }

  /// The size of the FlatBuffer in bytes.
  public var count: Int { memory.count }

  /// Calls `body` with the bytes, which are valid until it returns.
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(memory.bytes(at: memory.count, count: memory.count))
  }

  /// A copy of the bytes.
  public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}
