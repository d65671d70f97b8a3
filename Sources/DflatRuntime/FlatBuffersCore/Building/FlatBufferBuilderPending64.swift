/// The offsets of objects with 64-bit offsets between the two passes in which the data model is written.
///
/// These objects are written before all others, also those that belong to tables deep inside the object being written. So
/// the data model is written in two passes, which visit the same objects in the same order: the first writes the objects
/// with 64-bit offsets and keeps their offsets here, the second writes everything else and takes the offsets back.
extension FlatBufferBuilder {
  /// Starts the first pass.
  ///
  /// - Returns: a mark for ``end64BitObjects(_:)``; nil if an enclosing object has started the passes.
  public mutating func start64BitObjects() -> Int? {
    guard state.pointee.next64BitOffset == nil else { return nil }
    requireIdle()
    state.pointee.next64BitOffset = state.pointee.pendingOffsets.count
    return state.pointee.pendingOffsets.count
  }

  /// Ends the second pass, which has written everything without a 64-bit offset. Discards the offsets that the first
  /// pass kept. `mark` is the result of ``start64BitObjects()``.
  public mutating func end64BitObjects(_ mark: Int) {
    state.pointee.pendingOffsets.truncate(to: mark)
    state.pointee.next64BitOffset = nil
  }

  /// Keeps the offset of an object that the first pass has written, or of one that is absent, for the second.
  public mutating func keep(_ offset: Offset64) {
    state.pointee.pendingOffsets.append(UInt32(truncatingIfNeeded: offset.rawValue))
  }

  /// Keeps the offset of a vector that the first pass has written, or of one that is absent, for the second.
  public mutating func keep(_ offset: Vector64Offset) {
    state.pointee.pendingOffsets.append(UInt32(truncatingIfNeeded: offset.rawValue))
  }

  /// Returns the next of the offsets that the first pass has kept.
  public mutating func takeOffset64() -> Offset64 { Offset64(rawValue: takePending64()) }

  /// Returns the next of the offsets that the first pass has kept.
  public mutating func takeVector64() -> Vector64Offset { Vector64Offset(rawValue: takePending64()) }

  private mutating func takePending64() -> UInt64 {
    // After an error, the first pass may have left objects out.
    guard state.pointee.failure == nil else { return UInt64(dropped.rawValue) }
    guard let index = state.pointee.next64BitOffset, index < state.pointee.pendingOffsets.count else {
      stop("The two passes visit the same objects in the same order.", file: #fileID, line: #line)
    }
    state.pointee.next64BitOffset = index + 1
    return UInt64(state.pointee.pendingOffsets.numbers[index])
  }
}
