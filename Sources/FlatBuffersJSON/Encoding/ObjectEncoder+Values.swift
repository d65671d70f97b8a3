import FBSParser
import FBSSchema

// The encoding of structs, and of values of any form.

extension ObjectEncoder {
  /// Returns the bytes of a struct, which the caller writes later. As in flatc, the buffer is aligned for the struct
  /// already now.
  mutating func structure(_ node: Int, _ id: StructID) -> [UInt8] {
    let layout = layouts[id]
    var bytes = [UInt8](repeating: 0, count: layout.size)
    for child in children(of: node) {
      guard let index = object.member(of: child) else { continue }
      let member = layout.members[index]
      write(child, member.type, hash: member.hash, to: &bytes, at: member.offset)
    }
    builder.align(to: layout.alignment)
    return bytes
  }

  private mutating func write(
    _ node: Int, _ type: StructLayout.Member.MemberType, hash: String?, to bytes: inout [UInt8], at offset: Int
  ) {
    switch type {
    case .number(let number):
      let bits = self.number(node, number.scalar, hash: hash) ?? 0
      for place in 0..<number.scalar.size {
        bytes[offset + place] = UInt8(truncatingIfNeeded: bits >> UInt64(8 * place))
      }
    case .structure(let id):
      bytes.replaceSubrange(offset..<(offset + layouts[id].size), with: structure(node, id))
    case .array(let element, _):
      let stride = layouts.size(of: element)
      for (index, child) in children(of: node).enumerated() {
        write(child, element, hash: nil, to: &bytes, at: offset + stride * index)
      }
    }
  }

  /// Adds a value of any form to a FlexBuffer.
  func addFlexible(_ node: Int, to builder: inout FlexBufferBuilder) {
    switch tree.json[node].kind {
    case .unreadable: builder.addNull()
    case .object:
      let mark = builder.mark
      for child in children(of: node) {
        guard let key = tree.json[child].key else { continue }
        builder.add(key: Array(tree.stringBytes(of: key) ?? tree.bytes(of: key)))
        addFlexible(child, to: &builder)
      }
      builder.endMap(mark)
    case .list:
      let mark = builder.mark
      for child in children(of: node) { addFlexible(child, to: &builder) }
      builder.endVector(mark)
    case .value:
      let token = tree.json[node].span.first
      if let string = tree.stringBytes(of: token) { return builder.add(Array(string)) }
      let text = tree.text(of: tree.json[node].span)
      switch (text, tree.tokens[token].kind) {
      case ("null", _): builder.addNull()
      case ("true", _): builder.add(true)
      case ("false", _): builder.add(false)
      case (_, .integer):
        switch FlexibleNumbers.whole(text) {
        case .integer(let number): builder.add(number)
        case .unsigned(let number): builder.add(number)
        case .real(let number): builder.add(number)
        }
      default: builder.add(FlexibleNumbers.real(text))
      }
    }
  }
}

/// Parses numbers in values of any form.
private enum FlexibleNumbers {
  enum Whole {
    case integer(Int64)
    /// A number above `Int64.max`.
    case unsigned(UInt64)
    /// The nearest floating-point number. The whole number has more than 64 bits, which brings a warning.
    case real(Double)
  }

  /// Returns the number of an integer's text.
  static func whole(_ text: String) -> Whole {
    let isNegative = text.hasPrefix("-")
    let digits = text.drop { $0 == "-" || $0 == "+" }
    let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
    guard let magnitude = UInt64(isHexadecimal ? digits.dropFirst(2) : digits, radix: isHexadecimal ? 16 : 10),
      !isNegative || magnitude <= 1 << 63
    else { return .real(real(text)) }
    // In two's complement, which also has the smallest number.
    if isNegative { return .integer(Int64(truncatingIfNeeded: 0 &- magnitude)) }
    return Int64(exactly: magnitude).map { Whole.integer($0) } ?? .unsigned(magnitude)
  }

  static func real(_ text: String) -> Double {
    let text = text.filter { $0 != " " }
    return Double(text) ?? (text.hasPrefix("-") ? -Double.infinity : .infinity)
  }
}

/// The hashes of the attribute `hash`, by the functions of Fowler, Noll and Vo.
enum FowlerNollVo {
  /// Returns the hash of a text. The text ends at a zero byte, as C strings do.
  static func hash(_ text: [UInt8], algorithm: String) -> UInt64 {
    let text = text.prefix { $0 != 0 }
    let mixesFirst = algorithm.hasPrefix("fnv1a")
    // The 64-bit basis is that of the C++ library, which is not the published one (its last digits are 2325).
    if algorithm.hasSuffix("64") { return hash(text, 0xCBF2_9CE4_8422_2645 as UInt64, 0x100_0000_01B3, mixesFirst) }
    let hash = hash(text, 0x811C_9DC5 as UInt32, 0x0100_0193, mixesFirst)
    return UInt64(algorithm.hasSuffix("16") ? hash >> 16 ^ hash & 0xFFFF : hash)
  }

  private static func hash<T: FixedWidthInteger>(
    _ text: ArraySlice<UInt8>, _ basis: T, _ prime: T, _ mixesFirst: Bool
  ) -> T {
    text.reduce(basis) { hash, byte in
      mixesFirst ? (hash ^ T(byte)) &* prime : (hash &* prime) ^ T(byte)
    }
  }
}
