import CPostgres
import Dflat

/// What takes values one by one: the parameters of a statement, or an array that is one of them.
protocol PostgresValues {
  mutating func append(_ value: Int64)
  mutating func append(_ value: Double)
  mutating func append(bytes: UnsafeRawBufferPointer)
  /// Appends a number that is no `int8`, by its digits.
  mutating func append(numeric: String)
  mutating func appendNull(_ type: PostgresParameters.PostgresType)
}

/// The parameters of a statement, in PostgreSQL's binary form: numbers in network byte order.
/// https://www.postgresql.org/docs/current/protocol-overview.html#PROTOCOL-FORMAT-CODES
struct PostgresParameters: PostgresValues {
  /// The types that parameters have, by their numbers in the catalog `pg_type`.
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

  private struct Value {
    let type: PostgresType
    let isText: Bool
    /// Where it is in the memory; nil for NULL.
    let range: Range<Int>?
  }

  private var values: ContiguousArray<Value> = []
  private var memory: [UInt8] = []

  init() {}

  var count: Int { values.count }

  /// The types, by their numbers.
  var types: [Oid] { values.map(\.type.rawValue) }

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

  /// As text, of which the server makes the number.
  mutating func append(numeric value: String) {
    append(.numeric, isText: true) { $0.append(contentsOf: value.utf8) }
  }

  mutating func appendNull(_ type: PostgresType) { values.append(Value(type: type, isText: false, range: nil)) }

  private mutating func append(_ type: PostgresType, isText: Bool = false, _ write: (inout [UInt8]) -> Void) {
    let start = memory.count
    write(&memory)
    values.append(Value(type: type, isText: isText, range: start..<memory.count))
    // libpq takes what is text up to its NUL, and not by its length.
    if isText { memory.append(0) }
  }

  mutating func append(_ array: PostgresArray) {
    append(array.type) { array.append(to: &$0) }
  }

  /// The only element of an array, as a parameter of its own.
  mutating func append(onlyElementOf array: PostgresArray) {
    // A number that is none of the types of elements is among them as text.
    let isText = array.element == .text
    let type = isText ? .numeric : array.element
    guard let element = array.firstElement else { return appendNull(type) }
    append(type, isText: isText) { $0.append(contentsOf: element) }
  }

  /// Calls `body` with pointers to the values, NULL for NULL, their lengths and their formats.
  func withPointers<Result>(
    _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>) -> Result
  ) -> Result {
    // On the stack mostly. A statement without parameters gets addresses, too, at which nothing is read.
    let capacity = max(1, values.count)
    return withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: capacity) { pointers in
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * capacity) { numbers in
        memory.withUnsafeBytes { memory in
          // An empty value is not NULL, so that it needs an address.
          withUnsafePointer(to: CChar(0)) { empty in
            for (index, value) in values.enumerated() {
              let start = value.range.flatMap { range in
                range.isEmpty
                  ? empty : memory.baseAddress.map { ($0 + range.lowerBound).assumingMemoryBound(to: CChar.self) }
              }
              pointers.initializeElement(at: index, to: start)
              numbers.initializeElement(at: index, to: Int32(value.range?.count ?? 0))
              numbers.initializeElement(at: capacity + index, to: value.isText ? 0 : 1)
            }
            // Not nil: there is memory for one value at least.
            let lengths = UnsafePointer(numbers.baseAddress.unsafelyUnwrapped)
            return body(UnsafePointer(pointers.baseAddress.unsafelyUnwrapped), lengths, lengths + capacity)
          }
        }
      }
    }
  }
}

/// A parameter that is an array of one dimension, to which elements are appended one by one.
struct PostgresArray: PostgresValues {
  typealias PostgresType = PostgresParameters.PostgresType

  let element: PostgresType
  let type: PostgresType
  private(set) var count = 0
  private var hasNull = false
  /// The elements, each behind its length, as the server takes them.
  private var memory: [UInt8] = []

  /// - Parameter element: the type of the elements: `int8`, `float8`, `bytea` or `text`, of which numbers are made that are none of
  ///   these.
  init(of element: PostgresType) {
    self.element = element
    type =
      switch element {
      case .int8: .int8Array
      case .float8: .float8Array
      case .bytea: .bytes
      default: .textArray
      }
  }

  var byteCount: Int { memory.count }

  mutating func append(_ value: Int64) {
    beginElement(size: 8)
    memory.append(value)
  }

  mutating func append(_ value: Double) { append(Int64(bitPattern: value.bitPattern)) }

  mutating func append(bytes: UnsafeRawBufferPointer) {
    beginElement(size: bytes.count)
    memory.append(contentsOf: bytes)
  }

  mutating func append(text: String) {
    beginElement(size: text.utf8.count)
    memory.append(contentsOf: text.utf8)
  }

  mutating func append(numeric: String) { append(text: numeric) }

  mutating func appendNull(_: PostgresType) {
    hasNull = true
    beginElement(size: -1)
  }

  private mutating func beginElement(size: Int) {
    count += 1
    memory.append(Int32(truncatingIfNeeded: size))
  }

  mutating func removeAll() {
    count = 0
    hasNull = false
    memory.removeAll(keepingCapacity: true)
  }

  fileprivate var firstElement: ArraySlice<UInt8>? { hasNull ? nil : memory.dropFirst(4) }

  fileprivate func append(to memory: inout [UInt8]) {
    memory.append(Int32(1))  // One dimension,
    memory.append(Int32(hasNull ? 1 : 0))
    memory.append(Int32(bitPattern: element.rawValue))
    memory.append(Int32(truncatingIfNeeded: count))
    memory.append(Int32(1))  // and the first index is 1.
    memory.append(contentsOf: self.memory)
  }
}

extension [UInt8] {
  /// Appends an integer in network byte order.
  fileprivate mutating func append(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}
