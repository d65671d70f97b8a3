/// The fields under which standing queries are filed.
struct FieldIndexes: ~Copyable {
  // Each index has its own memory, so that filings can point to it and a lookup does not copy it. This value owns the
  // memory, and frees it when the index is empty.
  private(set) var byField: [FiledField: UnsafeMutablePointer<FieldIndex>] = [:]
  private(set) var all: ContiguousArray<UnsafeMutablePointer<FieldIndex>> = []

  deinit {
    for index in all {
      index.deinitialize(count: 1)
      index.deallocate()
    }
  }

  /// Returns the index of a field, and makes it if there is none.
  mutating func index(of field: FiledField) -> UnsafeMutablePointer<FieldIndex> {
    if let index = byField[field] { return index }
    let index = UnsafeMutablePointer<FieldIndex>.allocate(capacity: 1)
    index.initialize(to: FieldIndex(field))
    byField[field] = index
    all.append(index)
    return index
  }

  /// Frees an index if nothing is filed in it, so that its field is not read any more.
  mutating func removeIfEmpty(_ index: UnsafeMutablePointer<FieldIndex>) {
    guard index.pointee.count == 0 else { return }
    byField[index.pointee.field] = nil
    all.removeAll { $0 == index }
    index.deinitialize(count: 1)
    index.deallocate()
  }
}

extension [FiledField: UnsafeMutablePointer<FieldIndex>] {
  /// Returns the number of queries that are filed under a value of a field.
  func popularity(of value: FieldValue, in field: FiledField) -> Int {
    guard let index = self[field] else { return 0 }
    return value.withRowValue { Int(index.pointee.values.filings(of: $0).count) }
  }
}
