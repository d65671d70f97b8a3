// What begins and ends the work with a FlatBuffer: from bytes to a root table, and from a root table to bytes.

extension FlatBufferTableView {
  /// The root table of the FlatBuffer in `buffer`, without checking more than that it can be there; nil when it cannot.
  ///
  /// This is safe on any bytes: what is damaged reads as absent. Bytes that others wrote are better read with
  /// ``init(verifying:sizePrefixed:options:)``, which says that they are damaged.
  @inlinable @inline(__always)
  public init?(_ buffer: ByteBuffer, sizePrefixed: Bool = false) {
    self.init(root: buffer, sizePrefixed: sizePrefixed)
  }

  /// The root table of the FlatBuffer in `buffer`, after checking all of it, and that it bears the schema's file
  /// identifier if there is one.
  ///
  /// - Parameter sizePrefixed: whether the FlatBuffer stands behind its size, in four bytes.
  /// - Throws: the first mistake found.
  @inlinable
  public init(
    verifying buffer: ByteBuffer, sizePrefixed: Bool = false,
    options: FlatBufferVerifier.Options = FlatBufferVerifier.Options()
  ) throws(FlatBufferError) {
    try buffer.verify(
      as: Self.self, fileIdentifier: Self.fileIdentifier, sizePrefixed: sizePrefixed, options: options)
    guard let table = FlatBufferTable(rootOf: buffer, sizePrefixed: sizePrefixed) else {
      throw .invalidOffset(position: sizePrefixed ? 4 : 0)
    }
    self.init(table)
  }

  /// Whether `buffer` bears the schema's file identifier; false when the schema has none.
  @inlinable
  public static func hasIdentifier(_ buffer: ByteBuffer, sizePrefixed: Bool = false) -> Bool {
    guard let fileIdentifier else { return false }
    return buffer.hasFileIdentifier(fileIdentifier, sizePrefixed: sizePrefixed)
  }

  /// A FlatBuffer with the table that `write` writes as its root, and with the schema's file identifier if there is one.
  ///
  /// - Parameter sizePrefixed: whether the buffer's size, in four bytes, stands before it.
  /// - Throws: ``FlatBufferError/builderTooLarge(limit:)`` or ``FlatBufferError/tableTooLarge``.
  public static func buffer(
    sizePrefixed: Bool = false, forceDefaults: Bool = false, _ write: (inout FlatBufferBuilder) -> Offset
  ) throws(FlatBufferError) -> ByteBuffer {
    var builder = FlatBufferBuilder(forceDefaults: forceDefaults)
    let root = write(&builder)
    try builder.finish(root, as: Self.self, sizePrefixed: sizePrefixed)
    return builder.finishedBuffer()
  }
}

extension FlatBufferBuilder {
  /// Ends the buffer, whose root table is `root`, a `View`, with the schema's file identifier if there is one.
  ///
  /// - Parameter sizePrefixed: whether the buffer's size, in four bytes, stands before it.
  /// - Throws: ``FlatBufferError/builderTooLarge(limit:)`` or ``FlatBufferError/tableTooLarge`` when something could
  ///   not be written. The builder can be cleared and used again.
  @inlinable
  public mutating func finish<View: FlatBufferTableView>(
    _ root: Offset, as _: View.Type, sizePrefixed: Bool = false
  ) throws(FlatBufferError) {
    try finish(root, fileIdentifier: View.fileIdentifier, sizePrefixed: sizePrefixed)
  }
}
