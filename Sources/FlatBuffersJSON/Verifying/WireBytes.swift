import FBSSchema

/// Bytes that can be read at any position. Beyond their end, numbers read as zero. All positions are in bytes from the
/// start.
struct WireBytes {
  private let storage: [UInt8]
  /// The position of these bytes in the outermost buffer.
  let origin: Int
  let count: Int

  init(_ bytes: [UInt8]) {
    storage = bytes
    origin = 0
    count = bytes.count
  }

  private init(_ storage: [UInt8], origin: Int, count: Int) {
    self.storage = storage
    self.origin = origin
    self.count = count
  }

  /// Returns whether a range of `size` bytes at a position is inside the bytes.
  func contains(_ position: Int, _ size: Int) -> Bool {
    position >= 0 && size >= 0 && size <= count && position <= count - size
  }

  /// Returns the little-endian number of one to eight bytes at a position; 0 if it is not inside the bytes.
  func load<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type, at position: Int) -> T {
    guard contains(position, MemoryLayout<T>.size) else { return 0 }
    return storage.withUnsafeBytes { bytes in
      T(littleEndian: bytes.loadUnaligned(fromByteOffset: origin + position, as: T.self))
    }
  }

  /// Returns the number of a type at a position, in the form of `NumberBits`; 0 if it is not inside the bytes.
  func number(_ type: ScalarType, at position: Int) -> UInt64 {
    switch type {
    case .bool, .uint8: UInt64(load(UInt8.self, at: position))
    case .int8: UInt64(bitPattern: Int64(load(Int8.self, at: position)))
    case .int16: UInt64(bitPattern: Int64(load(Int16.self, at: position)))
    case .uint16: UInt64(load(UInt16.self, at: position))
    case .int32: UInt64(bitPattern: Int64(load(Int32.self, at: position)))
    case .uint32, .float: UInt64(load(UInt32.self, at: position))
    case .int64, .uint64, .double: load(UInt64.self, at: position)
    }
  }

  /// Returns `count` bytes from a position on; nil if not all are there.
  func bytes(at position: Int, count: Int) -> ArraySlice<UInt8>? {
    guard contains(position, count) else { return nil }
    return storage[(origin + position)..<(origin + position + count)]
  }

  /// Returns `count` bytes from a position on as a buffer of its own; nil if not all are there.
  func slice(at position: Int, count: Int) -> WireBytes? {
    guard contains(position, count) else { return nil }
    return WireBytes(storage, origin: origin + position, count: count)
  }

  /// Returns the position of the first element of the string or vector at a position, and the number of elements.
  /// - Parameter isWide: whether the length has 64 bits.
  func elements(at position: Int, isWide: Bool = false) -> (start: Int, count: Int) {
    isWide
      ? (position + 8, Int(clamping: load(UInt64.self, at: position)))
      : (position + 4, Int(load(UInt32.self, at: position)))
  }

  /// Returns the target of the offset at a position.
  func target(at position: Int, isWide: Bool = false) -> Int {
    let offset = isWide ? load(UInt64.self, at: position) : UInt64(load(UInt32.self, at: position))
    return position + Int(clamping: min(offset, UInt64(Int32.max) * 2))
  }

  /// Returns the position of the field with a slot in a table; nil if the field is absent.
  func field(_ slot: Int, ofTableAt table: Int) -> Int? {
    let vtable = table - Int(load(Int32.self, at: table))
    guard slot + 2 <= Int(load(UInt16.self, at: vtable)) else { return nil }
    let offset = Int(load(UInt16.self, at: vtable + slot))
    return offset == 0 ? nil : table + offset
  }
}
