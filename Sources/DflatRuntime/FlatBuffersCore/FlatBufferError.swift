/// Why bytes are not a FlatBuffer of the expected type, or why one could not be built.
///
/// Positions are in bytes from the start of the buffer.
public enum FlatBufferError: Error, Hashable, Sendable {
  /// The buffer is too short to be a FlatBuffer at all.
  case bufferTooSmall(count: Int)
  /// The buffer is larger than `limit` bytes.
  case bufferTooLarge(count: Int, limit: Int)
  /// Something at `position` takes `count` bytes, and so reaches beyond the buffer.
  case outOfBounds(position: Int, count: Int)
  /// Something at `position` ought to stand at a multiple of `alignment`.
  case misaligned(position: Int, alignment: Int)
  /// The offset at `position` is zero, or leads out of the buffer.
  case invalidOffset(position: Int)
  /// The vtable of the table at `position` is outside the buffer or has an odd size.
  case invalidVTable(position: Int)
  /// The table at `position` lacks the required field of `slot`.
  case missingRequiredField(slot: VTableOffset, position: Int)
  /// The string at `position` does not end with a zero byte.
  case unterminatedString(position: Int)
  /// The vector at `position` says that it has more elements than any buffer could hold.
  case vectorTooLong(position: Int)
  /// The vectors of type codes and of members of the union vector near `position` do not match.
  case mismatchedUnionVector(position: Int)
  /// The table at `position` is nested deeper than `limit`.
  case tooDeep(position: Int, limit: Int)
  /// The table at `position` would be visited after `limit` others.
  case tooManyTables(position: Int, limit: Int)
  /// The file identifier at `position` is another than the expected one.
  case wrongFileIdentifier(position: Int)
  /// The size prefix says `stated` bytes, and `actual` follow it.
  case wrongSizePrefix(stated: Int, actual: Int)
  /// The buffer being built would be larger than `limit` bytes.
  case builderTooLarge(limit: Int)
  /// A table being built would hold more than 65,535 bytes inline: the farthest that a vtable can point to.
  case tableTooLarge
  /// A struct being written was given `count` elements for a fixed array of `limit`.
  case arrayTooLong(count: Int, limit: Int)

  /// The byte position of the mistake; nil when it concerns the buffer as a whole.
  public var position: Int? {
    switch self {
    case .outOfBounds(let position, _), .misaligned(let position, _), .invalidOffset(let position),
      .invalidVTable(let position), .missingRequiredField(_, let position), .unterminatedString(let position),
      .vectorTooLong(let position), .mismatchedUnionVector(let position), .tooDeep(let position, _),
      .tooManyTables(let position, _), .wrongFileIdentifier(let position):
      return position
    case .bufferTooSmall, .bufferTooLarge, .wrongSizePrefix, .builderTooLarge, .tableTooLarge, .arrayTooLong:
      return nil
    }
  }
}

extension FlatBufferError: CustomStringConvertible {
  /// The mistake in a sentence, for people.
  public var description: String {
    switch self {
    case .bufferTooSmall(let count):
      "\(count) bytes are too few for a FlatBuffer."
    case .bufferTooLarge(let count, let limit):
      "The buffer has \(count) bytes; at most \(limit) are accepted."
    case .outOfBounds(let position, let count):
      "The \(count) bytes at position \(position) are not all inside the buffer."
    case .misaligned(let position, let alignment):
      "Position \(position) is not a multiple of \(alignment)."
    case .invalidOffset(let position):
      "The offset at position \(position) is zero or leads out of the buffer."
    case .invalidVTable(let position):
      "The table at position \(position) has a vtable that is outside the buffer or of odd size."
    case .missingRequiredField(let slot, let position):
      "The table at position \(position) lacks its required field \((Int(slot) - 4) / 2)."
    case .unterminatedString(let position):
      "The string at position \(position) does not end with a zero byte."
    case .vectorTooLong(let position):
      "The vector at position \(position) has more elements than a buffer can hold."
    case .mismatchedUnionVector(let position):
      "The type codes and the members of the union vector in the table at position \(position) do not match."
    case .tooDeep(let position, let limit):
      "The table at position \(position) is nested more than \(limit) deep."
    case .tooManyTables(let position, let limit):
      "The buffer refers to more than \(limit) tables; the one at position \(position) is one too many."
    case .wrongFileIdentifier(let position):
      "The file identifier at position \(position) is not the expected one."
    case .wrongSizePrefix(let stated, let actual):
      "The size prefix says \(stated) bytes, but \(actual) follow it."
    case .builderTooLarge(let limit):
      "The buffer being built would be larger than \(limit) bytes."
    case .tableTooLarge:
      "A table holds more than 65535 bytes inline."
    case .arrayTooLong(let count, let limit):
      "A fixed array of \(limit) elements was given \(count)."
    }
  }
}
