extension FlatBufferVerifier {
  /// Checks the whole buffer, whose root table is a `View`.
  public mutating func root<View: FlatBufferTableView>(
    of _: View.Type, fileIdentifier: String?, sizePrefixed: Bool
  ) throws(FlatBufferError) {
    let start = try checkHeader(fileIdentifier: fileIdentifier, sizePrefixed: sizePrefixed)
    try View.verify(&self, at: checkedTarget(ofOffsetAt: start))
  }

  /// Checks what stands before the root table, and returns where the offset to that one stands.
  @usableFromInline
  mutating func checkHeader(fileIdentifier: String?, sizePrefixed: Bool) throws(FlatBufferError) -> Int {
    // An offset to the root, the root's offset to its vtable, the vtable's size.
    guard window.count >= 10 else { throw .bufferTooSmall(count: window.count) }
    let start = sizePrefixed ? 4 : 0
    if sizePrefixed {
      let stated = Int(clamping: window.load(UInt32.self, at: 0))
      guard stated == window.count - 4 else { throw .wrongSizePrefix(stated: stated, actual: window.count - 4) }
    }
    if let fileIdentifier {
      guard window.buffer.hasFileIdentifier(fileIdentifier, sizePrefixed: sizePrefixed) else {
        throw .wrongFileIdentifier(position: start + 4)
      }
    }
    return start
  }
}

extension ByteBuffer {
  /// Checks that these bytes are a FlatBuffer whose root table is a `View`. Every accessor can then read it.
  ///
  /// - Parameters:
  ///   - fileIdentifier: the identifier that the buffer must bear; nil when any, or none, will do.
  ///   - sizePrefixed: whether the FlatBuffer stands behind its size, in four bytes.
  /// - Throws: the first mistake found.
  @inlinable
  public func verify<View: FlatBufferTableView>(
    as _: View.Type, fileIdentifier: String? = nil, sizePrefixed: Bool = false,
    options: FlatBufferVerifier.Options = FlatBufferVerifier.Options()
  ) throws(FlatBufferError) {
    var verifier = try FlatBufferVerifier(self, options: options)
    try verifier.root(of: View.self, fileIdentifier: fileIdentifier, sizePrefixed: sizePrefixed)
  }

  /// Whether these bytes are a FlatBuffer whose root table is a `View`: whether ``verify(as:fileIdentifier:sizePrefixed:options:)``
  /// finds no mistake.
  @inlinable
  public func isValid<View: FlatBufferTableView>(
    as _: View.Type, fileIdentifier: String? = nil, sizePrefixed: Bool = false,
    options: FlatBufferVerifier.Options = FlatBufferVerifier.Options()
  ) -> Bool {
    do throws(FlatBufferError) {
      try verify(as: View.self, fileIdentifier: fileIdentifier, sizePrefixed: sizePrefixed, options: options)
      return true
    } catch {
      return false
    }
  }
}
