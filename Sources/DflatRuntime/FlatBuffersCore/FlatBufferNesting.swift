extension FlatBufferTable {
  /// The root of the FlatBuffer that is nested in the field of `slot`, a vector of bytes; nil when there is none.
  @inlinable
  public func nestedRoot<View: FlatBufferTableView>(_: View.Type = View.self, at slot: VTableOffset) -> View? {
    guard let buffer = nestedBuffer(at: slot) else { return nil }
    return View(root: buffer)
  }
}

extension FlatBufferBuilder {
  /// Writes a finished FlatBuffer as a vector of bytes, to be nested in a table.
  ///
  /// - Parameter alignment: what the position of its first byte is to be a multiple of: 8 suits every scalar, and more is
  ///   needed only for structs with a larger `force_align`.
  public mutating func create(nested buffer: ByteBuffer, alignment: Int = 8) -> Offset {
    buffer.withUnsafeBytes { bytes in create(bytes: bytes, alignment: alignment) }
  }

  /// Writes the FlatBuffer that another builder has finished as a vector of bytes, to be nested in a table. It is aligned
  /// as its content needs.
  public mutating func create(nested builder: borrowing FlatBufferBuilder) -> Offset {
    let alignment = max(8, builder.minimumAlignment)
    return builder.withFinishedBytes { bytes in create(bytes: bytes, alignment: alignment) }
  }
}
