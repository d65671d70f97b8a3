/// A value that is written as a FlatBuffers struct: its fields at fixed places in a fixed number of bytes.
public protocol FlatBufferStructWritable {
  /// The bytes that the struct takes, padding at its end included: at least 1.
  static var byteSize: Int { get }

  /// What the struct's position in a buffer is a multiple of: a power of two.
  static var byteAlignment: Int { get }

  /// Writes the fields. What is not written is zero.
  func write(to writer: inout FlatBufferStructWriter)
}

/// The bytes of a struct that is being written.
public struct FlatBufferStructWriter: ~Copyable {
  @usableFromInline let bytes: UnsafeMutableRawPointer
  @usableFromInline let count: Int
  /// What did not fit, and so was not written as a whole.
  @usableFromInline var mistake: FlatBufferError?

  /// Sets the `count` bytes to zero.
  @inlinable
  init(_ bytes: UnsafeMutableRawPointer, count: Int) {
    self.bytes = bytes
    self.count = count
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: count)
  }

  @inlinable @inline(__always)
  func require(_ offset: Int, size: Int) {
    precondition(offset >= 0 && size <= count && offset <= count &- size, "The field is outside its struct.")
  }

  /// Writes a scalar `offset` bytes from the struct's start.
  @inlinable
  public mutating func set<T: FlatBufferScalar>(_ value: T, at offset: Int) {
    require(offset, size: MemoryLayout<T.Bits>.size)
    (bytes + offset).storeBytes(of: value.flatBufferBits.littleEndian, as: T.Bits.self)
  }

  /// Writes a struct `offset` bytes from this one's start.
  @inlinable
  public mutating func set<Structure: FlatBufferStructWritable>(_ structure: Structure, at offset: Int) {
    require(offset, size: Structure.byteSize)
    var writer = FlatBufferStructWriter(bytes + offset, count: Structure.byteSize)
    structure.write(to: &writer)
    if let mistake = writer.mistake { note(mistake) }
  }

  // MARK: Fixed arrays

  /// Writes a fixed array of `count` scalars `offset` bytes from the struct's start. Those that `values` lacks are zero; if
  /// it has too many, what the struct is written to fails with ``FlatBufferError/arrayTooLong(count:limit:)``.
  @inlinable
  public mutating func set<T: FlatBufferScalar>(_ values: [T], at offset: Int, count: Int) {
    guard fits(values.count, in: count) else { return }
    for (index, value) in values.enumerated() { set(value, at: offset + MemoryLayout<T.Bits>.size * index) }
  }

  /// The same for a fixed array of enum values.
  @inlinable
  public mutating func set<T: FlatBufferEnumValue>(_ values: [T], at offset: Int, count: Int) {
    guard fits(values.count, in: count) else { return }
    for (index, value) in values.enumerated() {
      set(value.rawValue, at: offset + MemoryLayout<T.RawValue.Bits>.size * index)
    }
  }

  /// The same for a fixed array of structs.
  @inlinable
  public mutating func set<Structure: FlatBufferStructWritable>(_ structures: [Structure], at offset: Int, count: Int) {
    guard fits(structures.count, in: count) else { return }
    for (index, structure) in structures.enumerated() { set(structure, at: offset + Structure.byteSize * index) }
  }

  @inlinable
  mutating func fits(_ count: Int, in limit: Int) -> Bool {
    if count <= limit { return true }
    note(.arrayTooLong(count: count, limit: limit))
    return false
  }

  @usableFromInline
  mutating func note(_ mistake: FlatBufferError) {
    if self.mistake == nil { self.mistake = mistake }
  }
}
