/// A value that is written as a FlatBuffers struct: fields at fixed offsets in a fixed number of bytes.
public protocol FlatBufferStructWritable: NonisolatedByDefault {
  /// The size of the struct in bytes, including trailing padding: at least 1.
  static var byteSize: Int { get }

  /// The alignment of the struct in bytes: a power of two.
  static var byteAlignment: Int { get }

  /// Writes the fields. Bytes that are not written are zero.
  func write(to writer: inout FlatBufferStructWriter)
}

/// Writes the fields of one struct into its bytes.
public struct FlatBufferStructWriter: ~Copyable {
  @usableFromInline let bytes: UnsafeMutableRawPointer
  @usableFromInline let count: Int
  /// The first error: a fixed array was given too many elements, none of which was written.
  @usableFromInline var error: FlatBufferError?

  /// Creates a writer for the `count` bytes at `bytes`, and sets them to zero.
  @inlinable
  init(_ bytes: UnsafeMutableRawPointer, count: Int) {
    self.bytes = bytes
    self.count = count
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: count)
  }

  // Inlined for the benchmark row "build, builder reused": each field of a struct passes here.
  @inlinable @inline(__always)
  func require(_ offset: Int, size: Int) {
    precondition(offset >= 0 && size <= count && offset <= count &- size, "The field is outside its struct.")
  }

  /// Writes a scalar at `offset`, in bytes from the struct's start.
  @inlinable
  public mutating func set<T: FlatBufferScalar>(_ value: T, at offset: Int) {
    require(offset, size: MemoryLayout<T.Bits>.size)
    (bytes + offset).storeBytes(of: value.flatBufferBits.littleEndian, as: T.Bits.self)
  }

  /// Writes a nested struct at `offset`, in bytes from this struct's start.
  @inlinable
  public mutating func set<Structure: FlatBufferStructWritable>(_ structure: Structure, at offset: Int) {
    require(offset, size: Structure.byteSize)
    var writer = FlatBufferStructWriter(bytes + offset, count: Structure.byteSize)
    structure.write(to: &writer)
    if let error = writer.error { note(error) }
  }

  // MARK: Fixed arrays

  /// Writes a fixed array of `count` scalars at `offset`, in bytes from the struct's start. Missing elements are zero.
  /// If `values` has more than `count`, none is written, and the builder's `finish` throws
  /// ``FlatBufferError/arrayTooLong(count:limit:)``.
  @inlinable
  public mutating func set<T: FlatBufferScalar>(_ values: [T], at offset: Int, count: Int) {
    guard checkCount(values.count, limit: count) else { return }
    for (index, value) in values.enumerated() { set(value, at: offset + MemoryLayout<T.Bits>.size * index) }
  }

  /// Writes a fixed array of `count` enum values at `offset`, in bytes from the struct's start, as the overload for
  /// scalars does: missing elements are zero, and too many are an error.
  @inlinable
  public mutating func set<T: FlatBufferEnumValue>(_ values: [T], at offset: Int, count: Int) {
    guard checkCount(values.count, limit: count) else { return }
    for (index, value) in values.enumerated() {
      set(value.rawValue, at: offset + MemoryLayout<T.RawValue.Bits>.size * index)
    }
  }

  /// Writes a fixed array of `count` structs at `offset`, in bytes from the struct's start, as the overload for scalars
  /// does: missing elements are zero, and too many are an error.
  @inlinable
  public mutating func set<Structure: FlatBufferStructWritable>(_ structures: [Structure], at offset: Int, count: Int) {
    guard checkCount(structures.count, limit: count) else { return }
    for (index, structure) in structures.enumerated() { set(structure, at: offset + Structure.byteSize * index) }
  }

  /// Returns whether `count` elements fit into a fixed array of `limit`, and records an error if they do not.
  @inlinable
  mutating func checkCount(_ count: Int, limit: Int) -> Bool {
    if count <= limit { return true }
    note(.arrayTooLong(count: count, limit: limit))
    return false
  }

  @usableFromInline
  mutating func note(_ error: FlatBufferError) {
    if self.error == nil { self.error = error }
  }
}
