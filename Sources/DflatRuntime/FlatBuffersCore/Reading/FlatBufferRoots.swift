// Typed entry points: from bytes to a root table, and from a root table to bytes.

extension FlatBufferTableView {
  /// Wraps the root table of the FlatBuffer in `buffer`; nil if that table or its vtable is outside the buffer. Nothing
  /// else is verified.
  ///
  /// This is safe on any bytes: damaged parts read as absent. To learn of damage, read untrusted bytes with
  /// ``init(verifying:sizePrefixed:options:)``.
  @inlinable
  public init?(_ buffer: ByteBuffer, sizePrefixed: Bool = false) {
    self.init(root: buffer, sizePrefixed: sizePrefixed)
  }

  /// Wraps the root table of the FlatBuffer in `buffer` after verifying the whole buffer, and its file identifier if
  /// the schema has one.
  ///
  /// ```swift
  /// let monster = try MonsterReader(verifying: buffer)
  /// ```
  ///
  /// - Parameters:
  ///   - buffer: the FlatBuffer.
  ///   - sizePrefixed: whether the FlatBuffer is preceded by its size in 4 bytes.
  ///   - options: the limits of the verifier.
  /// - Throws: the first error found.
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

  /// Returns whether `buffer` has the schema's file identifier; false if the schema has none.
  @inlinable
  public static func hasIdentifier(_ buffer: ByteBuffer, sizePrefixed: Bool = false) -> Bool {
    guard let fileIdentifier else { return false }
    return buffer.hasFileIdentifier(fileIdentifier, sizePrefixed: sizePrefixed)
  }

  /// Builds a FlatBuffer whose root is the table that `write` writes, with the schema's file identifier if it has one.
  ///
  /// ```swift
  /// let buffer = try MonsterReader.buffer { builder in
  ///   let name = builder.create("Orc")
  ///   return MonsterReader.create(in: &builder, name: name, hp: 80)
  /// }
  /// ```
  ///
  /// It makes a builder for each call. To write many buffers, keep a ``FlatBufferBuilder``, and clear it.
  ///
  /// - Parameters:
  ///   - sizePrefixed: whether the buffer is preceded by its size in 4 bytes.
  ///   - forceDefaults: whether scalars are written even if they equal their default.
  ///   - write: writes the root table and returns its offset.
  /// - Throws: as ``FlatBufferBuilder/finish(_:fileIdentifier:sizePrefixed:)``.
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
  /// Ends the buffer and makes `root`, a table of type `View`, its root table. Writes the schema's file identifier if
  /// it has one.
  ///
  /// - Parameters:
  ///   - root: the root table.
  ///   - view: the type of the root table.
  ///   - sizePrefixed: whether the buffer is preceded by its size in 4 bytes.
  /// - Throws: as ``finish(_:fileIdentifier:sizePrefixed:)``.
  @inlinable
  public mutating func finish<View: FlatBufferTableView>(
    _ root: Offset, as view: View.Type, sizePrefixed: Bool = false
  ) throws(FlatBufferError) {
    try finish(root, fileIdentifier: View.fileIdentifier, sizePrefixed: sizePrefixed)
  }
}
