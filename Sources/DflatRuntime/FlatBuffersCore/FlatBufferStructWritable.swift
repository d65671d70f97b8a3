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
  }
}
