/// A decimal number of any length, as a text has it. It is never rounded.
package struct DecimalNumber {
  private let isNegative: Bool
  /// The digits, the most significant first, without zeros before them. The number 0 has none.
  private var digits: [UInt8]
  /// The number of digits after the point. If it is negative, so many zeros follow the digits.
  private var places: Int

  /// Parses a text, such as `-12.50`, or `1.5e3`.
  ///
  /// - Parameter isPlain: whether exponents, plus signs, and points without digits on both sides are malformed.
  /// - Returns: nil if the text is malformed.
  package init?(_ text: String, isPlain: Bool) {
    var number = text[...]
    var exponent = 0
    if let mark = number.firstIndex(where: { $0 == "e" || $0 == "E" }) {
      guard !isPlain, let value = Int(number[number.index(after: mark)...]) else { return nil }
      // Beyond all numbers that any field holds, and far from the limits of `Int`.
      exponent = min(max(value, -1_000_000_000), 1_000_000_000)
      number = number[..<mark]
    }
    isNegative = number.hasPrefix("-")
    if isNegative || !isPlain && number.hasPrefix("+") { number.removeFirst() }
    let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard !isPlain || parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    let all = parts.joined().utf8.map { $0 &- 0x30 }
    guard !all.isEmpty, all.allSatisfy({ $0 < 10 }) else { return nil }
    digits = Array(all.drop { $0 == 0 })
    places = (parts.count > 1 ? parts[1].utf8.count : 0) - exponent
  }

  /// Returns the number multiplied by a power of ten.
  func scaled(byPowerOfTen power: Int) -> DecimalNumber {
    var copy = self
    copy.places -= power
    return copy
  }

  /// Returns the number multiplied by a positive number.
  func multiplied(by factor: Int) -> DecimalNumber {
    var copy = self
    var carry = 0
    for index in digits.indices.reversed() {
      carry += Int(digits[index]) * factor
      copy.digits[index] = UInt8(carry % 10)
      carry /= 10
    }
    while carry > 0 {
      copy.digits.insert(UInt8(carry % 10), at: 0)
      carry /= 10
    }
    return copy
  }

  /// The number among the whole numbers of 64 bits.
  package var wholeNumber: WholeNumber {
    let text = String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self)
    let nearest = Double("\(isNegative ? "-" : "")0\(text)e\(-places)") ?? 0
    let count = digits.isEmpty ? 0 : max(digits.count - places, 0)
    // All numbers of 64 bits have at most 20 digits.
    guard count <= 20 else { return beyond(nearest) }
    let zeros = String(repeating: "0", count: max(count - digits.count, 0))
    guard let magnitude = UInt64("0\(text.prefix(count))\(zeros)") else { return beyond(nearest) }
    let hasFraction = digits.dropFirst(count).contains { $0 != 0 }
    guard isNegative else {
      let floor: FieldValue = Int64(exactly: magnitude).map { FieldValue.integer($0) } ?? .unsigned(magnitude)
      return WholeNumber(floor: floor, isExact: !hasFraction, nearest: nearest)
    }
    guard magnitude <= 1 << 63, !(hasFraction && magnitude == 1 << 63) else { return beyond(nearest) }
    // In two's complement, which also has the smallest number.
    let floor = Int64(bitPattern: 0 &- magnitude &- (hasFraction ? 1 : 0))
    return WholeNumber(floor: .integer(floor), isExact: !hasFraction, nearest: nearest)
  }

  /// Returns the number if it is smaller, or larger, than all numbers of 64 bits.
  private func beyond(_ nearest: Double) -> WholeNumber {
    let value = isNegative ? min(nearest, (-0x1p63).nextDown) : max(nearest, 0x1p64)
    return WholeNumber(floor: .real(value), isExact: true, nearest: value)
  }
}

/// A number among the whole numbers that integer fields hold. A `Double` alone could not tell it from its neighbors.
package struct WholeNumber {
  /// The largest whole number that is not above the number. Beyond 64 bits, it is a `real` that is smaller, or larger,
  /// than all numbers of fields.
  package let floor: FieldValue
  /// Whether the number is `floor`; false if it lies between `floor` and the next whole number.
  package let isExact: Bool
  /// The floating-point number that is nearest.
  package let nearest: Double

  /// The value to compare with a floating-point field.
  package var value: FieldValue { isExact ? floor : .real(nearest) }
}
