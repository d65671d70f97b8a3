/// Bytes that do not change, with what keeps them alive.
///
/// Copying a `ByteBuffer` copies no bytes. It may be read from several threads at once.
@frozen
public struct ByteBuffer: @unchecked Sendable {
  // Unchecked because of the pointer: nobody writes to the bytes while a buffer refers to them. `owner` frees them
  // and is immutable; where there is none, the caller of `init(unsafeBorrowing:)` has promised that.

  /// Owned bytes: the header is not used, the elements are the bytes.
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
    // The elements stand at a fixed place inside the object, so the pointer is good for as long as `storage` lives.
    let base = storage.withUnsafeMutablePointerToElements { elements in
      UnsafeMutableRawPointer(elements).copyMemory(from: source, byteCount: bytes.count)
      return UnsafeRawPointer(elements)
    }
    self.init(base: base, owner: storage, count: bytes.count)
  }

  /// Refers to `bytes` without a copy.
  ///
  /// The caller guarantees that the bytes stay where they are, unchanged, for as long as this buffer or anything
  /// read from it (tables, structs, vectors) is in use. Strings and arrays read from it are copies, and may stay.
  @inlinable
  public init(unsafeBorrowing bytes: UnsafeRawBufferPointer) {
    self.init(base: bytes.baseAddress ?? ByteBuffer.nowhere, owner: nil, count: bytes.count)
  }

  /// No bytes.
  @inlinable
  public static var empty: ByteBuffer { ByteBuffer(base: nowhere, owner: nil, count: 0) }

  /// Stands for the address of no bytes, and is never read.
  @inlinable
  static var nowhere: UnsafeRawPointer {
    // An address other than zero is never nil, so there is nothing to check.
    UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
  }

  /// Calls `body` with the bytes, which are valid until it returns.
  @inlinable
  public func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = try body(UnsafeRawBufferPointer(start: base, count: count))
    withExtendedLifetime(owner) {}
    return result
  }

  /// The part of this buffer in `range`, without a copy; nil when `range` is not all inside.
  @inlinable
  public func slice(_ range: Range<Int>) -> ByteBuffer? {
    guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
    return ByteBuffer(base: base + range.lowerBound, owner: owner, count: range.count)
  }

  /// Whether the FlatBuffer in these bytes bears the file identifier `identifier`, which is four bytes of UTF-8.
  public func hasFileIdentifier(_ identifier: String, sizePrefixed: Bool = false) -> Bool {
    let start = sizePrefixed ? 8 : 4
    guard count >= start + 4, identifier.utf8.count == 4 else { return false }
    return withUnsafeBytes { bytes in bytes[start..<start + 4].elementsEqual(identifier.utf8) }
  }
}
