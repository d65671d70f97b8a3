import FlatBuffersCore

/// The contents of a `PredicateIndex`: the standing queries, and the lookup structures in which they are filed.
struct FiledQueries: ~Copyable {
  private struct Query {
    let predicate: QueryNode?
    /// The compiled predicate; nil if no filing of the query needs it.
    let program: QueryProgram?
    /// The first filing of the query; -1 if the query matches no row.
    var firstFiling: Int32 = -1
  }

  /// The queries by their ids; nil if an id is unused.
  private var queries: ContiguousArray<Query?> = []
  /// The programs by the ids of their queries, which retain them, so that a lookup counts no references.
  private var programs: ContiguousArray<Unmanaged<QueryProgram>?> = []
  private(set) var filings = Filings()
  private var everyRow = FilingList()
  private var unindexed = FilingList()

  private(set) var fields = FieldIndexes()

  /// For each id, the number of the last lookup that met the query. Only queries with several filings use it.
  private var lastLookups: ContiguousArray<UInt32> = []
  var lookup: UInt32 = 0

  // MARK: Lookup

  mutating func appendMatches(of row: FlatBufferTable, to ids: inout ContiguousArray<Int32>) {
    lookup &+= 1
    if lookup == 0 { startCountingAnew() }
    appendMatches(in: everyRow, row, &ids)
    appendMatches(in: unindexed, row, &ids)
    for position in fields.all.indices {
      let field = fields.all[position]
      switch field.pointee.reader {
      case .field(let reader): appendMatches(ofFieldValue: reader.value(in: row), in: field, row, &ids)
      case .elements(let vector, let reader):
        let elements = vector.elements(from: row)
        for index in 0..<elements.count {
          appendMatches(ofFieldValue: reader.value(of: elements, at: index), in: field, row, &ids)
        }
      }
    }
  }

  // Inlined for the benchmark row "update beside 10,000 others": each indexed field of each changed row is looked up
  // here.
  /// Appends the queries that are filed under a value of the field, or under a range around it.
  @inline(__always)
  private mutating func appendMatches(
    ofFieldValue value: RowValue, in field: UnsafeMutablePointer<FieldIndex>, _ row: FlatBufferTable,
    _ ids: inout ContiguousArray<Int32>
  ) {
    if case .null = value { return appendMatches(in: field.pointee.nulls, row, &ids) }
    appendMatches(in: field.pointee.notNulls, row, &ids)
    guard let folding = field.pointee.field.folding, case .text(let text) = value else {
      return appendMatches(of: value, in: field, row, &ids)
    }
    var texts = FoldedTexts()
    defer { texts.free() }
    appendMatches(of: .text(texts.fold(text, folding)), in: field, row, &ids)
  }

  /// Appends the queries that are filed under a value that is not NULL, or under a range around it.
  @inline(__always)
  private mutating func appendMatches(
    of value: RowValue, in field: UnsafeMutablePointer<FieldIndex>, _ row: FlatBufferTable,
    _ ids: inout ContiguousArray<Int32>
  ) {
    appendMatches(in: field.pointee.values.filings(of: value), row, &ids)
    let start = ids.count
    if !field.pointee.intervals.isEmpty { field.pointee.intervals.appendTargets(around: value, to: &ids) }
    if !field.pointee.halfLines.isEmpty { field.pointee.halfLines.appendTargets(around: value, to: &ids) }
    if start < ids.count { checkTargets(from: start, row, &ids) }
  }

  private mutating func appendMatches(
    in list: FilingList, _ row: FlatBufferTable, _ ids: inout ContiguousArray<Int32>
  ) {
    var next = list.first
    while next >= 0 {
      let posting = filings.posting(next)
      if matches(posting, row) { ids.append(posting.query) }
      next = posting.next
    }
  }

  /// Replaces the targets that searches of the interval trees have appended from index `start` on (see
  /// `Filings.target(of:)`) by the ids of the queries that match.
  private mutating func checkTargets(from start: Int, _ row: FlatBufferTable, _ ids: inout ContiguousArray<Int32>) {
    var end = start
    ids.withUnsafeMutableBufferPointer { ids in
      for index in start..<ids.count {
        if ids[index] < 0 {
          let posting = filings.posting(~ids[index])
          guard matches(posting, row) else { continue }
          ids[index] = posting.query
        }
        ids[end] = ids[index]
        end += 1
      }
    }
    if end < ids.count { ids.removeLast(ids.count - end) }
  }

  /// Returns whether a row that satisfies the posting's access predicate matches the query. Returns false if this
  /// lookup has met the query before.
  private mutating func matches(_ posting: Filing.Posting, _ row: FlatBufferTable) -> Bool {
    let query = Int(posting.query)
    if !posting.isOnly {
      if lastLookups[query] == lookup { return false }
      lastLookups[query] = lookup
    }
    if posting.isExact { return true }
    // Unretained: the query retains the program.
    return programs[query]?._withUnsafeGuaranteedRef { $0.matches(row) } ?? false
  }

  /// Restarts the numbering of lookups at 1, after the counter has overflowed.
  private mutating func startCountingAnew() {
    for id in lastLookups.indices { lastLookups[id] = 0 }
    lookup = 1
  }

  // MARK: Changes

  mutating func insert(_ predicate: QueryNode?, as id: Int) {
    remove(id)
    insert(predicate, as: id, program: nil)
  }

  mutating func remove(_ id: Int) {
    guard queries.indices.contains(id), let query = queries[id] else { return }
    var next = query.firstFiling
    while next >= 0 {
      let filing = next
      next = filings[filing].nextOfQuery
      unfile(filing)
    }
    programs[id] = nil
    queries[id] = nil
    while case nil? = queries.last {
      queries.removeLast()
      programs.removeLast()
      lastLookups.removeLast()
    }
    shrink()
  }

  /// Files a query under a free id.
  ///
  /// - Parameter program: the compiled predicate; nil to compile it if it is needed.
  private mutating func insert(_ predicate: QueryNode?, as id: Int, program: QueryProgram?) {
    while queries.count <= id {
      queries.append(nil)
      programs.append(nil)
      lastLookups.append(0)
    }
    let plan = AccessPlanner(fields: fields.byField).plan(predicate)
    let program = plan.needsProgram ? program ?? predicate.map { QueryProgram($0) } : nil
    var query = Query(predicate: predicate, program: program)
    switch plan {
    case .never: break
    case .always:
      query.firstFiling = filings.insert(
        Filing(field: nil, nextOfQuery: -1), Filing.Posting(query: id, isExact: true, isOnly: true))
      filings.link(query.firstFiling, to: &everyRow)
    case .unindexed:
      query.firstFiling = filings.insert(
        Filing(field: nil, nextOfQuery: -1), Filing.Posting(query: id, isExact: false, isOnly: true))
      filings.link(query.firstFiling, to: &unindexed)
    case .paths(let paths, weight: _):
      for path in paths {
        let field = fields.index(of: path.field)
        // Several elements of a row may lead to the filing.
        let isOnly = paths.count == 1 && path.field.vector == nil
        query.firstFiling = filings.insert(
          Filing(field: field, nextOfQuery: query.firstFiling),
          Filing.Posting(query: id, isExact: path.isExact, isOnly: isOnly))
        field.pointee.insert(query.firstFiling, under: path.predicate, in: &filings)
      }
    }
    queries[id] = query
    // Unretained: the query in `queries` retains the program, and `remove` takes both out.
    programs[id] = program.map { Unmanaged.passUnretained($0) }
  }

  private mutating func unfile(_ number: Int32) {
    if let field = filings[number].field {
      field.pointee.remove(number, in: &filings)
      fields.removeIfEmpty(field)
    } else if filings.posting(number).isExact {
      filings.unlink(number, from: &everyRow)
    } else {
      filings.unlink(number, from: &unindexed)
    }
    filings.remove(number)
  }

  /// Frees memory when less than a quarter of the filings is in use, by filing the remaining queries anew.
  private mutating func shrink() {
    guard filings.capacity > 1_024, filings.count < filings.capacity / 4 else { return }
    var remaining = FiledQueries()
    for id in queries.indices {
      if let query = queries[id] { remaining.insert(query.predicate, as: id, program: query.program) }
    }
    self = remaining
  }
}
