/// Why bytes are not a FlatBuffer of the expected type, or why one could not be built.
///
/// ```swift
/// do {
///   let monster = try MonsterReader(verifying: buffer)
///   print(monster.hp)
/// } catch FlatBufferError.wrongFileIdentifier {
///   print("a file of another type")
/// } catch {
///   print("damaged: \(error)")
/// }
/// ```
///
/// Positions are offsets in bytes from the start of the buffer.
///
/// See also: ``FlatBufferVerifier``, ``FlatBufferBuilder``, Documentation/flatbuffers.md (Reading).
public enum FlatBufferError: Error, Hashable, Sendable {
  /// A buffer of `count` bytes is too short for any FlatBuffer.
  case bufferTooSmall(count: Int)
  /// The buffer has `count` bytes, more than `limit`.
  case bufferTooLarge(count: Int, limit: Int)
  /// The `count` bytes at `position` exceed the buffer.
  case outOfBounds(position: Int, count: Int)
  /// The value at `position` must be aligned to `alignment` bytes.
  case misaligned(position: Int, alignment: Int)
  /// The offset at `position` is zero or points outside the buffer.
  case invalidOffset(position: Int)
  /// The vtable of the table at `position` is outside the buffer or has an odd size.
  case invalidVTable(position: Int)
  /// The table at `position` lacks the required field at `slot`.
  case missingRequiredField(slot: VTableOffset, position: Int)
  /// The string at `position` does not end with a zero byte.
  case unterminatedString(position: Int)
  /// The length of the vector at `position` is larger than any buffer can hold.
  case vectorTooLong(position: Int)
  /// The vectors of type codes and of members of a union vector differ in length, or one of them is absent. `position`
  /// is that of their table.
  case mismatchedUnionVector(position: Int)
  /// The table at `position` is nested deeper than `limit`.
  case tooDeep(position: Int, limit: Int)
  /// The table at `position` is visited after `limit` others, the maximum. Or a vector at `position` has too many
  /// elements for that limit; see ``FlatBufferVerifier/Options/maximumTableCount``.
  case tooManyTables(position: Int, limit: Int)
  /// The file identifier at `position` is not the expected one.
  case wrongFileIdentifier(position: Int)
  /// The size prefix states `stated` bytes, but `actual` bytes follow it.
  case wrongSizePrefix(stated: Int, actual: Int)
  /// The buffer being built would be larger than `limit` bytes.
  case builderTooLarge(limit: Int)
  /// A table being built would hold more than 65,535 bytes inline. The entries of a vtable have 16 bits.
  case tableTooLarge
  /// A fixed array of `limit` elements in a struct being written was given `count` elements.
  case arrayTooLong(count: Int, limit: Int)
  // Indirect for the benchmark row "verify": with two texts in place, the error would not fit into the registers that
  // errors are thrown in.
  /// A field of the data model was given a value that its type in the schema cannot hold: `reason` describes the value
  /// and says why.
  indirect case unstorableValue(field: String, reason: String)

  /// The position of the error; nil if it concerns the buffer as a whole.
  public var position: Int? {
    switch self {
    case .outOfBounds(let position, _), .misaligned(let position, _), .invalidOffset(let position),
      .invalidVTable(let position), .missingRequiredField(_, let position), .unterminatedString(let position),
      .vectorTooLong(let position), .mismatchedUnionVector(let position), .tooDeep(let position, _),
      .tooManyTables(let position, _), .wrongFileIdentifier(let position):
      return position
    case .bufferTooSmall, .bufferTooLarge, .wrongSizePrefix, .builderTooLarge, .tableTooLarge, .arrayTooLong,
      .unstorableValue:
      return nil
    }
  }
}

extension FlatBufferError: CustomStringConvertible {
  /// The error as an English sentence.
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
      "The buffer refers to more than \(limit) tables, or 100 times as many elements, at position \(position)."
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
    case .unstorableValue(let field, let reason):
      "The field \(field) cannot hold what it was given: \(reason)."
    }
  }
}
