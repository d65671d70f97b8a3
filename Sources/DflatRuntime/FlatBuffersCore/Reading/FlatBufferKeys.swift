// Sorted vectors: a field with the attribute `key` defines an order of its tables or structs, and a vector in that
// order is searched by binary search, O(log n). The order is that of the C++ library.

/// A scalar type that can be the key of a sorted vector.
public protocol FlatBufferScalarKey: FlatBufferScalar {
  /// Returns whether `first` comes before `second` in a sorted vector.
  static func precedes(_ first: Self, _ second: Self) -> Bool
}

extension FlatBufferScalarKey where Self: Comparable {
  /// Returns whether `first` is less than `second`.
  @inlinable
  public static func precedes(_ first: Self, _ second: Self) -> Bool { first < second }
}

extension FlatBufferScalarKey where Self: FloatingPoint {
  /// Returns whether `first` is less than `second`. NaN comes last; the C++ library defines no order for it.
  @inlinable
  public static func precedes(_ first: Self, _ second: Self) -> Bool {
    first < second || (second.isNaN && !first.isNaN)
  }
}

extension Int8: FlatBufferScalarKey {}
extension Int16: FlatBufferScalarKey {}
extension Int32: FlatBufferScalarKey {}
extension Int64: FlatBufferScalarKey {}
extension UInt8: FlatBufferScalarKey {}
extension UInt16: FlatBufferScalarKey {}
extension UInt32: FlatBufferScalarKey {}
extension UInt64: FlatBufferScalarKey {}
extension Float: FlatBufferScalarKey {}
extension Double: FlatBufferScalarKey {}

extension Bool: FlatBufferScalarKey {
  /// Returns whether `first` comes before `second`: false comes before true.
  @inlinable
  public static func precedes(_ first: Bool, _ second: Bool) -> Bool { !first && second }
}

/// A table or struct whose key is a number, a bool or an enum. Generated code conforms to it.
public protocol FlatBufferScalarKeyed {
  /// The type of the key; for an enum, the type of its raw value.
  associatedtype Key: FlatBufferScalarKey

  /// Returns the key of `element`.
  static func key(of element: Self) -> Key
}

/// A table whose key is a string. Generated code conforms to it.
public protocol FlatBufferStringKeyed: FlatBufferTableView {
  /// The slot of the key field.
  static var keySlot: VTableOffset { get }

  /// Whether the key field is an `(offset64)` string.
  static var keyHasOffset64: Bool { get }
}

extension FlatBufferStringKeyed {
  /// False, unless generated code defines it.
  @inlinable
  public static var keyHasOffset64: Bool { false }

  /// Returns the bytes of the key of `table`, which are valid as long as those of ``FlatBufferTable/utf8(at:)``.
  @inlinable
  static func keyUTF8(of table: FlatBufferTable) -> UnsafeRawBufferPointer? {
    keyHasOffset64 ? table.utf8(offset64At: keySlot) : table.utf8(at: keySlot)
  }
}

/// The order of strings in a sorted vector: lexicographic by their UTF-8 bytes.
@usableFromInline
enum UTF8Order {
  /// Returns a negative number if `first` comes before `second`, 0 if they are equal, else a positive number.
  @inlinable
  static func compare(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
    let count = min(first.count, second.count)
    for index in 0..<count where first[index] != second[index] {
      return Int(first[index]) &- Int(second[index])
    }
    return first.count &- second.count
  }
}

extension FlatBufferVector where Element: FlatBufferScalarKeyed {
  /// Returns the index of the first element whose key is `key`, found by binary search; nil if there is none. The vector must
  /// be sorted by its key, or an element may be missed.
  @inlinable
  public func firstIndex(withKey key: Element.Key) -> Int? {
    var lower = 0
    var upper = count
    while lower < upper {
      let middle = (lower &+ upper) / 2
      if Element.Key.precedes(Element.key(of: self[middle]), key) { lower = middle &+ 1 } else { upper = middle }
    }
    return lower < count && !Element.Key.precedes(key, Element.key(of: self[lower])) ? lower : nil
  }

  /// Returns the first element whose key is `key`, found by binary search; nil if there is none. The vector must be sorted by
  /// its key, or an element may be missed.
  @inlinable
  public func first(withKey key: Element.Key) -> Element? {
    guard let index = firstIndex(withKey: key) else { return nil }
    return self[index]
  }

  /// Returns the first element whose key is the raw value of `key`, found by binary search; nil if there is none. The vector must
  /// be sorted by its key, or an element may be missed.
  @inlinable
  public func first<Value: FlatBufferEnumValue>(withKey key: Value) -> Element? where Value.RawValue == Element.Key {
    first(withKey: key.rawValue)
  }
}

extension FlatBufferVector where Element: FlatBufferStringKeyed {
  /// Returns the index of the first element whose key has the bytes `key`, found by binary search without copying any string;
  /// nil if there is none. The vector must be sorted by its key, or an element may be missed.
  @inlinable
  public func firstIndex(withKeyUTF8 key: UnsafeRawBufferPointer) -> Int? {
    var lower = 0
    var upper = count
    while lower < upper {
      let middle = (lower &+ upper) / 2
      if compareKey(at: middle, with: key) < 0 { lower = middle &+ 1 } else { upper = middle }
    }
    return lower < count && compareKey(at: lower, with: key) == 0 ? lower : nil
  }

  @inlinable
  func compareKey(at index: Int, with key: UnsafeRawBufferPointer) -> Int {
    let table = self[index]._table
    let bytes = Element.keyUTF8(of: table) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    let order = UTF8Order.compare(bytes, key)
    withExtendedLifetime(table.window.owner) {}
    return order
  }

  /// Returns the index of the first element whose key is `key`, found by binary search; nil if there is none. The vector must
  /// be sorted by its key, or an element may be missed.
  @inlinable
  public func firstIndex(withKey key: String) -> Int? {
    var key = key
    return key.withUTF8 { firstIndex(withKeyUTF8: UnsafeRawBufferPointer($0)) }
  }

  /// Returns the first element whose key is `key`, found by binary search; nil if there is none. The vector must be sorted by
  /// its key, or an element may be missed.
  @inlinable
  public func first(withKey key: String) -> Element? {
    guard let index = firstIndex(withKey: key) else { return nil }
    return self[index]
  }
}

extension FlatBufferBuilder {
  /// Writes a vector of structs sorted by their key, so that readers find an element by binary search.
  public mutating func create<Structure: FlatBufferStructWritable & FlatBufferScalarKeyed>(
    sortedVector structures: [Structure]
  ) -> Offset {
    create(vector: structures.sorted { Structure.Key.precedes(Structure.key(of: $0), Structure.key(of: $1)) })
  }

  /// Writes a vector of tables that this builder has written, sorted by their key, so that readers find an element by
  /// binary search. ``Offset/null`` among them stops the program.
  public mutating func create<View: FlatBufferTableView & FlatBufferScalarKeyed>(
    sortedVector tables: [Offset], of _: View.Type
  ) -> Offset {
    var keyed: [(key: View.Key, table: Offset)] = []
    keyed.reserveCapacity(tables.count)
    withWrittenWindow { window in
      for table in tables { keyed.append((View.key(of: View(writtenTable(table, in: window))), table)) }
    }
    keyed.sort { View.Key.precedes($0.key, $1.key) }
    return create(vector: keyed.map(\.table))
  }

  /// Writes a vector of tables that this builder has written, sorted by their key, so that readers find an element by
  /// binary search. ``Offset/null`` among them stops the program.
  public mutating func create<View: FlatBufferStringKeyed>(
    sortedVector tables: [Offset], of _: View.Type
  ) -> Offset {
    let sorted = withWrittenWindow { window in
      // The keys point into the builder's memory, which does not move while nothing is written.
      let keyed = tables.map { table in (key: View.keyUTF8(of: writtenTable(table, in: window)), table: table) }
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      return keyed.sorted { UTF8Order.compare($0.key ?? none, $1.key ?? none) < 0 }.map(\.table)
    }
    return create(vector: sorted)
  }

  /// Calls `body` with a window of the bytes written so far. The window is valid until `body` returns.
  borrowing func withWrittenWindow<Result>(_ body: (FlatBufferWindow) -> Result) -> Result {
    // The window does not retain the bytes: the builder, which is borrowed until `body` returns, owns them.
    // The size fits 32 bits, because a builder never exceeds `FlatBufferWindow.maximumCount`.
    body(FlatBufferWindow(base: memory + space, owner: nil, size: UInt32(truncatingIfNeeded: count)))
  }
}

/// Returns the table that a builder has written `offset` bytes from the end of `window`; an empty table if it was
/// dropped. Stops the program if `offset` is ``Offset/null``.
func writtenTable(_ offset: Offset, in window: FlatBufferWindow) -> FlatBufferTable {
  precondition(!offset.isNull, "A sorted vector holds tables: `Offset.null` is not allowed.")
  return FlatBufferTable(in: window, at: window.count - Int(offset.rawValue)) ?? .empty
}
