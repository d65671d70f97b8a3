/// The number of a row as the key of a dictionary that is asked once for each row of each result.
///
/// Swift's own hash of a number takes most of such a look-up. Row numbers are spread by one multiplication instead, with the seed of the
/// dictionary, so that a file cannot hold numbers that are known to collide.
struct RowNumber: Hashable {
  let value: Int64

  init(_ value: Int64) { self.value = value }

  func hash(into hasher: inout Hasher) { hasher.combine(value) }

  /// The requirement of `Hashable` that dictionaries call.
  func _rawHashValue(seed: Int) -> Int {
    let (high, low) = UInt64(bitPattern: value ^ Int64(seed)).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return Int(truncatingIfNeeded: high ^ low)
  }
}
