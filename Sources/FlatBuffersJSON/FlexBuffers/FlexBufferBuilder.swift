/// Writes a FlexBuffer from its values, byte for byte as the C++ library does with shared keys and strings.
struct FlexBufferBuilder {
  /// A value that has not been added to its vector, map or buffer yet.
  private struct Value {
    /// The bits of a number, or the position of any other value.
    let bits: UInt64
    let type: UInt8
    /// The width as a power of two: of the elements of a vector, or of the length of a string.
    let width: Int

    /// Returns the width of the value as the element `index` of a vector that is written after `bufferSize` bytes. The
    /// width of an offset depends on the element's position.
    func elementWidth(bufferSize: Int, index: Int) -> Int {
      if FlexBufferType.isInline(type) { return width }
      for candidate in 0...3 {
        let size = 1 << candidate
        let position = bufferSize + FlexBufferBuilder.padding(bufferSize, size) + index * size
        if FlexBufferBuilder.width(ofUnsigned: UInt64(position) - bits) == candidate { return candidate }
      }
      return 3
    }

    func packedType(parentWidth: Int = 0) -> UInt8 {
      type << 2 | UInt8(FlexBufferType.isInline(type) ? max(width, parentWidth) : width)
    }
  }

  private var bytes: [UInt8] = []
  private var stack: [Value] = []
  private var keys: [[UInt8]: Int] = [:]
  private var strings: [[UInt8]: Int] = [:]

  // MARK: Values

  mutating func addNull() { stack.append(Value(bits: 0, type: FlexBufferType.null, width: 0)) }

  mutating func add(_ value: Bool) { stack.append(Value(bits: value ? 1 : 0, type: FlexBufferType.bool, width: 0)) }

  mutating func add(_ number: Int64) {
    let doubled = UInt64(bitPattern: number) << 1
    stack.append(
      Value(
        bits: UInt64(bitPattern: number), type: FlexBufferType.int,
        width: Self.width(ofUnsigned: number >= 0 ? doubled : ~doubled)))
  }

  mutating func add(_ number: UInt64) {
    stack.append(Value(bits: number, type: FlexBufferType.uint, width: Self.width(ofUnsigned: number)))
  }

  mutating func add(_ number: Double) {
    stack.append(
      Value(bits: number.bitPattern, type: FlexBufferType.float, width: Double(Float(number)) == number ? 2 : 3))
  }

  mutating func add(_ string: [UInt8]) {
    let width = Self.width(ofUnsigned: UInt64(string.count))
    if let known = strings[string] {
      stack.append(Value(bits: UInt64(known), type: FlexBufferType.string, width: width))
      return
    }
    write(UInt64(string.count), align(width))
    let position = bytes.count
    bytes += string
    bytes.append(0)
    strings[string] = position
    stack.append(Value(bits: UInt64(position), type: FlexBufferType.string, width: width))
  }

  /// Adds a key of a map. The value that is added next belongs to it. The key ends at a zero byte.
  mutating func add(key: [UInt8]) {
    let key = Array(key.prefix { $0 != 0 })
    let position = keys[key] ?? bytes.count
    if keys.updateValue(position, forKey: key) == nil { bytes += key + [0] }
    stack.append(Value(bits: UInt64(position), type: FlexBufferType.key, width: 0))
  }

  /// The start of a vector's or map's values on the stack.
  var mark: Int { stack.count }

  mutating func endVector(_ start: Int) {
    let vector = writeVector(start, count: stack.count - start, step: 1, isTyped: false, keys: nil)
    stack.removeSubrange(start...)
    stack.append(vector)
  }

  mutating func endMap(_ start: Int) {
    let count = (stack.count - start) / 2
    let texts = (0..<count).map { text(at: Int(stack[start + 2 * $0].bits)) }
    let order = (0..<count).sorted { texts[$0].lexicographicallyPrecedes(texts[$1]) }
    let sorted = order.flatMap { [stack[start + 2 * $0], stack[start + 2 * $0 + 1]] }
    stack.replaceSubrange(start..., with: sorted)
    let keys = writeVector(start, count: count, step: 2, isTyped: true, keys: nil)
    let values = writeVector(start + 1, count: count, step: 2, isTyped: false, keys: keys)
    stack.removeSubrange(start...)
    stack.append(values)
  }

  /// Ends the buffer, with the only value as its root, and returns its bytes.
  mutating func finish() -> [UInt8] {
    guard let root = stack.first else { return [] }
    let width = align(root.elementWidth(bufferSize: bytes.count, index: 0))
    write(root, width)
    bytes.append(root.packedType())
    bytes.append(UInt8(width))
    return bytes
  }

  // MARK: Bytes

  private func text(at position: Int) -> ArraySlice<UInt8> { bytes[position...].prefix { $0 != 0 } }

  private mutating func writeVector(_ start: Int, count: Int, step: Int, isTyped: Bool, keys: Value?) -> Value {
    var width = Self.width(ofUnsigned: UInt64(count))
    if let keys { width = max(width, keys.elementWidth(bufferSize: bytes.count, index: 0)) }
    let prefix = keys == nil ? 1 : 3
    // As in C++, the position of an element counts the keys between the values, too.
    for index in stride(from: start, to: stack.count, by: step) {
      width = max(width, stack[index].elementWidth(bufferSize: bytes.count, index: index - start + prefix))
    }
    let size = align(width)
    if let keys {
      write(UInt64(bytes.count) - keys.bits, size)
      write(1 << UInt64(keys.width), size)
    }
    write(UInt64(count), size)
    let position = bytes.count
    for index in stride(from: start, to: stack.count, by: step) { write(stack[index], size) }
    if !isTyped {
      for index in stride(from: start, to: stack.count, by: step) {
        bytes.append(stack[index].packedType(parentWidth: width))
      }
    }
    let type = keys != nil ? FlexBufferType.map : isTyped ? FlexBufferType.keyVector : FlexBufferType.vector
    return Value(bits: UInt64(position), type: type, width: width)
  }

  private mutating func write(_ value: Value, _ size: Int) {
    switch value.type {
    case FlexBufferType.float:
      write(size == 4 ? UInt64(Float(Double(bitPattern: value.bits)).bitPattern) : value.bits, size)
    case _ where FlexBufferType.isInline(value.type): write(value.bits, size)
    default: write(UInt64(bytes.count) - value.bits, size)
    }
  }

  private mutating func write(_ bits: UInt64, _ size: Int) {
    for place in 0..<size { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * place))) }
  }

  /// Aligns the buffer.
  ///
  /// - Parameter width: the width as a power of two.
  /// - Returns: the width in bytes.
  private mutating func align(_ width: Int) -> Int {
    let size = 1 << width
    bytes += repeatElement(0, count: Self.padding(bytes.count, size))
    return size
  }

  private static func padding(_ size: Int, _ alignment: Int) -> Int { -size & (alignment - 1) }

  private static func width(ofUnsigned number: UInt64) -> Int {
    number < 1 << 8 ? 0 : number < 1 << 16 ? 1 : number < 1 << 32 ? 2 : 3
  }
}
