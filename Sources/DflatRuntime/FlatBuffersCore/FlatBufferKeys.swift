// Sorted vectors: a field with the attribute `key` gives an order to the tables or structs that have it, and a vector in
// that order is searched by halving it. The order is that of the C++ library.

/// A scalar that vectors can be sorted by.
public protocol FlatBufferScalarKey: FlatBufferScalar {
  /// Whether `first` stands before `second` in a sorted vector.
  static func precedes(_ first: Self, _ second: Self) -> Bool
}

extension FlatBufferScalarKey where Self: Comparable {
  /// The order of the numbers.
  @inlinable
  public static func precedes(_ first: Self, _ second: Self) -> Bool { first < second }
}

extension FlatBufferScalarKey where Self: FloatingPoint {
  /// The order of the numbers. Those that are none, for which C++ has no order, are the last.
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
  /// False stands before true.
  @inlinable
  public static func precedes(_ first: Bool, _ second: Bool) -> Bool { !first && second }
}

/// A table or struct with a number, bool or enum as its key. Generated code conforms to it.
public protocol FlatBufferScalarKeyed {
  /// The key's type; for an enum, that of its raw value.
  associatedtype Key: FlatBufferScalarKey

  /// The key of `element`.
  static func key(of element: Self) -> Key
}

/// A table with a string as its key. Generated code conforms to it.
public protocol FlatBufferStringKeyed: FlatBufferTableView {
  /// The slot of the key's field.
  static var keySlot: VTableOffset { get }
}

/// The order of strings in a sorted vector: that of their bytes, a string before those that it begins.
@usableFromInline
enum UTF8Order {
  /// Less than 0 when `first` stands before `second`, 0 when they are the same.
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
  /// The index of the first element whose key is `key`, found by halving; nil when there is none. In a vector that is not
  /// sorted by its key, an element may not be found.
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

  /// The first element whose key is `key`, found by halving; nil when there is none. In a vector that is not sorted by
  /// its key, an element may not be found.
  @inlinable
  public func first(withKey key: Element.Key) -> Element? {
    guard let index = firstIndex(withKey: key) else { return nil }
    return self[index]
  }

  /// The first element whose key is `key`, as ``first(withKey:)-(Element.Key)`` finds it.
  @inlinable
  public func first<Value: FlatBufferEnumValue>(withKey key: Value) -> Element? where Value.RawValue == Element.Key {
    first(withKey: key.rawValue)
  }
}

extension FlatBufferVector where Element: FlatBufferStringKeyed {
  /// The index of the first element whose key is `key`, found by halving without a copy of any string; nil when there is
  /// none. In a vector that is not sorted by its key, an element may not be found.
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
    self[index]._table.withUTF8(at: Element.keySlot) { bytes in
      UTF8Order.compare(bytes ?? UnsafeRawBufferPointer(start: nil, count: 0), key)
    }
  }

  /// The index of the first element whose key is `key`, found by halving; nil when there is none. In a vector that is not
  /// sorted by its key, an element may not be found.
  @inlinable
  public func firstIndex(withKey key: String) -> Int? {
    var key = key
    return key.withUTF8 { firstIndex(withKeyUTF8: UnsafeRawBufferPointer($0)) }
  }

  /// The first element whose key is `key`, found by halving; nil when there is none. In a vector that is not sorted by
  /// its key, an element may not be found.
  @inlinable
  public func first(withKey key: String) -> Element? {
    guard let index = firstIndex(withKey: key) else { return nil }
    return self[index]
  }
}

extension FlatBufferBuilder {
  /// Writes a vector of structs, sorted by their key, in which readers find an element by halving.
  public mutating func create<Structure: FlatBufferStructWritable & FlatBufferScalarKeyed>(
    sortedVector structures: [Structure]
  ) -> Offset {
    create(vector: structures.sorted { Structure.Key.precedes(Structure.key(of: $0), Structure.key(of: $1)) })
  }

  /// Writes a vector of tables that this builder has written, sorted by their key, in which readers find an element by
  /// halving.
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

  /// Writes a vector of tables that this builder has written, sorted by their key, in which readers find an element by
  /// halving.
  public mutating func create<View: FlatBufferStringKeyed>(
    sortedVector tables: [Offset], of _: View.Type
  ) -> Offset {
    let sorted = withWrittenWindow { window in
      // The bytes stay where they are until something more is written.
      let keyed = tables.map { table in (key: writtenTable(table, in: window).utf8(at: View.keySlot), table: table) }
      let none = UnsafeRawBufferPointer(start: nil, count: 0)
      return keyed.sorted { UTF8Order.compare($0.key ?? none, $1.key ?? none) < 0 }.map(\.table)
    }
    return create(vector: sorted)
  }

  /// Calls `body` with what has been written so far, which is valid until it returns.
  private borrowing func withWrittenWindow<Result>(_ body: (FlatBufferWindow) -> Result) -> Result {
    // Unsafe in that nothing keeps the bytes: this builder does, until `body` has returned.
    // Its size is that of a FlatBuffer: a builder never grows beyond that.
    body(FlatBufferWindow(base: memory + space, owner: nil, size: UInt32(truncatingIfNeeded: count)))
  }
}

/// The table that a builder has written at `offset` from the end of `window`. One that was dropped is empty.
private func writtenTable(_ offset: Offset, in window: FlatBufferWindow) -> FlatBufferTable {
  precondition(!offset.isNull, "A sorted vector holds tables, and `Offset.null` is none.")
  return FlatBufferTable(in: window, at: window.count - Int(offset.rawValue)) ?? .empty
}
