import FBSSchema

/// A value of a field, as a store's queries see it. Absent values, and NaN, are null.
public enum FieldValue: Hashable, Sendable {
  case null
  case integer(Int64)
  /// A whole number above `Int64.max`.
  case unsigned(UInt64)
  case real(Double)
  /// The UTF-8 of a string.
  case text([UInt8])
  /// The bytes of a struct that is one fixed array of bytes.
  case bytes([UInt8])
}

/// The path from a table to a field in it, through tables, structs and members of unions.
public struct FieldPath: Hashable, Sendable {
  /// A step of the path.
  public enum Step: Hashable, Sendable {
    /// A member of a table.
    case field(TableID, Int)
    /// A member of a struct.
    case inline(StructID, Int)
    /// A member of a union. The path has no value if the union holds another member.
    case member(UnionID, Int)
  }

  /// The steps.
  public var steps: [Step]

  /// Creates a path of steps.
  public init(_ steps: [Step]) { self.steps = steps }
}

/// A verified FlatBuffer, whose fields can be read by their paths.
public struct VerifiedObject: Sendable {
  let bytes: WireBytes
  let position: Int
  /// The table of the root object.
  public let table: TableID
  let layouts: SchemaLayouts

  /// Returns the JSON of the object.
  public func json(_ options: JSONOptions) throws(BufferFault) -> [UInt8] {
    var printer = ObjectPrinter(bytes, layouts, options)
    try printer.print(table, at: position)
    return printer.text
  }

  /// Returns the JSON of one member; nil if the member is absent and has no default that the options write.
  /// - Parameter index: The index of the member in the layout of the root table.
  public func json(ofMember index: Int, _ options: JSONOptions) throws(BufferFault) -> [UInt8]? {
    var printer = ObjectPrinter(bytes, layouts, options)
    return try printer.print(member: index, of: table, at: position) ? printer.text : nil
  }

  /// Whether the root has a field that the schema does not know. A newer version of the schema has written it.
  public var hasUnknownFields: Bool {
    let vtable = position - Int(bytes.load(Int32.self, at: position))
    let size = Int(bytes.load(UInt16.self, at: vtable))
    let known = (layouts[table].members.last?.slot ?? 2) + 2
    return stride(from: known, to: size, by: 2).contains { bytes.load(UInt16.self, at: vtable + $0) != 0 }
  }

  /// The object itself, from which paths lead to its fields.
  public var root: PathOrigin { PathOrigin(.table(position), in: bytes, layouts) }

  /// Returns the value at a path; see `PathOrigin.value(at:)`.
  public func value(at path: FieldPath) -> FieldValue { root.value(at: path) }
}

extension FieldValue {
  /// Compares two values in SQLite's order, in which a store sorts: null, numbers, texts by their bytes, bytes. Integers
  /// above `Int64.max` come after all others.
  public static func order(_ first: FieldValue, _ second: FieldValue) -> Int {
    func rank(_ value: FieldValue) -> Int {
      switch value {
      case .null: 0
      case .integer, .real, .unsigned: 1
      case .text: 2
      case .bytes: 3
      }
    }
    let (a, b) = (rank(first), rank(second))
    guard a == b else { return a < b ? -1 : 1 }
    switch (first, second) {
    case (.integer(let a), .integer(let b)): return a < b ? -1 : a == b ? 0 : 1
    case (.unsigned(let a), .unsigned(let b)): return a < b ? -1 : a == b ? 0 : 1
    case (.unsigned(let a), .integer): return a > 0 ? 1 : -1
    case (.integer, .unsigned): return -1
    case (.real(let a), .real(let b)): return a < b ? -1 : a == b ? 0 : 1
    case (.real(let a), .integer(let b)): return -order(b, a)
    case (.integer(let a), .real(let b)): return order(a, b)
    case (.real(let a), .unsigned(let b)): return -order(b, a)
    case (.unsigned(let a), .real(let b)): return order(a, b)
    case (.text(let a), .text(let b)), (.bytes(let a), .bytes(let b)):
      return a.lexicographicallyPrecedes(b) ? -1 : a == b ? 0 : 1
    default: return 0
    }
  }

  /// Compares an integer and a floating-point number without rounding either.
  private static func order(_ a: Int64, _ b: Double) -> Int {
    if b >= 0x1p63 { return -1 }
    if b < -0x1p63 { return 1 }
    let whole = Int64(b.rounded(.towardZero))
    if a != whole { return a < whole ? -1 : 1 }
    let rest = b - Double(whole)
    return rest > 0 ? -1 : rest < 0 ? 1 : 0
  }

  /// Compares a whole number above `Int64.max` and a floating-point number without rounding either.
  private static func order(_ a: UInt64, _ b: Double) -> Int {
    if b >= 0x1p64 { return -1 }
    if b < 0x1p63 { return 1 }
    // From there on, all floating-point numbers are whole.
    let whole = UInt64(b)
    return a < whole ? -1 : a == whole ? 0 : 1
  }
}
