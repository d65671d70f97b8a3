import CPostgres
import Dflat

/// The parameters of a statement, in PostgreSQL's binary form: numbers in network byte order.
/// https://www.postgresql.org/docs/current/protocol-overview.html#PROTOCOL-FORMAT-CODES
struct PostgresParameters {
  /// The types that parameters have, by their numbers in the catalog `pg_type`.
  enum PostgresType: UInt32 {
    case bytea = 17
    case int8 = 20
    case text = 25
    case float8 = 701
    case bytes = 1001
    case int8Array = 1016
    case float8Array = 1022
    case numericArray = 1231
    case numeric = 1700
  }

  private(set) var types: [Oid] = []
  private var formats: [Int32] = []
  /// Where each value is in `memory`; nil for NULL.
  private var ranges: [Range<Int>?] = []
  private var memory: [UInt8] = []

  init() {}

  var count: Int { types.count }

  /// Rough, to bound what is sent without an answer.
  var byteCount: Int { memory.count }

  mutating func append(_ value: Int64) {
    append(.int8) { $0.append(value) }
  }

  mutating func append(_ value: Double) {
    append(.float8) { $0.append(Int64(bitPattern: value.bitPattern)) }
  }

  mutating func append(bytes: UnsafeRawBufferPointer) {
    append(.bytea) { $0.append(contentsOf: bytes) }
  }

  mutating func append(text: String) {
    append(.text) { $0.append(contentsOf: text.utf8) }
  }

  /// A number above `Int64.max`, as text.
  mutating func append(numeric value: String) {
    append(.numeric) { $0.append(contentsOf: value.utf8) }
    formats[formats.count - 1] = 0
  }

  mutating func appendNull(_ type: PostgresType) {
    types.append(type.rawValue)
    formats.append(1)
    ranges.append(nil)
  }

  private mutating func append(_ type: PostgresType, _ write: (inout [UInt8]) -> Void) {
    let start = memory.count
    write(&memory)
    types.append(type.rawValue)
    formats.append(1)
    ranges.append(start..<memory.count)
  }

  /// An array whose elements `write` appends one by one.
  mutating func appendArray(
    of element: PostgresType, as type: PostgresType, _ elements: [(inout [UInt8]) -> Void]
  ) {
    append(type) { memory in
      memory.append(Int32(1))  // One dimension,
      memory.append(Int32(0))  // no NULLs,
      memory.append(Int32(bitPattern: element.rawValue))
      memory.append(Int32(elements.count))
      memory.append(Int32(1))  // and the first index is 1.
      for write in elements {
        let lengthAt = memory.count
        memory.append(Int32(0))
        write(&memory)
        let length = Int32(memory.count - lengthAt - 4).bigEndian
        withUnsafeBytes(of: length) { memory.replaceSubrange(lengthAt..<lengthAt + 4, with: $0) }
      }
    }
  }

  /// Calls `body` with pointers to the values, NULL for NULL, their lengths and their formats.
  func withPointers<Result>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>) -> Result
  ) -> Result {
    memory.withUnsafeBytes { memory in
      // An empty value is not NULL, so that it needs an address.
      withUnsafePointer(to: CChar(0)) { empty in
        var pointers: [UnsafePointer<CChar>?] = []
        var lengths: [Int32] = []
        pointers.reserveCapacity(ranges.count)
        lengths.reserveCapacity(ranges.count)
        for range in ranges {
          guard let range else {
            pointers.append(nil)
            lengths.append(0)
            continue
          }
          let start = range.isEmpty ? nil : memory.baseAddress.map { $0 + range.lowerBound }
          pointers.append(start?.assumingMemoryBound(to: CChar.self) ?? empty)
          lengths.append(Int32(range.count))
        }
        return pointers.withUnsafeBufferPointer { pointers in
          lengths.withUnsafeBufferPointer { lengths in
            formats.withUnsafeBufferPointer { formats in
              // A statement without parameters gets addresses, too, at which nothing is read.
              let (none, zero) = (UnsafePointer<CChar>?.none, Int32(0))
              return withUnsafePointer(to: none) { none in
                withUnsafePointer(to: zero) { zero in
                  body(pointers.baseAddress ?? none, lengths.baseAddress ?? zero, formats.baseAddress ?? zero)
                }
              }
            }
          }
        }
      }
    }
  }
}

extension [UInt8] {
  /// Appends an integer in network byte order.
  fileprivate mutating func append(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  /// Appends an integer as the element of an array.
  mutating func append(element value: Int64) { append(value) }

  /// Appends a number as the element of an array.
  mutating func append(element value: Double) { append(Int64(bitPattern: value.bitPattern)) }
}
