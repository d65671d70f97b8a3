/// The types of FlexBuffers' values, in the upper six bits of a packed type. The lower two encode the width of the
/// value.
enum FlexBufferType {
  static let null: UInt8 = 0
  static let int: UInt8 = 1
  static let uint: UInt8 = 2
  static let float: UInt8 = 3
  static let key: UInt8 = 4
  static let string: UInt8 = 5
  static let indirectInt: UInt8 = 6
  static let indirectUInt: UInt8 = 7
  static let indirectFloat: UInt8 = 8
  static let map: UInt8 = 9
  static let vector: UInt8 = 10
  /// The types of vectors of integers, unsigned integers, floats, keys and, in old data, strings. Such a vector stores
  /// no types of its elements.
  static let typedVectors: ClosedRange<UInt8> = 11...15
  /// The types of tuples of two, three or four integers, unsigned integers or floats. A tuple stores no length.
  static let tuples: ClosedRange<UInt8> = 16...24
  /// The type of a vector of keys.
  static let keyVector: UInt8 = 14
  static let blob: UInt8 = 25
  static let bool: UInt8 = 26
  static let boolVector: UInt8 = 36

  /// Returns whether values of a type are stored inline. All others are referred to by an offset.
  static func isInline(_ type: UInt8) -> Bool { type <= float || type == bool }
}
