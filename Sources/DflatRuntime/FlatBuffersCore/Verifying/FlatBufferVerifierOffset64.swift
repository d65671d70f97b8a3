// Fields with 64-bit offsets: `(offset64)` strings and vectors, and `(vector64)` vectors, whose length has 64 bits, too.

extension FlatBufferVerifier {
  /// Checks the 64-bit offset in the field at `slot` and returns its target, which is inside the buffer; nil if the field
  /// is absent.
  mutating func checkedTarget64(
    at slot: VTableOffset, in table: Table, required: Bool
  ) throws(FlatBufferError) -> Int? {
    guard let position = try field(at: slot, in: table, required: required) else { return nil }
    try check(position, count: 8, alignment: 8)
    let offset = window.load(UInt64.self, at: position)
    // Compared as an unsigned number of 64 bits: what is C++'s limit, a positive signed number, is far above.
    guard offset != 0, offset < UInt64(window.size) &- UInt64(truncatingIfNeeded: position) else {
      throw .invalidOffset(position: position)
    }
    return position &+ Int(truncatingIfNeeded: offset)
  }

  /// Checks the 64-bit length of the vector at `position`, and that its elements are inside the buffer. Returns their
  /// start position and number.
  mutating func elements64(at position: Int, stride: Int) throws(FlatBufferError) -> (start: Int, count: Int) {
    try check(position, count: 8, alignment: 8)
    let length = window.load(UInt64.self, at: position)
    guard stride > 0, length < UInt64(FlatBufferWindow.maximumCount / stride) else {
      throw .vectorTooLong(position: position)
    }
    // The guard above keeps the product below 2 GiB, but adding 8 may exceed 32 bits: hence 64.
    let bytes = Int64(length) &* Int64(stride) &+ 8
    guard bytes < Int64(window.size), Int64(position) <= Int64(window.size) &- bytes else {
      throw .outOfBounds(position: position, count: Int(clamping: bytes))
    }
    return (position &+ 8, Int(truncatingIfNeeded: length))
  }

  mutating func elements(
    stride: Int, in table: Table, offset64At slot: VTableOffset, required: Bool
  ) throws(FlatBufferError) -> (start: Int, count: Int)? {
    guard let position = try checkedTarget64(at: slot, in: table, required: required) else { return nil }
    return try elements(at: position, stride: stride)
  }

  mutating func elements(
    stride: Int, in table: Table, vector64At slot: VTableOffset, required: Bool
  ) throws(FlatBufferError) -> (start: Int, count: Int)? {
    guard let position = try checkedTarget64(at: slot, in: table, required: required) else { return nil }
    return try elements64(at: position, stride: stride)
  }

  /// Verifies the `(offset64)` string in the field at `slot`, if present.
  public mutating func string(
    in table: Table, offset64At slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    guard let position = try checkedTarget64(at: slot, in: table, required: required) else { return }
    try checkString(at: position)
  }

  /// Verifies the `(offset64)` vector in the field at `slot`, if present. Its elements have `stride` bytes and hold no
  /// offsets.
  public mutating func vector(
    stride: Int, in table: Table, offset64At slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    _ = try elements(stride: stride, in: table, offset64At: slot, required: required)
  }

  /// Verifies the `(vector64)` vector in the field at `slot`, if present. Its elements have `stride` bytes and hold no
  /// offsets.
  public mutating func vector(
    stride: Int, in table: Table, vector64At slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    _ = try elements(stride: stride, in: table, vector64At: slot, required: required)
  }

  /// Verifies the `(offset64)` vector of scalars in the field at `slot`, if present.
  @inlinable
  public mutating func vector<T: FlatBufferScalar>(
    of _: T.Type, in table: Table, offset64At slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    try vector(stride: T.vectorStride, in: table, offset64At: slot, required: required)
  }

  /// Verifies the `(vector64)` vector of scalars in the field at `slot`, if present.
  @inlinable
  public mutating func vector<T: FlatBufferScalar>(
    of _: T.Type, in table: Table, vector64At slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    try vector(stride: T.vectorStride, in: table, vector64At: slot, required: required)
  }

  /// Verifies the `(offset64)` vector of structs in the field at `slot`, if present.
  @inlinable
  public mutating func vector<View: FlatBufferStructView>(
    of _: View.Type, in table: Table, offset64At slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    try vector(stride: View.byteSize, in: table, offset64At: slot, required: required)
  }

  /// Verifies the `(vector64)` vector of structs in the field at `slot`, if present.
  @inlinable
  public mutating func vector<View: FlatBufferStructView>(
    of _: View.Type, in table: Table, vector64At slot: VTableOffset, required: Bool = false
  ) throws(FlatBufferError) {
    try vector(stride: View.byteSize, in: table, vector64At: slot, required: required)
  }

  /// Verifies the FlatBuffer with the root table `View` that is nested in the field at `slot`, an `(offset64)` vector of
  /// bytes, as ``nestedBuffer(of:in:at:fileIdentifier:required:)`` does.
  public mutating func nestedBuffer<View: FlatBufferTableView>(
    of view: View.Type, in table: Table, offset64At slot: VTableOffset, fileIdentifier: String? = nil,
    required: Bool = false
  ) throws(FlatBufferError) {
    let range = try elements(stride: 1, in: table, offset64At: slot, required: required)
    guard let (start, count) = range else { return }
    try nestedBuffer(of: view, at: start, count: count, fileIdentifier: fileIdentifier)
  }

  /// Verifies the FlatBuffer with the root table `View` that is nested in the field at `slot`, a `(vector64)` vector of
  /// bytes, as ``nestedBuffer(of:in:at:fileIdentifier:required:)`` does.
  public mutating func nestedBuffer<View: FlatBufferTableView>(
    of view: View.Type, in table: Table, vector64At slot: VTableOffset, fileIdentifier: String? = nil,
    required: Bool = false
  ) throws(FlatBufferError) {
    let range = try elements(stride: 1, in: table, vector64At: slot, required: required)
    guard let (start, count) = range else { return }
    try nestedBuffer(of: view, at: start, count: count, fileIdentifier: fileIdentifier)
  }
}
