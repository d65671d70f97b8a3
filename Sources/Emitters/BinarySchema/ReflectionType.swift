import FBSSchema

/// The kinds of type, by their codes in a binary schema.
enum ReflectionBaseType: Int8 {
  case none, unionType, bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float, double
  case string, vector, object, union, array
  /// Since FlatBuffers 23.
  case vector64

  init(_ type: ScalarType) {
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

  /// The bytes that a value takes in a table: those of an offset, if it is not in line. `none` counts as one.
  var size: UInt32 {
    switch self {
    case .none, .unionType, .bool, .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float, .string, .vector, .object, .union, .array: 4
    case .int64, .uint64, .double, .vector64: 8
    }
  }
}

/// A type as a binary schema describes it.
struct ReflectionType: Hashable {
  var base: ReflectionBaseType
  /// The type of the elements of a vector or array.
  var element = ReflectionBaseType.none
  /// The place of the struct or table among the objects, or of the enum or union among the enums.
  var index: Int32 = -1
  /// The length of an array.
  var fixedLength: UInt16 = 0
  /// The bytes from one element to the next.
  var elementSize: UInt32 = ReflectionBaseType.none.size

  /// The type of something that stands alone.
  init(_ base: ReflectionBaseType, index: Int32 = -1) {
    self.base = base
    self.index = index
  }

  /// A vector of `element`s, or an array of so many.
  init(of element: ReflectionType, size: UInt32? = nil, fixedLength: UInt16? = nil) {
    base = fixedLength == nil ? .vector : .array
    self.element = element.base
    index = element.index
    self.fixedLength = fixedLength ?? 0
    elementSize = size ?? element.base.size
  }
}
