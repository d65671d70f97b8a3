/// An immutable range of bytes, together with the object that owns them.
///
/// ```swift
/// let bytes: [UInt8] = buffer.withUnsafeBytes { Array($0) }
/// let monster = try MonsterReader(verifying: ByteBuffer(bytes))
/// ```
///
/// Copying a `ByteBuffer` copies no bytes. Several threads may read it at once.
///
/// See also: ``FlatBufferTableView``, ``EditableFlatBuffer``, Documentation/flatbuffers.md.
@frozen
public struct ByteBuffer: @unchecked Sendable {
  // Unchecked because of the pointer: the bytes never change while a buffer refers to them. `owner` frees them and is
  // immutable; without an owner, the caller of `init(unsafeBorrowing:)` guarantees both.

  /// The memory of owned bytes: the elements are the bytes, the header is unused.
  @usableFromInline typealias Storage = ManagedBuffer<Int, UInt8>

  @usableFromInline let base: UnsafeRawPointer
  @usableFromInline let owner: Storage?
  /// The number of bytes.
  public let count: Int

  @inlinable
  init(base: UnsafeRawPointer, owner: Storage?, count: Int) {
    self.base = base
    self.owner = owner
    self.count = count
  }

  /// Holds a copy of `bytes`.
  public init(_ bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { ByteBuffer(copying: $0) }
  }

  /// Holds a copy of `bytes`.
  public init(copying bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else {
      self = .empty
      return
    }
    let storage = Storage.create(minimumCapacity: bytes.count) { _ in bytes.count }
    // The elements are tail-allocated at a fixed offset in the object, so the pointer is valid while `storage` lives.
    let base = storage.withUnsafeMutablePointerToElements { elements in
      UnsafeMutableRawPointer(elements).copyMemory(from: source, byteCount: bytes.count)
      return UnsafeRawPointer(elements)
    }
    self.init(base: base, owner: storage, count: bytes.count)
  }

  /// Refers to `bytes` without copying them.
  ///
  /// The caller guarantees that the bytes stay allocated and unchanged while this buffer, or a table, struct or vector
  /// read from it, is in use. Strings and arrays read from it are copies and may outlive the bytes.
  ///
  /// ```swift
  /// let hp = buffer.withUnsafeBytes { bytes in MonsterReader(ByteBuffer(unsafeBorrowing: bytes))?.hp }
  /// ```
  @inlinable
  public init(unsafeBorrowing bytes: UnsafeRawBufferPointer) {
    self.init(base: bytes.baseAddress ?? ByteBuffer.emptyAddress, owner: nil, count: bytes.count)
  }

  /// A buffer of no bytes.
  @inlinable
  public static var empty: ByteBuffer { ByteBuffer(base: emptyAddress, owner: nil, count: 0) }

  /// The base address of a buffer without bytes. Nothing is ever read from it.
  @inlinable
  static var emptyAddress: UnsafeRawPointer {
    // Not nil: the bit pattern is not 0.
    UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
  }

  /// Calls `body` with the bytes. The pointer is valid until `body` returns.
  @inlinable
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = try body(UnsafeRawBufferPointer(start: base, count: count))
    withExtendedLifetime(owner) {}
    return result
  }

  /// Returns the bytes in `range`, without a copy; nil if `range` exceeds the buffer.
  @inlinable
  public func slice(_ range: Range<Int>) -> ByteBuffer? {
    guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
    return ByteBuffer(base: base + range.lowerBound, owner: owner, count: range.count)
  }

  /// Returns whether the FlatBuffer in these bytes has the file identifier `identifier`, which is four bytes of UTF-8.
  ///
  /// ```swift
  /// guard buffer.hasFileIdentifier("MONS") else { return print("no file of monsters") }
  /// ```
  public func hasFileIdentifier(_ identifier: String, sizePrefixed: Bool = false) -> Bool {
    let start = sizePrefixed ? 8 : 4
    guard count >= start + 4, identifier.utf8.count == 4 else { return false }
    return withUnsafeBytes { bytes in bytes[start..<start + 4].elementsEqual(identifier.utf8) }
  }
}
