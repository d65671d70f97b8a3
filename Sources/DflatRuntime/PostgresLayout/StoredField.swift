/// A field with a single value in a stored object: the path to it, its type and its default.
///
/// The runtime makes it from a record's description and `dflatc` from a schema, so that both have the same SQL for the
/// field.
package struct StoredField: Sendable {
  /// The type of the value in a FlatBuffer.
  package enum Storage: Hashable, Sendable {
    /// A number of the type with this name.
    case bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float, double
    /// A string with an offset of 32 bits, and one with an offset of 64 bits.
    case string, stringOffset64
    /// The type code of a union, in 1, 2, 4 or 8 bytes.
    case unionType, unionType16, unionType32, unionType64
    /// A struct that is one fixed array with this number of bytes.
    case bytes(Int)

    /// Creates the storage of a union's type code of `size` bytes.
    package init(unionTypeOfSize size: Int) {
      self =
        switch size {
        case 2: .unionType16
        case 4: .unionType32
        case 8: .unionType64
        default: .unionType
        }
    }

    /// The name of a number's type; empty for other types.
    var numberName: String {
      switch self {
      case .bool: "bool"
      case .int8: "int8"
      case .uint8: "uint8"
      case .int16: "int16"
      case .uint16: "uint16"
      case .int32: "int32"
      case .uint32: "uint32"
      case .int64: "int64"
      case .uint64: "uint64"
      case .float: "float"
      case .double: "double"
      case .string, .stringOffset64, .unionType, .unionType16, .unionType32, .unionType64, .bytes: ""
      }
    }

    /// Whether the value is a union's type code.
    var isUnionType: Bool {
      switch self {
      case .unionType, .unionType16, .unionType32, .unionType64: true
      default: false
      }
    }
  }

  /// The type code of a union's member, and the code's size in bytes.
  package struct UnionCode: Sendable {
    package let number: UInt64
    package let size: Int

    package init(_ number: UInt64, size: Int) {
      self.number = number
      self.size = size
    }
  }

  /// A step on the path to the table or struct that holds the field. Slots are offsets in a vtable; for structs,
  /// offsets in bytes.
  package enum Step: Sendable {
    /// A step to the table in the field at the slot.
    case table(Int)
    /// A step to the struct in the field at the slot.
    case structure(Int)
    /// A step to a union's member, if the type code is `code`; `slot` is the slot of the member.
    case unionTable(slot: Int, code: UnionCode)
    case unionStructure(slot: Int, code: UnionCode)
    case unionString(slot: Int, code: UnionCode)

    /// The step's part of the field's name on disk.
    var key: String {
      switch self {
      case .table(let slot), .structure(let slot): "f\(slot)"
      case .unionTable(let slot, let code), .unionStructure(let slot, let code), .unionString(let slot, let code):
        "f\(slot)__u\(code.number)"
      }
    }
  }

  /// The default of a field.
  package enum Value: Sendable {
    case null
    case integer(Int64)
    case unsigned(UInt64)
    case real(Double)
    case text(String)
  }

  let steps: [Step]
  let storage: Storage
  /// In a table, the offset in bytes of the vtable entry of the field, or of the union's member: 4 + 2 × the field's
  /// id. In a struct, the field's own offset in bytes.
  let slot: Int
  /// The value of an absent field; nil for NULL.
  let defaultValue: Value?

  /// Creates the description of a field.
  ///
  /// - Parameters:
  ///   - steps: the path from the root table to the table or struct of the field.
  ///   - slot: in a table, the offset in bytes of the field's vtable entry; in a struct, the field's offset in bytes.
  ///   - defaultValue: the value of an absent field; nil for NULL.
  package init(_ steps: [Step], _ storage: Storage, at slot: Int, default defaultValue: Value? = nil) {
    self.steps = steps
    self.storage = storage
    self.slot = slot
    self.defaultValue = defaultValue
  }

  /// The field's name on disk, which is part of the names of its function and its index.
  var key: String {
    (steps.map(\.key) + [storage.isUnionType ? "f\(slot)__type" : "f\(slot)"]).joined(separator: "__")
  }
}

/// A vector of single values in a stored object: the path to it, its slot and the type of its elements.
package struct StoredVector: Sendable {
  /// The kind of reference from the field to its vector.
  package enum Reference: Sendable {
    /// An offset of 32 bits.
    case offset
    /// An offset of 64 bits.
    case offset64
    /// An offset of 64 bits to a vector whose length has 64 bits.
    case vector64
  }

  let steps: [StoredField.Step]
  let element: StoredField.Storage
  /// The offset in bytes of the vector's entry in the vtable of its table.
  let slot: Int
  let reference: Reference

  /// Creates the description of a vector.
  ///
  /// - Parameters:
  ///   - steps: the path from the root table to the table of the vector.
  ///   - element: the type of the elements, which are numbers, bytes, or strings with an offset of 32 bits.
  ///   - slot: the offset in bytes of the vector's vtable entry.
  package init(
    _ steps: [StoredField.Step], of element: StoredField.Storage, at slot: Int, _ reference: Reference = .offset
  ) {
    self.steps = steps
    self.element = element
    self.slot = slot
    self.reference = reference
  }

  /// The vector's name on disk, such as `f4__f6`. It is part of the names of the index over the vector's elements and of
  /// the function of that index.
  var key: String { (steps.map(\.key) + ["f\(slot)"]).joined(separator: "__") }
}

/// An index of a table: over the values of a field, or over the elements of a vector.
package struct StoredIndex: Sendable {
  /// The value from which a row's entries are made.
  package enum Source: Sendable {
    case field(StoredField)
    case elements(StoredVector)
  }

  let source: Source
  /// Whether the entries are texts without differences of case and diacritics.
  let isFolded: Bool
  let isUnique: Bool

  /// Describes an index. One over elements is never unique.
  package init(_ source: Source, isFolded: Bool = false, isUnique: Bool = false) {
    self.source = source
    self.isFolded = isFolded
    self.isUnique = isUnique
  }

  /// Whether a row has an entry for each element of a vector.
  var isOverElements: Bool { if case .elements = source { true } else { false } }

  /// The type of an entry.
  var type: ColumnType {
    switch source {
    case .field(let field): ColumnType(field.storage)
    case .elements(let vector): ColumnType(vector.element)
    }
  }

  /// The name on disk of the indexed field or elements. It is part of the names of the index and its function.
  var key: String {
    let suffix = isFolded ? FoldingSQL.suffix : ""
    return switch source {
    case .field(let field): field.key + suffix
    case .elements(let vector): "\(vector.key)__elements\(suffix)"
    }
  }
}
