/// The state that a builder keeps besides its bytes and the table being written.
struct BuilderState: ~Copyable {
  /// The first error, which `finish` throws. After `fail(_:)`, the builder's `space` is 0 and nothing more is written; its
  /// `count` then equals its `capacity`, so that every offset returned before still passes the check in
  /// `push(distanceTo:)`.
  var failure: FlatBufferError?
  /// The number of objects being written, each nested in the one before; see ``FlatBufferBuilder/descend()``.
  var depth = 0

  /// The offsets of the first vtables written; those of later ones are in `vtableIndex`. See `comparedVTableCount`.
  var vtables = NumberList(capacity: 16)
  var vtableIndex = OffsetIndex()
  var sharedStrings = OffsetIndex()

  /// The offsets gathered by ``FlatBufferBuilder/append(_:)`` for vectors that have not been written yet.
  var pendingOffsets = NumberList(capacity: 16)
  /// The index in `pendingOffsets` of the offset that ``FlatBufferBuilder/takeOffset64()`` returns next; nil outside of the
  /// two passes.
  var next64BitOffset: Int?

  /// Discards everything, and keeps the memory.
  mutating func clear() {
    failure = nil
    depth = 0
    vtables.truncate(to: 0)
    vtableIndex.removeAll()
    sharedStrings.removeAll()
    pendingOffsets.truncate(to: 0)
    next64BitOffset = nil
  }
}
