import FBSSchema

/// Bytes that are read at positions that may be anything: what exceeds them reads as zero. All positions are in bytes from the
/// start.
struct WireBytes {
  private let storage: [UInt8]
  /// Where these bytes stand in those of the outermost buffer.
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

  /// Whether so many bytes at a position are inside.
  func contains(_ position: Int, _ size: Int) -> Bool {
    position >= 0 && size >= 0 && size <= count && position <= count - size
  }

  /// A number of one to eight bytes, as they stand.
  func load<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type, at position: Int) -> T {
    guard contains(position, MemoryLayout<T>.size) else { return 0 }
    return storage.withUnsafeBytes { bytes in
      T(littleEndian: bytes.loadUnaligned(fromByteOffset: origin + position, as: T.self))
    }
  }

  /// A number of a type, as `NumberBits` has it.
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

  /// Some of the bytes. Nothing if they are not all inside.
  func bytes(at position: Int, count: Int) -> ArraySlice<UInt8>? {
    guard contains(position, count) else { return nil }
    return storage[(origin + position)..<(origin + position + count)]
  }

  /// Some of the bytes, as a buffer of their own.
  func slice(at position: Int, count: Int) -> WireBytes? {
    guard contains(position, count) else { return nil }
    return WireBytes(storage, origin: origin + position, count: count)
  }

  /// The length of a string or vector, and where it starts.
  func elements(at position: Int, isWide: Bool = false) -> (start: Int, count: Int) {
    isWide
      ? (position + 8, Int(clamping: load(UInt64.self, at: position)))
      : (position + 4, Int(load(UInt32.self, at: position)))
  }

  /// Where the offset at a position leads.
  func target(at position: Int, isWide: Bool = false) -> Int {
    let offset = isWide ? load(UInt64.self, at: position) : UInt64(load(UInt32.self, at: position))
    return position + Int(clamping: min(offset, UInt64(Int32.max) * 2))
  }

  /// Where the field of a slot stands in a table. Nothing if it is absent.
  func field(_ slot: Int, ofTableAt table: Int) -> Int? {
    let vtable = table - Int(load(Int32.self, at: table))
    guard slot + 2 <= Int(load(UInt16.self, at: vtable)) else { return nil }
    let offset = Int(load(UInt16.self, at: vtable + slot))
    return offset == 0 ? nil : table + offset
  }
}
