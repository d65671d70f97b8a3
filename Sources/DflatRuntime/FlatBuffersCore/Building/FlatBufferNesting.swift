extension FlatBufferTable {
  /// Returns the root table of the FlatBuffer that is nested in the field at `slot`, a vector of bytes; nil if there is none.
  @inlinable
  public func nestedRoot<View: FlatBufferTableView>(_: View.Type = View.self, at slot: VTableOffset) -> View? {
    guard let buffer = nestedBuffer(at: slot) else { return nil }
    return View(root: buffer)
  }
}

extension FlatBufferBuilder {
  /// Writes a finished FlatBuffer as a vector of bytes, to be nested in a table.
  ///
  /// - Parameters:
  ///   - buffer: the finished FlatBuffer.
  ///   - alignment: the alignment of its first byte, a power of two: 8 suffices for every scalar; only structs with a
  ///     larger `force_align` need more.
  public mutating func create(nested buffer: ByteBuffer, alignment: Int = 8) -> Offset {
    buffer.withUnsafeBytes { bytes in create(bytes: bytes, alignment: alignment) }
  }

  /// Writes the FlatBuffer that another builder has finished as a vector of bytes, to be nested in a table. The bytes
  /// get the largest alignment of their content, at least 8.
  public mutating func create(nested builder: borrowing FlatBufferBuilder) -> Offset {
    let alignment = max(8, builder.minimumAlignment)
    return builder.withFinishedBytes { bytes in create(bytes: bytes, alignment: alignment) }
  }
}
