// Objects with 64-bit offsets: `(offset64)` strings and vectors, and `(vector64)` vectors, whose length has 64 bits, too.
//
// FlatBuffers places them behind all others, so that the distances between those still fit 32 bits. A buffer is written
// from its end, and so they are written first. The builder checks this. Its own limit of 2 GiB holds for the whole buffer:
// it writes the layout, but not the sizes for which the layout was made.

/// The offset of a string or vector that is written for an `(offset64)` field, counted from the end of the builder's
/// buffer.
///
/// It is valid only for the builder that returned it, and only until that builder is cleared.
public struct Offset64: Hashable, Sendable {
  /// The distance in bytes from the end of the buffer; 0 for ``null``.
  public var rawValue: UInt64

  /// Creates an offset from a distance in bytes from the end of the buffer.
  @inlinable
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The offset that refers to no object: a field to which it is added stays absent.
  @inlinable
  public static var null: Offset64 { Offset64(rawValue: 0) }

  /// Whether this is ``null``.
  @inlinable
  public var isNull: Bool { rawValue == 0 }
}

/// The offset of a vector that is written for a `(vector64)` field, counted from the end of the builder's buffer.
///
/// It is a type of its own, because a reader of such a field expects a length of 64 bits: with an ``Offset64``, which
/// refers to a length of 32 bits, it would read elements as part of the length.
public struct Vector64Offset: Hashable, Sendable {
  /// The distance in bytes from the end of the buffer; 0 for ``null``.
  public var rawValue: UInt64

  /// Creates an offset from a distance in bytes from the end of the buffer.
  @inlinable
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The offset that refers to no vector: a field to which it is added stays absent.
  @inlinable
  public static var null: Vector64Offset { Vector64Offset(rawValue: 0) }

  /// Whether this is ``null``.
  @inlinable
  public var isNull: Bool { rawValue == 0 }
}

extension FlatBufferBuilder {
  /// Stops the program unless only objects with 64-bit offsets have been written so far.
  @usableFromInline
  func require64BitRegion() {
    requireIdle()
    // After an error, `count` is the capacity. Nothing is written then, and `finish` will throw.
    precondition(
      count == count64 || state.pointee.failure != nil,
      "Strings and vectors with 64-bit offsets are written before all other strings, vectors and tables.")
  }

  /// Adds the object at `offset`, written last, to the 64-bit region.
  @usableFromInline
  mutating func end64BitObject(_ offset: Offset) -> Offset64 {
    count64 = count
    return Offset64(rawValue: UInt64(offset.rawValue))
  }

  // MARK: Objects of `(offset64)` fields

  /// Writes a string for an `(offset64)` field.
  public mutating func createOffset64(_ string: String) -> Offset64 {
    require64BitRegion()
    let offset = create(string)
    return end64BitObject(offset)
  }

  /// Writes a string for an `(offset64)` field; returns ``Offset64/null`` if it is nil.
  public mutating func createOffset64(_ string: String?) -> Offset64 {
    guard let string else { return .null }
    return createOffset64(string)
  }

  /// Writes a string of the given bytes for an `(offset64)` field. They should be UTF-8, which is not checked.
  public mutating func createOffset64(utf8 bytes: UnsafeRawBufferPointer) -> Offset64 {
    require64BitRegion()
    let offset = create(utf8: bytes)
    return end64BitObject(offset)
  }

  /// Writes a vector of scalars for an `(offset64)` field.
  ///
  /// - Parameters:
  ///   - values: the elements.
  ///   - alignment: as that of `create(vector:alignment:)`.
  @inlinable
  public mutating func createOffset64<T: FlatBufferScalar>(vector values: [T], alignment: Int = 1) -> Offset64 {
    require64BitRegion()
    let offset = create(vector: values, alignment: alignment)
    return end64BitObject(offset)
  }

  /// Writes a vector of bytes for an `(offset64)` field. A nested FlatBuffer needs an `alignment` of at least 8.
  public mutating func createOffset64(bytes: UnsafeRawBufferPointer, alignment: Int = 1) -> Offset64 {
    require64BitRegion()
    let offset = create(bytes: bytes, alignment: alignment)
    return end64BitObject(offset)
  }

  /// Writes a vector of structs for an `(offset64)` field.
  ///
  /// - Parameters:
  ///   - structures: the elements.
  ///   - alignment: as that of `create(vector:alignment:)`.
  @inlinable
  public mutating func createOffset64<Structure: FlatBufferStructWritable>(
    vector structures: [Structure], alignment: Int = 1
  ) -> Offset64 {
    require64BitRegion()
    let offset = create(vector: structures, alignment: alignment)
    return end64BitObject(offset)
  }

  /// Writes a finished FlatBuffer as a vector of bytes for an `(offset64)` field.
  ///
  /// - Parameters:
  ///   - buffer: the finished FlatBuffer.
  ///   - alignment: as that of ``create(nested:alignment:)``.
  public mutating func createOffset64(nested buffer: ByteBuffer, alignment: Int = 8) -> Offset64 {
    buffer.withUnsafeBytes { bytes in createOffset64(bytes: bytes, alignment: alignment) }
  }

  // MARK: Vectors of `(vector64)` fields

  /// Reserves `count` elements of `stride` bytes, which start at a multiple of 8 or of `alignment`. Returns false if the
  /// buffer would become too large, or writing has failed before.
  @inlinable
  mutating func startVector64(count: Int, stride: Int, alignment: Int) -> Bool {
    require64BitRegion()
    let (bytes, overflow) = count.multipliedReportingOverflow(by: stride)
    guard !overflow, bytes < sizeLimit else {
      fail(.builderTooLarge(limit: sizeLimit))
      return false
    }
    return reserve(bytes, alignment: count == 0 ? 8 : max(8, alignment))
  }

  /// Writes the length of 64 bits in front of the elements, and returns the vector's offset.
  @inlinable
  mutating func endVector64(count: Int) -> Vector64Offset {
    guard reserve(8, alignment: 8) else { return dropped64 }
    push(UInt64(truncatingIfNeeded: count))
    return Vector64Offset(rawValue: end64BitObject(currentOffset).rawValue)
  }

  /// The offset of a vector that was not written because an error occurred.
  @inlinable
  var dropped64: Vector64Offset { Vector64Offset(rawValue: UInt64(dropped.rawValue)) }

  /// Writes a vector of scalars for a `(vector64)` field.
  ///
  /// - Parameters:
  ///   - values: the elements.
  ///   - alignment: as that of `create(vector:alignment:)`.
  @inlinable
  public mutating func createVector64<T: FlatBufferScalar>(_ values: [T], alignment: Int = 1) -> Vector64Offset {
    let stride = MemoryLayout<T.Bits>.size
    guard startVector64(count: values.count, stride: stride, alignment: max(stride, alignment)) else {
      return dropped64
    }
    push(elements: values)
    return endVector64(count: values.count)
  }

  /// Writes a vector of bytes for a `(vector64)` field. A nested FlatBuffer of structs with a `force_align` above 8 needs
  /// their `alignment`.
  public mutating func createVector64(bytes: UnsafeRawBufferPointer, alignment: Int = 1) -> Vector64Offset {
    guard startVector64(count: bytes.count, stride: 1, alignment: alignment) else { return dropped64 }
    if let start = bytes.baseAddress { push(start, count: bytes.count) }
    return endVector64(count: bytes.count)
  }

  /// Writes a vector of structs for a `(vector64)` field.
  ///
  /// - Parameters:
  ///   - structures: the elements.
  ///   - alignment: as that of `create(vector:alignment:)`.
  @inlinable
  public mutating func createVector64<Structure: FlatBufferStructWritable>(
    _ structures: [Structure], alignment: Int = 1
  ) -> Vector64Offset {
    let alignment = max(Structure.byteAlignment, alignment)
    guard startVector64(count: structures.count, stride: Structure.byteSize, alignment: alignment) else {
      return dropped64
    }
    for structure in structures.reversed() { push(structure) }
    return endVector64(count: structures.count)
  }

  /// Writes a finished FlatBuffer as a vector of bytes for a `(vector64)` field.
  ///
  /// - Parameters:
  ///   - buffer: the finished FlatBuffer.
  ///   - alignment: as that of ``create(nested:alignment:)``.
  public mutating func createVector64(nested buffer: ByteBuffer, alignment: Int = 8) -> Vector64Offset {
    buffer.withUnsafeBytes { bytes in createVector64(bytes: bytes, alignment: alignment) }
  }

  // MARK: Tables

  /// Adds a reference of 64 bits to the object at `offset` to the table, unless that is ``Offset64/null``.
  @inlinable
  public mutating func add(_ offset: Offset64, at slot: VTableOffset) {
    add(distance64To: offset.rawValue, at: slot)
  }

  /// Adds a reference of 64 bits to the vector at `offset` to the table, unless that is ``Vector64Offset/null``.
  @inlinable
  public mutating func add(_ offset: Vector64Offset, at slot: VTableOffset) {
    add(distance64To: offset.rawValue, at: slot)
  }

  @usableFromInline
  mutating func add(distance64To offset: UInt64, at slot: VTableOffset) {
    guard offset != 0, reserve(8, alignment: 8) else { return }
    precondition(
      offset <= UInt64(count64) || state.pointee.failure != nil,
      "The offset does not come from this builder, or from before it was cleared.")
    push(UInt64(truncatingIfNeeded: count) &- offset &+ 8)
    track(slot)
  }
}
