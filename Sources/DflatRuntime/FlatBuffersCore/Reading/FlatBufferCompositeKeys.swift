// Sorted vectors whose key is a struct or a fixed array. Structs are compared field by field, arrays element by element,
// as the C++ library does: the first pair of numbers that differ decides.

/// The numbers of a key that is a struct or a fixed array, in the order in which they are compared.
public struct FlatBufferKeyLayout: Sendable {
  /// The type of a number.
  public enum Number: Sendable {
    /// A number of the type with this name.
    case bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float, double
  }

  /// A part of a key: numbers of one type, or a fixed array of structs.
  public indirect enum Part: Sendable {
    /// `count` numbers of one type, the first of them `at` bytes from the start.
    case numbers(Number, at: Int, count: Int = 1)
    /// A fixed array of `count` structs of `stride` bytes, the first of them `at` bytes from the start. Each has `parts`,
    /// at offsets from its own start.
    case structures([Part], at: Int, stride: Int, count: Int)
  }

  let byteSize: Int
  let parts: [Part]

  /// Describes a key.
  ///
  /// - Parameters:
  ///   - byteSize: the size of the struct in which the key is: that of the key itself in a table, else that of the struct
  ///     of which it is a field.
  ///   - parts: the key's numbers, at offsets from the start of that struct.
  public init(byteSize: Int, _ parts: [Part]) {
    self.byteSize = byteSize
    self.parts = parts
  }

  /// Returns whether the key in `first` comes before that in `second`. A key that is absent comes before every other.
  @usableFromInline
  func precedes(_ first: FlatBufferStruct?, _ second: FlatBufferStruct?) -> Bool {
    guard let second else { return false }
    guard let first else { return true }
    return Self.compare(parts, first, second, offset: 0) < 0
  }

  /// Returns a negative number if `first` comes before `second`, 0 if no number tells them apart, else a positive number.
  private static func compare(
    _ parts: [Part], _ first: FlatBufferStruct, _ second: FlatBufferStruct, offset: Int
  ) -> Int {
    for part in parts {
      let order: Int
      switch part {
      case .numbers(let number, let place, let count):
        order = compare(number, first, second, at: offset + place, count: count)
      case .structures(let parts, let place, let stride, let count):
        order = firstDifference(among: count) { compare(parts, first, second, offset: offset + place + stride * $0) }
      }
      if order != 0 { return order }
    }
    return 0
  }

  /// Returns the first number other than 0 that `order` returns for an index below `count`; 0 if there is none.
  private static func firstDifference(among count: Int, _ order: (Int) -> Int) -> Int {
    for index in 0..<count {
      let order = order(index)
      if order != 0 { return order }
    }
    return 0
  }

  private static func compare(
    _ number: Number, _ first: FlatBufferStruct, _ second: FlatBufferStruct, at offset: Int, count: Int
  ) -> Int {
    func compare<T: FlatBufferScalarKey>(_: T.Type) -> Int {
      firstDifference(among: count) { index in
        let place = offset + T.vectorStride * index
        let (a, b) = (first.scalar(T.self, at: place), second.scalar(T.self, at: place))
        return T.precedes(a, b) ? -1 : T.precedes(b, a) ? 1 : 0
      }
    }
    return switch number {
    case .bool: compare(Bool.self)
    case .int8: compare(Int8.self)
    case .uint8: compare(UInt8.self)
    case .int16: compare(Int16.self)
    case .uint16: compare(UInt16.self)
    case .int32: compare(Int32.self)
    case .uint32: compare(UInt32.self)
    case .int64: compare(Int64.self)
    case .uint64: compare(UInt64.self)
    case .float: compare(Float.self)
    case .double: compare(Double.self)
    }
  }

  /// Calls `body` with a struct of the bytes that `write` writes, which are valid until `body` returns; nil if a fixed
  /// array was given too many elements.
  @usableFromInline
  func withKey<Result>(
    _ write: (inout FlatBufferStructWriter) -> Void, _ body: (FlatBufferStruct) -> Result?
  ) -> Result? {
    // 8: the largest number has 8 bytes.
    withUnsafeTemporaryAllocation(byteCount: byteSize, alignment: 8) { bytes in
      guard let start = bytes.baseAddress else { return nil }
      var writer = FlatBufferStructWriter(start, count: byteSize)
      write(&writer)
      guard writer.error == nil else { return nil }
      // A struct's size fits 32 bits: the compiler refuses larger ones.
      let window = FlatBufferWindow(base: start, owner: nil, size: UInt32(truncatingIfNeeded: byteSize))
      return body(FlatBufferStruct(unchecked: window, at: 0, size: byteSize))
    }
  }
}

/// A struct to be written whose key is a struct or a fixed array. Generated code conforms to it.
public protocol FlatBufferCompositeKeyedValue: FlatBufferStructWritable {
  /// The key's numbers.
  static var keyLayout: FlatBufferKeyLayout { get }
}

/// A table or struct in a buffer whose key is a struct or a fixed array. Generated code conforms to it.
public protocol FlatBufferCompositeKeyed {
  /// The type of a key to look for: the struct to be written, or an array of the elements.
  associatedtype Key

  /// The key's numbers.
  static var keyLayout: FlatBufferKeyLayout { get }

  /// Returns the struct that holds the key of `element`; nil if it is absent.
  static func keyStructure(of element: Self) -> FlatBufferStruct?

  /// Writes `key` at its offset in the struct.
  static func write(key: Key, to writer: inout FlatBufferStructWriter)
}

extension FlatBufferVector where Element: FlatBufferCompositeKeyed {
  /// Returns the index of the first element whose key is `key`, found by binary search; nil if there is none. The vector must
  /// be sorted by its key, or an element may be missed. If the key is or holds an array, missing items count as zeros;
  /// a key with an array that is too long belongs to no element.
  @inlinable
  public func firstIndex(withKey key: Element.Key) -> Int? {
    let layout = Element.keyLayout
    return layout.withKey({ Element.write(key: key, to: &$0) }) { key in
      var lower = 0
      var upper = count
      while lower < upper {
        let middle = (lower &+ upper) / 2
        if layout.precedes(Element.keyStructure(of: self[middle]), key) { lower = middle &+ 1 } else { upper = middle }
      }
      return lower < count && !layout.precedes(key, Element.keyStructure(of: self[lower])) ? lower : nil
    }
  }

  /// Returns the first element whose key is `key`, found by binary search; nil if there is none. The vector must be
  /// sorted by its key, or an element may be missed.
  @inlinable
  public func first(withKey key: Element.Key) -> Element? {
    guard let index = firstIndex(withKey: key) else { return nil }
    return self[index]
  }
}

extension FlatBufferBuilder {
  /// Writes a vector of structs sorted by their key, so that readers find an element by binary search.
  public mutating func create<Structure: FlatBufferCompositeKeyedValue>(sortedVector structures: [Structure]) -> Offset
  {
    let (layout, size) = (Structure.keyLayout, Structure.byteSize)
    // One allocation holds the bytes of all structs while they are sorted.
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size * structures.count, alignment: 8)
    defer { bytes.deallocate() }
    guard let start = bytes.baseAddress, !structures.isEmpty else { return create(vector: structures) }
    let keyed = structures.enumerated().map { index, structure in
      let place = start + size * index
      var writer = FlatBufferStructWriter(place, count: size)
      // An array that is too long is refused below, when the struct is written for good.
      structure.write(to: &writer)
      let window = FlatBufferWindow(base: place, owner: nil, size: UInt32(truncatingIfNeeded: size))
      return (key: FlatBufferStruct(unchecked: window, at: 0, size: size), structure: structure)
    }
    return create(vector: keyed.sorted { layout.precedes($0.key, $1.key) }.map(\.structure))
  }

  /// Writes a vector of tables that this builder has written, sorted by their key, so that readers find an element by
  /// binary search. ``Offset/null`` among them stops the program.
  public mutating func create<View: FlatBufferTableView & FlatBufferCompositeKeyed>(
    sortedVector tables: [Offset], of _: View.Type
  ) -> Offset {
    let layout = View.keyLayout
    let sorted = withWrittenWindow { window in
      // The keys point into the builder's memory, which does not move while nothing is written.
      let keyed = tables.map { (key: View.keyStructure(of: View(writtenTable($0, in: window))), table: $0) }
      return keyed.sorted { layout.precedes($0.key, $1.key) }.map(\.table)
    }
    return create(vector: sorted)
  }
}
