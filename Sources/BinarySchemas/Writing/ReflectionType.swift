import FBSSchema

/// A type as a binary schema describes it.
struct ReflectionType: Hashable {
  var base: ReflectionBaseType
  /// The type of the elements of a vector or array.
  var element = ReflectionBaseType.none
  /// The index of the struct or table among the objects, or of the enum or union among the enums.
  var index: Int32 = -1
  /// The length of an array.
  var fixedLength: UInt16 = 0
  /// The bytes from one element to the next.
  var elementSize: UInt32 = ReflectionBaseType.none.size

  /// Hashes everything except `elementSize`, which follows from the rest, in one step: each field looks its type up.
  func hash(into hasher: inout Hasher) {
    hasher.combine(
      UInt64(UInt8(bitPattern: base.rawValue)) | UInt64(UInt8(bitPattern: element.rawValue)) << 8
        | UInt64(fixedLength) << 16 | UInt64(UInt32(bitPattern: index)) << 32)
  }

  /// Creates a type that is neither a vector nor an array.
  ///
  /// - Parameter index: the index of the definition that the type refers to; -1 for none.
  init(_ base: ReflectionBaseType, index: Int32 = -1) {
    self.base = base
    self.index = index
  }

  /// Creates a vector of elements of type `element`, or an array of `fixedLength` such elements.
  init(of element: ReflectionType, size: UInt32? = nil, fixedLength: UInt16? = nil) {
    base = fixedLength == nil ? .vector : .array
    self.element = element.base
    index = element.index
    self.fixedLength = fixedLength ?? 0
    elementSize = size ?? element.base.size
  }
}
