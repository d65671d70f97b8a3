/// A mutable copy of a FlatBuffer whose fixed-size values can be overwritten in place.
///
/// ```swift
/// let bytes = try EditableFlatBuffer(copying: buffer)
/// if let monster = MonsterEditor(root: bytes), monster.mutate(hp: 99) { print(bytes.buffer.count) }
/// ```
///
/// Readers share immutable bytes and may be used on any thread. This class holds a copy of its own and belongs to one
/// thread at a time: neither it nor any editor of it is `Sendable`. ``buffer`` returns the changed bytes. Only values
/// of fixed size that the buffer already holds can be changed: numbers, bools, enums and structs. The emitter `editors`
/// generates the editors.
///
/// Like readers, editors are safe on any bytes, verified or not: damaged parts read as absent, and nothing outside the
/// buffer is read or written.
///
/// To change strings or vectors, or to add fields, build a new buffer.
///
/// See also: ``FlatBufferTableEditorView``, Documentation/flatbuffers.md (Changing in place).
public final class EditableFlatBuffer {
  private let memory: UnsafeMutableRawBufferPointer
  /// A view of `memory`, valid while this object lives.
  let window: FlatBufferWindow

  /// Holds a copy of `buffer`.
  ///
  /// - Throws: ``FlatBufferError/bufferTooLarge(count:limit:)``.
  public init(copying buffer: ByteBuffer) throws(FlatBufferError) {
    guard buffer.count <= FlatBufferWindow.maximumCount else {
      throw .bufferTooLarge(count: buffer.count, limit: FlatBufferWindow.maximumCount)
    }
    // The memory is freed in `deinit`. Nothing refers to it after that, because every editor retains this object.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(buffer.count, 1), alignment: 16)
    buffer.withUnsafeBytes { memory.copyMemory(from: $0) }
    let bytes = ByteBuffer(unsafeBorrowing: UnsafeRawBufferPointer(memory))
    self.memory = memory
    window = FlatBufferWindow(base: bytes.base, owner: nil, size: UInt32(truncatingIfNeeded: buffer.count))
  }

  deinit {
    memory.deallocate()
  }

  /// A copy of the bytes as they are now, made at each call.
  public var buffer: ByteBuffer {
    ByteBuffer(copying: UnsafeRawBufferPointer(UnsafeRawBufferPointer(memory).prefix(window.count).rebased))
  }

  /// Writes a scalar at `position`. Returns false and writes nothing if it would exceed the buffer.
  func store<T: FlatBufferScalar>(_ value: T, at position: Int) -> Bool {
    guard window.contains(position, count: MemoryLayout<T.Bits>.size) else { return false }
    memory.storeBytes(of: value.flatBufferBits.littleEndian, toByteOffset: position, as: T.Bits.self)
    return true
  }

  /// Writes a struct at `position`. Writes nothing if it would exceed the buffer. Stops the program if a fixed array of
  /// `value` has more elements than the schema allows.
  func store<Value: FlatBufferStructWritable>(_ value: Value, at position: Int) {
    guard window.contains(position, count: Value.byteSize), let start = memory.baseAddress else { return }
    var writer = FlatBufferStructWriter(start + position, count: Value.byteSize)
    value.write(to: &writer)
    precondition(writer.error == nil, "A fixed array was given more elements than it has.")
  }

  /// Returns the scalar at `position`; zero if it exceeds the buffer.
  func load<T: FlatBufferScalar>(_: T.Type, at position: Int) -> T {
    guard window.contains(position, count: MemoryLayout<T.Bits>.size) else { return T(flatBufferBits: 0) }
    return window.scalar(at: position)
  }

  /// Returns the position of `bytes`, which lie inside the buffer, in bytes from its start.
  func position(of bytes: UnsafeRawBufferPointer) -> Int {
    guard let start = bytes.baseAddress, let base = memory.baseAddress else { return 0 }
    return start - UnsafeRawPointer(base)
  }
}

extension Slice where Base == UnsafeRawBufferPointer {
  /// The bytes of the slice, with indices that start at 0.
  fileprivate var rebased: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self) }
}
