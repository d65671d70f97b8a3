/// The bytes of a FlatBuffer whose numbers can be changed where they stand.
///
/// Readers see bytes that never change, so that they may be used from any thread. What changes has an owner of its own:
/// this one holds a copy, belongs to one thread at a time (it is not `Sendable`, nor is any editor of it), and gives the
/// changed bytes as ``buffer``. Only what is in the buffer already, and has a fixed size, can be changed: numbers, bools,
/// enums, and structs. Editors come from the generated code of the emitter `editors`.
///
/// Like readers, editors are safe on any bytes, verified or not: what is damaged reads as absent, and nothing outside of
/// the buffer is read or written.
public final class EditableFlatBuffer {
  private let memory: UnsafeMutableRawBufferPointer
  /// A view of `memory`, good as long as this object is.
  let window: FlatBufferWindow

  /// Holds a copy of `buffer`.
  ///
  /// - Throws: ``FlatBufferError/bufferTooLarge(count:limit:)``.
  public init(copying buffer: ByteBuffer) throws(FlatBufferError) {
    guard buffer.count <= FlatBufferWindow.maximumCount else {
      throw .bufferTooLarge(count: buffer.count, limit: FlatBufferWindow.maximumCount)
    }
    // Unsafe, as the memory is freed by hand: in `deinit`, and nothing that refers to it outlives this object, since
    // every editor holds it.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(buffer.count, 1), alignment: 16)
    buffer.withUnsafeBytes { memory.copyMemory(from: $0) }
    let bytes = ByteBuffer(unsafeBorrowing: UnsafeRawBufferPointer(memory))
    self.memory = memory
    window = FlatBufferWindow(base: bytes.base, owner: nil, size: UInt32(truncatingIfNeeded: buffer.count))
  }

  deinit {
    memory.deallocate()
  }

  /// A copy of the bytes as they are now.
  public var buffer: ByteBuffer {
    ByteBuffer(copying: UnsafeRawBufferPointer(UnsafeRawBufferPointer(memory).prefix(window.count).rebased))
  }

  /// Writes a scalar at `position`. Outside of the bytes, nothing is written, and the result is false.
  func store<T: FlatBufferScalar>(_ value: T, at position: Int) -> Bool {
    guard window.contains(position, count: MemoryLayout<T.Bits>.size) else { return false }
    memory.storeBytes(of: value.flatBufferBits.littleEndian, toByteOffset: position, as: T.Bits.self)
    return true
  }

  /// Writes a struct at `position`. Outside of the bytes, nothing is written.
  func store<Value: FlatBufferStructWritable>(_ value: Value, at position: Int) {
    guard window.contains(position, count: Value.byteSize), let start = memory.baseAddress else { return }
    var writer = FlatBufferStructWriter(start + position, count: Value.byteSize)
    value.write(to: &writer)
    precondition(writer.mistake == nil, "A fixed array was given more elements than it has.")
  }

  /// The scalar at `position`; zero outside of the bytes.
  func load<T: FlatBufferScalar>(_: T.Type, at position: Int) -> T {
    guard window.contains(position, count: MemoryLayout<T.Bits>.size) else { return T(flatBufferBits: 0) }
    return window.scalar(at: position)
  }

  /// How far `bytes`, which are inside, are from the first byte.
  func position(of bytes: UnsafeRawBufferPointer) -> Int {
    guard let start = bytes.baseAddress, let base = memory.baseAddress else { return 0 }
    return start - UnsafeRawPointer(base)
  }
}

extension Slice where Base == UnsafeRawBufferPointer {
  /// The same bytes, counted from 0.
  fileprivate var rebased: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self) }
}
