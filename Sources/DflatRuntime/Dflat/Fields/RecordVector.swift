import FlatBuffersCore

/// A vector of a stored object: its path, its slot and the type of its elements in the object's bytes.
public struct RecordVector: Hashable, Sendable {
  /// The type of the elements.
  public enum Element: Hashable, Sendable, BitwiseCopyable {
    /// Single values: numbers, bools, enums, strings, or structs that are one fixed array of bytes.
    case value(FieldStorage)
    /// Structs of `size` bytes.
    case structure(size: Int)
    /// Tables.
    case table
    /// Unions, whose type codes take `codeSize` bytes each.
    case union(codeSize: Int)
  }

  /// The kind of reference from the field to its vector.
  public enum Reference: Hashable, Sendable, BitwiseCopyable {
    /// An offset of 32 bits.
    case offset
    /// An offset of 64 bits.
    case offset64
    /// An offset of 64 bits to a vector whose length has 64 bits.
    case vector64
  }

  package let path: FieldPath
  package let element: Element
  package let slot: VTableOffset
  package let reference: Reference

  /// Creates a vector field.
  ///
  /// - Parameters:
  ///   - path: the path to the table that holds the vector.
  ///   - element: the type of the elements.
  ///   - slot: the slot of the vector; of a vector of unions, that of the members.
  ///   - reference: how the field refers to the vector.
  public init(_ path: FieldPath, _ element: Element, at slot: VTableOffset, _ reference: Reference = .offset) {
    self.path = path
    self.element = element
    self.slot = slot
    self.reference = reference
  }

  /// Whether the path leads to a table, which alone holds vectors.
  var isInTable: Bool {
    path.steps.enumerated().allSatisfy { index, step in
      switch step {
      case .table, .unionTable: true
      case .element: index == 0
      case .structure, .unionStructure, .unionString: false
      }
    }
  }

  /// The vector's name in messages and on disk: its path and slot.
  package var key: String { (path.steps.map(\.key) + ["f\(slot)"]).joined(separator: "__") }
}

extension FieldPath {
  /// Returns the path to an element of a vector, for a condition on an element within `level` other such conditions.
  static func element(level: Int) -> FieldPath { FieldPath(steps: [.element(level: level)]) }

  /// The level of the element at which the path starts; nil if it starts at the root table.
  var elementLevel: Int? {
    if case .element(let level)? = steps.first { level } else { nil }
  }

  /// The path without its first step, which leads to an element.
  var behindElement: FieldPath { FieldPath(steps: Array(steps.dropFirst())) }
}
