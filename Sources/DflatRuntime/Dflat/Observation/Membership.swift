/// Which standing queries have a row in their results.
struct Membership {
  private struct Entry {
    var queries: ContiguousArray<Int32> = []
    /// The object that a fetch has found in the row; nil if it has changed since.
    var object: AnyObject?
    /// The commit version at which it was read.
    var version: UInt64 = 0
  }

  private var entries: [Int64: Entry] = [:]

  /// The numbers of the queries that have a row that has changed.
  mutating func queries(ofChangedRow rowid: Int64) -> ContiguousArray<Int32> {
    entries.isEmpty ? [] : storedQueries(ofChangedRow: rowid)
  }

  private mutating func storedQueries(ofChangedRow rowid: Int64) -> ContiguousArray<Int32> {
    guard let index = entries.index(forKey: rowid) else { return [] }
    if entries.values[index].object != nil { entries.values[index].object = nil }
    return entries.values[index].queries
  }

  mutating func insert(_ query: Int, for rowid: Int64) { entries[rowid, default: Entry()].queries.append(Int32(query)) }

  /// The same for an object that a fetch has found in the row.
  ///
  /// - Parameter version: all commits up to this version show in the object, and no later one; 0 if that is not known.
  /// - Returns: an object of the row that was read at the same version, and so is the same. Results that overlap share their
  ///   objects.
  mutating func insert(
    _ query: Int, for rowid: Int64, _ object: AnyObject, readAt version: UInt64
  ) -> AnyObject {
    func add(to entry: inout Entry) -> AnyObject {
      entry.queries.append(Int32(query))
      if let known = entry.object, entry.version == version { return known }
      if version > 0 { (entry.object, entry.version) = (object, version) }
      return object
    }
    return add(to: &entries[rowid, default: Entry()])
  }

  mutating func remove(_ query: Int, from rowid: Int64) {
    guard let index = entries.index(forKey: rowid) else { return }
    let query = Int32(query)
    if let position = entries.values[index].queries.firstIndex(of: query) {
      entries.values[index].queries.swapAt(position, entries.values[index].queries.count - 1)
      entries.values[index].queries.removeLast()
    }
    if entries.values[index].queries.isEmpty { entries.remove(at: index) }
  }
}
