/// Writes the bytes of a FlexBuffer as JSON, as flatc does. The bytes may be anything: references that lead out of the
/// bytes, and too deep nesting, are refused.
struct FlexBufferPrinter {
  /// A value: its position, or the position of the offset that refers to it.
  private struct Reference {
    let position: Int
    let parentWidth: Int
    let byteWidth: Int
    let type: UInt8

    /// Creates a reference from a packed type.
    ///
    /// - Parameters:
    ///   - position: the position of the value.
    ///   - parentWidth: the width in bytes of the value where it stands; in a vector, that of the vector's elements.
    ///   - packedType: the type of the value, and the width of what it refers to.
    init(_ position: Int, parentWidth: Int, packedType: UInt8) {
      self.init(position, parentWidth, 1 << Int(packedType & 3), packedType >> 2)
    }

    init(_ position: Int, _ parentWidth: Int, _ byteWidth: Int, _ type: UInt8) {
      self.position = position
      self.parentWidth = parentWidth
      self.byteWidth = byteWidth
      self.type = type
    }
  }

  /// The greatest nesting depth of values, as in flatc.
  private static let maximumDepth = 64

  private let bytes: WireBytes
  private let options: JSONOptions
  private let maximumSize: Int
  private var depth = 0
  private(set) var text: [UInt8] = []
  /// Whether a string was not UTF-8 although it has to be.
  private(set) var hasInvalidUTF8 = false

  init(_ bytes: WireBytes, _ options: JSONOptions, maximumSize: Int) {
    self.bytes = bytes
    // As in flatc, which has no such options for FlexBuffers. Its `\xNN` is not JSON, so strict JSON has it only on
    // demand.
    var own = JSONOptions(
      indentation: nil, isStrict: options.isStrict, allowsInvalidUTF8: options.allowsInvalidUTF8 || !options.isStrict,
      hasExactNumbers: options.hasExactNumbers)
    own.isPortable = options.isPortable
    self.options = own
    self.maximumSize = maximumSize
  }

  /// Writes the JSON.
  ///
  /// - Returns: false if the bytes are no FlexBuffer, or the JSON would be too large.
  mutating func print() -> Bool {
    guard bytes.count >= 3 else { return false }
    let width = Int(bytes.load(UInt8.self, at: bytes.count - 1))
    let type = bytes.load(UInt8.self, at: bytes.count - 2)
    guard [1, 2, 4, 8].contains(width), bytes.count - 2 >= width else { return false }
    return write(Reference(bytes.count - 2 - width, parentWidth: width, packedType: type))
  }

  private mutating func write(_ string: String) { text += string.utf8 }

  // MARK: Numbers and offsets

  private func unsigned(at position: Int, _ width: Int) -> UInt64? {
    guard bytes.contains(position, width) else { return nil }
    return switch width {
    case 1: UInt64(bytes.load(UInt8.self, at: position))
    case 2: UInt64(bytes.load(UInt16.self, at: position))
    case 4: UInt64(bytes.load(UInt32.self, at: position))
    default: bytes.load(UInt64.self, at: position)
    }
  }

  private func signed(at position: Int, _ width: Int) -> Int64? {
    unsigned(at: position, width).map { bits in
      let shift = UInt64(64 - 8 * width)
      return Int64(bitPattern: bits << shift) >> Int64(shift)
    }
  }

  private func real(at position: Int, _ width: Int) -> Double? {
    guard let bits = unsigned(at: position, width) else { return nil }
    switch width {
    case 8: return Double(bitPattern: bits)
    case 4: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    // Narrower floats do not exist yet: C++ reads them as integers.
    default: return signed(at: position, width).map { Double($0) }
    }
  }

  /// Returns the target of a value's offset, which leads backwards; nil if it is outside.
  private func target(at position: Int, _ width: Int) -> Int? {
    guard let offset = unsigned(at: position, width), offset <= UInt64(position) else { return nil }
    return position - Int(offset)
  }

  private func target(of value: Reference) -> Int? { target(at: value.position, value.parentWidth) }

  /// Returns the length before a value, if that many elements of a size exist; otherwise nil.
  private func length(at position: Int, _ width: Int, elementSize: Int) -> Int? {
    guard let length = unsigned(at: position - width, width), length <= UInt64(bytes.count) else { return nil }
    return bytes.contains(position, Int(length) * elementSize) ? Int(length) : nil
  }

  // MARK: Values

  private mutating func write(_ value: Reference) -> Bool {
    guard depth < Self.maximumDepth, text.count <= maximumSize else { return false }
    depth += 1
    defer { depth -= 1 }
    switch value.type {
    case FlexBufferType.null: write("null")
    case FlexBufferType.bool:
      guard let bits = unsigned(at: value.position, value.parentWidth) else { return false }
      write(bits == 0 ? "false" : "true")
    case FlexBufferType.int, FlexBufferType.uint, FlexBufferType.float:
      return writeNumber(value.type, at: value.position, value.parentWidth)
    case FlexBufferType.indirectInt, FlexBufferType.indirectUInt, FlexBufferType.indirectFloat:
      guard let target = target(of: value) else { return false }
      return writeNumber(value.type - FlexBufferType.indirectInt + FlexBufferType.int, at: target, value.byteWidth)
    case FlexBufferType.key:
      guard let key = key(value) else { return false }
      return options.isStrict ? writeQuoted(key) : writePlain(key)
    case FlexBufferType.string, FlexBufferType.blob:
      guard let target = target(of: value), let count = length(at: target, value.byteWidth, elementSize: 1),
        let string = bytes.bytes(at: target, count: count)
      else { return false }
      return writeQuoted(string)
    case FlexBufferType.map: return writeMap(value)
    case FlexBufferType.vector: return writeVector(value)
    case FlexBufferType.typedVectors, FlexBufferType.boolVector: return writeTypedVector(value)
    case FlexBufferType.tuples: return writeTuple(value)
    default: return false
    }
    return true
  }

  private mutating func writeNumber(_ type: UInt8, at position: Int, _ width: Int) -> Bool {
    switch type {
    case FlexBufferType.int:
      guard let number = signed(at: position, width) else { return false }
      write(String(number))
    case FlexBufferType.uint:
      guard let number = unsigned(at: position, width) else { return false }
      write(String(number))
    default:
      guard let number = real(at: position, width) else { return false }
      write(JSONNumbers.flexibleText(number, options))
    }
    return true
  }

  private mutating func writeQuoted(_ string: ArraySlice<UInt8>) -> Bool {
    guard text.count + string.count <= maximumSize else { return false }
    guard JSONStrings.append(string, to: &text, options) else {
      hasInvalidUTF8 = true
      return false
    }
    return true
  }

  private mutating func writePlain(_ string: ArraySlice<UInt8>) -> Bool {
    text += string
    return true
  }

  /// Returns the bytes of a key, without the zero byte at its end; nil if the key is damaged, or the text would become
  /// too long.
  private func key(_ value: Reference) -> ArraySlice<UInt8>? {
    guard let start = target(of: value) else { return nil }
    var end = start
    while bytes.contains(end, 1), bytes.load(UInt8.self, at: end) != 0 { end += 1 }
    guard bytes.contains(end, 1), text.count + end - start <= maximumSize else { return nil }
    return bytes.bytes(at: start, count: end - start)
  }

  private mutating func writeMap(_ value: Reference) -> Bool {
    // Before the length of the values are the offset to the keys, and the width of the keys.
    let width = value.byteWidth
    guard let start = target(of: value), let count = length(at: start, width, elementSize: width + 1),
      let keys = target(at: start - 3 * width, width), let keyWidth = unsigned(at: start - 2 * width, width),
      [1, 2, 4, 8].contains(keyWidth),
      length(at: keys, Int(keyWidth), elementSize: Int(keyWidth)).map({ $0 >= count }) == true
    else { return false }
    write("{ ")
    for index in 0..<count {
      if index > 0 { write(", ") }
      let reference = Reference(keys + Int(keyWidth) * index, Int(keyWidth), 1, FlexBufferType.key)
      guard let key = key(reference) else { return false }
      guard options.isStrict || !isIdentifier(key) ? writeQuoted(key) : writePlain(key) else { return false }
      write(": ")
      guard write(element(index, of: start, count, width)) else { return false }
    }
    write(" }")
    return true
  }

  private func isIdentifier(_ key: ArraySlice<UInt8>) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_") }
    guard let first = key.first, isLetter(first) else { return false }
    return key.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
  }

  /// Returns an element of a vector whose types follow it.
  private func element(_ index: Int, of start: Int, _ count: Int, _ width: Int) -> Reference {
    Reference(
      start + width * index, parentWidth: width,
      packedType: bytes.load(UInt8.self, at: start + width * count + index))
  }

  private mutating func writeList(_ count: Int, _ element: (Int) -> Reference) -> Bool {
    write("[ ")
    for index in 0..<count {
      if index > 0 { write(", ") }
      guard write(element(index)) else { return false }
    }
    write(" ]")
    return true
  }

  private mutating func writeVector(_ value: Reference) -> Bool {
    let width = value.byteWidth
    guard let start = target(of: value), let count = length(at: start, width, elementSize: width + 1) else {
      return false
    }
    let elements = (0..<count).map { element($0, of: start, count, width) }
    return writeList(count) { elements[$0] }
  }

  private mutating func writeTypedVector(_ value: Reference) -> Bool {
    let width = value.byteWidth
    guard let start = target(of: value), let count = length(at: start, width, elementSize: width) else { return false }
    var type = value.type - FlexBufferType.typedVectors.lowerBound + FlexBufferType.int
    // The width of old strings' lengths is unknown: they end with a zero byte, as keys do.
    if type == FlexBufferType.string { type = FlexBufferType.key }
    return writeList(count) { Reference(start + width * $0, width, 1, type) }
  }

  private mutating func writeTuple(_ value: Reference) -> Bool {
    let kind = Int(value.type - FlexBufferType.tuples.lowerBound)
    let (count, width) = (kind / 3 + 2, value.byteWidth)
    guard let start = target(of: value), bytes.contains(start, count * width) else { return false }
    return writeList(count) { Reference(start + width * $0, width, 1, UInt8(kind % 3) + FlexBufferType.int) }
  }
}
