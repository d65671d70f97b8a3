import FlatBuffersCore

/// The order of a standing query: the keys of its fetch, and then the row numbers.
@usableFromInline
package struct SortOrder: Sendable {
  private let keys: ContiguousArray<(program: QueryProgram, isDescending: Bool)>

  package init(_ keys: [FetchKey]) {
    self.keys = ContiguousArray(keys.map { (QueryProgram($0.node), $0.isDescending) })
  }

  /// Whether there are no keys, so that objects come in the order of their rows.
  package var isByRow: Bool { keys.isEmpty }

  /// Returns the values that a row is ordered by, copied out of it; nil if it is ordered by its number alone.
  @usableFromInline
  package func key(of row: FlatBufferTable) -> SortKey? {
    keys.isEmpty ? nil : SortKey(of: row, keys)
  }

  /// Compares two rows. The result is negative if the left one comes first, and 0 if they are the same row.
  package func order(_ lhs: SortKey?, _ lhsRow: Int64, _ rhs: SortKey?, _ rhsRow: Int64) -> Int {
    if let lhs, let rhs, lhs !== rhs {
      for index in keys.indices {
        let difference = lhs.order(rhs, at: index)
        if difference != 0 { return keys[index].isDescending ? -difference : difference }
      }
    }
    return lhsRow < rhsRow ? -1 : lhsRow == rhsRow ? 0 : 1
  }

  /// Returns whether the keys are equal, so that rows with these keys are ordered by their numbers.
  func isSame(_ lhs: SortKey?, _ rhs: SortKey?) -> Bool { order(lhs, 0, rhs, 0) == 0 }
}

/// The values that one row is ordered by. Several standing queries may share one.
@usableFromInline
package final class SortKey: Sendable {
  private let values: ContiguousArray<Value>
  private let text: ContiguousArray<UInt8>

  private enum Value: BitwiseCopyable, Sendable {
    case null
    case integer(Int64)
    case unsigned(UInt64)
    case wide(WideInteger)
    case real(Double)
    /// A range of `text`.
    case text(start: Int, count: Int)
    /// Bytes, which are a range of `text` as well.
    case bytes(start: Int, count: Int)
  }

  fileprivate init(of row: FlatBufferTable, _ keys: ContiguousArray<(program: QueryProgram, isDescending: Bool)>) {
    var text: ContiguousArray<UInt8> = []
    var values: ContiguousArray<Value> = []
    values.reserveCapacity(keys.count)
    for key in keys {
      key.program.withValue(for: row) { value in
        switch value {
        case .null: values.append(.null)
        case .integer(let value): values.append(.integer(value))
        case .unsigned(let value): values.append(.unsigned(value))
        case .wide(let value): values.append(.wide(value))
        case .real(let value): values.append(.real(value))
        case .text(let bytes):
          text.append(contentsOf: bytes)
          values.append(.text(start: text.count - bytes.count, count: bytes.count))
        case .bytes(let bytes):
          text.append(contentsOf: bytes)
          values.append(.bytes(start: text.count - bytes.count, count: bytes.count))
        }
      }
    }
    self.values = values
    self.text = text
  }

  fileprivate func order(_ other: SortKey, at index: Int) -> Int {
    if case .integer(let a) = values[index], case .integer(let b) = other.values[index] {
      return a < b ? -1 : a == b ? 0 : 1
    }
    return text.withUnsafeBytes { text in
      other.text.withUnsafeBytes { otherText in
        RowValue.order(SortKey.value(values[index], text), SortKey.value(other.values[index], otherText))
      }
    }
  }

  private static func value(_ value: Value, _ text: UnsafeRawBufferPointer) -> RowValue {
    switch value {
    case .null: .null
    case .integer(let value): .integer(value)
    case .unsigned(let value): .unsigned(value)
    case .wide(let value): .wide(value)
    case .real(let value): .real(value)
    case .text(let start, let count): .text(UnsafeRawBufferPointer(rebasing: text[start..<start + count]))
    case .bytes(let start, let count): .bytes(UnsafeRawBufferPointer(rebasing: text[start..<start + count]))
    }
  }
}
