import FlatBuffersCore

/// Finds, for a row, the standing queries whose predicate is true.
package struct PredicateIndex {
  private var programs: [Int: QueryProgram?] = [:]

  package init() {}

  package mutating func insert(_ predicate: QueryNode?, as id: Int) {
    programs[id] = .some(predicate.map { QueryProgram($0) })
  }

  package mutating func remove(_ id: Int) { programs[id] = nil }

  package mutating func appendMatches(of row: FlatBufferTable, to ids: inout ContiguousArray<Int32>) {
    for (id, program) in programs where program?.matches(row) ?? true { ids.append(Int32(id)) }
  }
}
