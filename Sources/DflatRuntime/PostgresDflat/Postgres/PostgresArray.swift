/// A one-dimensional array as a parameter. Elements are appended one by one.
struct PostgresArray {
  typealias PostgresType = PostgresParameters.PostgresType

  let element: PostgresType
  let type: PostgresType
  private(set) var count = 0
  private var hasNull = false
  /// The elements, each after its length, in the server's format.
  private var memory: [UInt8] = []

  /// Creates an empty array.
  ///
  /// - Parameter element: the type of the elements: `int8`, `float8`, `bytea`, or `text` for all other types, which the
  ///   server converts.
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

  mutating func append(_ value: Int64) {
    beginElement(size: 8)
    memory.append(bigEndian: value)
  }

  mutating func append(_ value: Double) { append(Int64(bitPattern: value.bitPattern)) }

  mutating func append(text: String) {
    beginElement(size: text.utf8.count)
    memory.append(contentsOf: text.utf8)
  }

  /// Appends a value in the format of a single parameter; nil for NULL.
  mutating func append(element value: UnsafeRawBufferPointer?) {
    if value == nil { hasNull = true }
    beginElement(size: value?.count ?? -1)
    if let value { memory.append(contentsOf: value) }
  }

  private mutating func beginElement(size: Int) {
    count += 1
    memory.append(bigEndian: Int32(truncatingIfNeeded: size))
  }

  mutating func removeAll() {
    count = 0
    hasNull = false
    memory.removeAll(keepingCapacity: true)
  }

  /// How many bytes `append(to:)` appends.
  var size: Int { 5 * MemoryLayout<Int32>.size + memory.count }

  func append(to memory: inout [UInt8]) {
    memory.append(bigEndian: Int32(1))  // One dimension,
    memory.append(bigEndian: Int32(hasNull ? 1 : 0))
    memory.append(bigEndian: Int32(bitPattern: element.rawValue))
    memory.append(bigEndian: Int32(truncatingIfNeeded: count))
    memory.append(bigEndian: Int32(1))  // and the first index is 1.
    memory.append(contentsOf: self.memory)
  }
}

extension [UInt8] {
  /// Appends an integer in network byte order.
  mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}
