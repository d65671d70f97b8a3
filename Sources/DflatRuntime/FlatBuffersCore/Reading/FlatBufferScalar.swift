/// A value of fixed size that a FlatBuffer stores inline: a `Bool`, an integer of 8 to 64 bits, a `Float` or a
/// `Double`.
public protocol FlatBufferScalar: FlatBufferVectorElement, Sendable {
  /// The integer type that represents the value in a buffer, in little-endian byte order.
  associatedtype Bits: FixedWidthInteger & BitwiseCopyable & Sendable

  /// Creates the value that `bits` represent. Every bit pattern represents a value.
  init(flatBufferBits bits: Bits)

  /// The bits that represent the value in a buffer.
  var flatBufferBits: Bits { get }

  /// Whether values have the same representation in a buffer as in this machine's memory, for all bit patterns: vectors
  /// of them are then copied at once. Return true only for a type without references that is as large as its ``Bits``.
  static var isBitwiseInFlatBuffers: Bool { get }
}

extension FlatBufferScalar {
  /// False, which is right for every type: values are then converted one by one.
  @inlinable
  public static var isBitwiseInFlatBuffers: Bool { false }

  /// Whether the memory of an array of these values may be written as it stands.
  @inlinable
  static var isWrittenAsInMemory: Bool {
    // A `Bool` in memory is 0 or 1, which is what a buffer holds for it.
    (isBitwiseInFlatBuffers || Self.self == Bool.self) && MemoryLayout<Self>.stride == MemoryLayout<Bits>.size
  }

  /// The size of a value in bytes.
  @inlinable
  public static var vectorStride: Int { MemoryLayout<Bits>.size }

  // Inlined for the benchmark row "read every field, strings by their bytes": each element of a vector of scalars is
  // read here.
  /// Returns the value at `position`, which must be inside `window`.
  @inlinable @inline(__always)
  public static func vectorElement(in window: FlatBufferWindow, at position: Int) -> Self {
    window.scalar(at: position)
  }
}

extension FlatBufferVector where Element: FlatBufferScalar {
  /// All values as an array. They are copied at once if they have the same representation in memory and are aligned.
  @inlinable
  public var array: [Element] {
    withUnsafeBytes { bytes in
      guard Element.isBitwiseInFlatBuffers, MemoryLayout<Element>.stride == Element.vectorStride,
        let start = bytes.baseAddress,
        Int(bitPattern: start) % MemoryLayout<Element>.alignment == 0
      else { return Array(self) }
      return bytes.withMemoryRebound(to: Element.self) { Array($0) }
    }
  }
}

/// Returns whether this machine's memory has integers of `Bits` as a buffer has them.
@inlinable
func hasLayoutOfFlatBuffers<Bits: FixedWidthInteger>(_: Bits.Type) -> Bool {
  #if _endian(little)
    true
  #else
    MemoryLayout<Bits>.size == 1
  #endif
}

extension FlatBufferScalar where Self: FixedWidthInteger & BitwiseCopyable, Bits == Self {
  /// The integer itself.
  @inlinable
  public init(flatBufferBits bits: Self) {
    self = bits
  }

  /// The integer itself.
  @inlinable
  public var flatBufferBits: Self { self }

  /// True where integers of more than a byte are little-endian in memory.
  @inlinable
  public static var isBitwiseInFlatBuffers: Bool { hasLayoutOfFlatBuffers(Bits.self) }
}

extension Int8: FlatBufferScalar {}
extension Int16: FlatBufferScalar {}
extension Int32: FlatBufferScalar {}
extension Int64: FlatBufferScalar {}
extension UInt8: FlatBufferScalar {}
extension UInt16: FlatBufferScalar {}
extension UInt32: FlatBufferScalar {}
extension UInt64: FlatBufferScalar {}

extension Float: FlatBufferScalar {
  /// The value with the IEEE 754 representation `bits`.
  @inlinable
  public init(flatBufferBits bits: UInt32) {
    self.init(bitPattern: bits)
  }

  /// The value's IEEE 754 representation.
  @inlinable
  public var flatBufferBits: UInt32 { bitPattern }

  /// True where integers of more than a byte are little-endian in memory.
  @inlinable
  public static var isBitwiseInFlatBuffers: Bool { hasLayoutOfFlatBuffers(Bits.self) }
}

extension Double: FlatBufferScalar {
  /// The value with the IEEE 754 representation `bits`.
  @inlinable
  public init(flatBufferBits bits: UInt64) {
    self.init(bitPattern: bits)
  }

  /// The value's IEEE 754 representation.
  @inlinable
  public var flatBufferBits: UInt64 { bitPattern }

  /// True where integers of more than a byte are little-endian in memory.
  @inlinable
  public static var isBitwiseInFlatBuffers: Bool { hasLayoutOfFlatBuffers(Bits.self) }
}

extension Bool: FlatBufferScalar {
  /// False for 0, true for every other byte.
  @inlinable
  public init(flatBufferBits bits: UInt8) {
    self = bits != 0
  }

  /// 1 for true, 0 for false.
  @inlinable
  public var flatBufferBits: UInt8 { self ? 1 : 0 }

  /// False: in memory, a `Bool` is 0 or 1, but in a buffer any byte is valid.
  @inlinable
  public static var isBitwiseInFlatBuffers: Bool { false }
}
