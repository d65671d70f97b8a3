extension FlatBufferVerifier {
  /// Verifies the whole buffer, whose root table is a `View`.
  public mutating func root<View: FlatBufferTableView>(
    of _: View.Type, fileIdentifier: String?, sizePrefixed: Bool
  ) throws(FlatBufferError) {
    let start = try checkHeader(fileIdentifier: fileIdentifier, sizePrefixed: sizePrefixed)
    try View.verify(&self, at: checkedTarget(ofOffsetAt: start))
  }

  /// Verifies the size prefix and the file identifier, and returns the position of the root offset.
  @usableFromInline
  mutating func checkHeader(fileIdentifier: String?, sizePrefixed: Bool) throws(FlatBufferError) -> Int {
    // 10 bytes: the root offset (4), the root table's offset to its vtable (4), the vtable's size (2).
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
  /// Verifies that these bytes are a FlatBuffer whose root table is a `View`. Every accessor can then read it.
  ///
  /// ```swift
  /// try buffer.verify(as: MonsterReader.self, fileIdentifier: "MONS")
  /// ```
  ///
  /// - Parameters:
  ///   - view: the type of the root table.
  ///   - fileIdentifier: the file identifier that the buffer must have; nil accepts any, or none.
  ///   - sizePrefixed: whether the FlatBuffer is preceded by its size in 4 bytes.
  ///   - options: the limits of the verifier.
  /// - Throws: the first error found.
  @inlinable
  public func verify<View: FlatBufferTableView>(
    as view: View.Type, fileIdentifier: String? = nil, sizePrefixed: Bool = false,
    options: FlatBufferVerifier.Options = FlatBufferVerifier.Options()
  ) throws(FlatBufferError) {
    var verifier = try FlatBufferVerifier(self, options: options)
    try verifier.root(of: View.self, fileIdentifier: fileIdentifier, sizePrefixed: sizePrefixed)
  }

  /// Returns whether ``verify(as:fileIdentifier:sizePrefixed:options:)`` accepts these bytes by its default options.
  ///
  /// Generated code calls it for each type. It passes the type on as a value, so that the verification itself is
  /// compiled once and not for each type.
  @inlinable
  public func isValid<View: FlatBufferTableView>(as view: View.Type) -> Bool {
    isValid(asAny: view)
  }

  // Not inlined, so that the compiler has less to do for each type of the data model: the benchmark row "100 tables,
  // structs and unions, with a store: swiftc -O, and data model".
  @usableFromInline @inline(never)
  func isValid(asAny view: any FlatBufferTableView.Type) -> Bool {
    isValid(as: view, fileIdentifier: nil)
  }

  /// Returns whether ``verify(as:fileIdentifier:sizePrefixed:options:)`` accepts these bytes.
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
