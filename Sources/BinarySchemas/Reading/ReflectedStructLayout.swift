import FlatBuffersCore

/// The layout of a struct as a binary schema states it. It must equal the layout of its fields.
struct ReflectedStructLayout {
  /// The size and the alignment of a value.
  typealias Measure = (size: Int, alignment: Int)

  /// The size of the struct in bytes.
  let size: Int
  /// The alignment of the struct in bytes.
  let alignment: Int
  private let name: String

  /// Reads the layout from a binary schema's object.
  /// - Throws: `Failure` if no struct can have this layout.
  init(_ object: FlatBufferTable) throws(BinarySchema.Failure) {
    name = object.string(at: ReflectionSlot.Object.name) ?? ""
    size = Int(object.scalar(at: ReflectionSlot.Object.size, default: Int32(0)))
    alignment = Int(object.scalar(at: ReflectionSlot.Object.alignment, default: Int32(0)))
    guard size >= 0, [1, 2, 4, 8, 16, 32].contains(alignment) else {
      throw BinarySchema.Failure(
        description: "its struct `\(name)` has \(size) bytes at multiples of \(alignment), as no struct has")
    }
  }

  /// Lays the fields out, and compares the result with this layout.
  /// - Parameter fields: The fields in their order, each with the size and alignment of its type.
  /// - Returns: Whether the struct has a larger alignment than its fields need, which only `force_align` causes.
  /// - Throws: `Failure` if the struct has another layout than its fields.
  func isForced(_ fields: [(field: FlatBufferTable, measure: Measure)]) throws(BinarySchema.Failure) -> Bool {
    func align(_ position: Int, _ alignment: Int) -> Int { (position + alignment - 1) & -alignment }
    var end = 0
    var natural = 1
    for (field, measure) in fields {
      end = align(end, measure.alignment)
      // The format holds only 16 bits of an offset.
      guard
        UInt16(truncatingIfNeeded: end) == field.scalar(at: ReflectionSlot.Field.offset, default: UInt16(0)),
        end <= Int(Int32.max)
      else { throw otherLayout }
      end += measure.size
      natural = max(natural, measure.alignment)
    }
    guard alignment >= natural, align(end, alignment) == size else { throw otherLayout }
    return alignment > natural
  }

  private var otherLayout: BinarySchema.Failure {
    .init(description: "its struct `\(name)` is laid out otherwise than its fields are")
  }
}
