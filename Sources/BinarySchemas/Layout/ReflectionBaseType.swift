import FBSSchema

/// The kinds of type, by their codes in a binary schema.
package enum ReflectionBaseType: Int8 {
  case none, unionType, bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float, double
  case string, vector, object, union, array
  /// A vector whose length has 64 bits. Exists since FlatBuffers 23.
  case vector64

  package init(_ type: ScalarType) {
    switch type {
    case .bool: self = .bool
    case .int8: self = .int8
    case .uint8: self = .uint8
    case .int16: self = .int16
    case .uint16: self = .uint16
    case .int32: self = .int32
    case .uint32: self = .uint32
    case .int64: self = .int64
    case .uint64: self = .uint64
    case .float: self = .float
    case .double: self = .double
    }
  }

  /// The size in bytes of a value in a table. A value that is not inline counts as its offset, and `none` as one byte.
  package var size: UInt32 {
    switch self {
    case .none, .unionType, .bool, .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float, .string, .vector, .object, .union, .array: 4
    case .int64, .uint64, .double, .vector64: 8
    }
  }

  /// The scalar type; nil if this is no scalar type. The hidden type field of a union has none: schemas cannot name it.
  package var scalar: ScalarType? {
    switch self {
    case .bool: .bool
    case .int8: .int8
    case .uint8: .uint8
    case .int16: .int16
    case .uint16: .uint16
    case .int32: .int32
    case .uint32: .uint32
    case .int64: .int64
    case .uint64: .uint64
    case .float: .float
    case .double: .double
    case .none, .unionType, .string, .vector, .object, .union, .array, .vector64: nil
    }
  }
}
