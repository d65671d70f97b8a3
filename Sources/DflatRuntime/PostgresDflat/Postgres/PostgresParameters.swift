import CPostgres
import Dflat

/// The parameters of a statement, in PostgreSQL's binary form: numbers in network byte order.
/// https://www.postgresql.org/docs/current/protocol-overview.html#PROTOCOL-FORMAT-CODES
struct PostgresParameters {
  /// The types of parameters, by their OIDs in the catalog `pg_type`.
  enum PostgresType: UInt32 {
    case bytea = 17
    case int8 = 20
    case text = 25
    case float8 = 701
    case bytes = 1001
    case textArray = 1009
    case int8Array = 1016
    case float8Array = 1022
    case numeric = 1700
  }

  /// The header before the bytes of a value.
  private struct Header {
    let type: UInt32
    /// The format as libpq encodes it: 1 for binary, 0 for text.
    let format: Int32
    /// The number of bytes of the value; -1 for NULL.
    var length: Int32

    static var size: Int { MemoryLayout<Header>.size }
  }

  /// All values, each between its header and a NUL, so that a statement's parameters take one allocation.
  private var memory: [UInt8] = []
  private(set) var count = 0
  /// The number of bytes of all values.
  private(set) var byteCount = 0

  init() {}

  mutating func append(_ value: Int64) {
    append(.int8, size: 8) { $0.append(bigEndian: value) }
  }

  mutating func append(_ value: Double) {
    append(.float8, size: 8) { $0.append(bigEndian: Int64(bitPattern: value.bitPattern)) }
  }

  mutating func append(bytes: UnsafeRawBufferPointer) {
    append(.bytea, size: bytes.count) { $0.append(contentsOf: bytes) }
  }

  mutating func append(text: String) {
    append(.text, size: text.utf8.count) { $0.append(contentsOf: text.utf8) }
  }

  /// Appends a number as text, which the server parses.
  mutating func append(numeric value: String) {
    append(.numeric, isText: true, size: value.utf8.count) { $0.append(contentsOf: value.utf8) }
  }

  mutating func appendNull(_ type: PostgresType) {
    append(Header(type: type.rawValue, format: 1, length: -1), size: 0) { _ in }
  }

  mutating func append(_ array: PostgresArray) {
    append(array.type, size: array.size) { array.append(to: &$0) }
  }

  private mutating func append(
    _ type: PostgresType, isText: Bool = false, size: Int, _ write: (inout [UInt8]) -> Void
  ) {
    // `PostgresConnection.check(byteCount:for:)` refuses values that are too long for the header.
    let length = Int32(clamping: size)
    append(Header(type: type.rawValue, format: isText ? 0 : 1, length: length), size: size, write)
  }

  private mutating func append(_ header: Header, size: Int, _ write: (inout [UInt8]) -> Void) {
    // Room for the values of a small object, so that they, too, take one allocation.
    if count == 0 { memory.reserveCapacity(Header.size + size + 128) }
    withUnsafeBytes(of: header) { memory.append(contentsOf: $0) }
    write(&memory)
    // libpq reads a text value up to its NUL, and ignores its length.
    memory.append(0)
    count += 1
    byteCount += size
  }

  /// The OIDs of the parameters' types.
  var types: [Oid] {
    memory.withUnsafeBytes { memory in
      var types: [Oid] = []
      PostgresParameters.forEach(of: count, in: memory) { _, header, _ in types.append(header.type) }
      return types
    }
  }

  /// Calls `body` with pointers to the values (NULL for NULL), their lengths and their formats; with nil if there are
  /// no values.
  func withPointers<Result>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Result
  ) -> Result {
    // Not captured through `self`: the parameters would be retained for each closure.
    let count = count
    if count == 0 { return body(nil, nil, nil) }
    return memory.withUnsafeBytes { memory in
      // Mostly on the stack.
      withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { pointers in
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * count) { numbers in
          PostgresParameters.forEach(of: count, in: memory) { index, header, value in
            pointers.initializeElement(
              at: index, to: header.length < 0 ? nil : value?.assumingMemoryBound(to: CChar.self))
            numbers.initializeElement(at: index, to: max(0, header.length))
            numbers.initializeElement(at: count + index, to: header.format)
          }
          // Not nil: there is memory for one value at least.
          let lengths = UnsafePointer(numbers.baseAddress.unsafelyUnwrapped)
          return body(UnsafePointer(pointers.baseAddress.unsafelyUnwrapped), lengths, lengths + count)
        }
      }
    }
  }

  /// Calls `body` with the index and the bytes of each value; nil for NULL.
  func forEachValue(_ body: (Int, UnsafeRawBufferPointer?) -> Void) {
    memory.withUnsafeBytes { memory in
      PostgresParameters.forEach(of: count, in: memory) { index, header, value in
        body(index, header.length < 0 ? nil : UnsafeRawBufferPointer(start: value, count: Int(header.length)))
      }
    }
  }

  /// Calls `body` with the index, the header and the address of each value.
  private static func forEach(
    of count: Int, in memory: UnsafeRawBufferPointer, _ body: (Int, Header, UnsafeRawPointer?) -> Void
  ) {
    var position = 0
    for index in 0..<count {
      let header = memory.loadUnaligned(fromByteOffset: position, as: Header.self)
      position += Header.size
      body(index, header, memory.baseAddress.map { $0 + position })
      position += max(0, Int(header.length)) + 1
    }
  }
}
