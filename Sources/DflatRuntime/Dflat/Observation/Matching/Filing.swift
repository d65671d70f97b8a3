/// A standing query, filed under an access predicate. A query whose predicate is a disjunction has several.
struct Filing: BitwiseCopyable {
  /// The place of a filing in the index of a field.
  enum Place: BitwiseCopyable {
    /// The list of the rows in which the field is NULL.
    case null
    /// The list of the rows in which the field is not NULL.
    case notNull
    /// The list of a value of the field; the payload is the index of its entry in the `ValueTable`.
    case value(Int32)
    /// The tree of intervals with an upper bound; the payload is the index of the interval.
    case interval(Int32)
    /// The tree of intervals without an upper bound; the payload is the index of the interval.
    case halfLine(Int32)
  }

  /// The part of a filing that a lookup needs.
  struct Posting: BitwiseCopyable {
    let query: Int32
    /// The next posting in the list of the place; -1 at its end. Intervals are in no list.
    fileprivate(set) var next: Int32 = -1
    /// Whether a row that satisfies the access predicate matches the query. If not, the whole predicate has to be checked.
    let isExact: Bool
    /// Whether the query has no other filing, so that no lookup meets it twice.
    let isOnly: Bool

    init(query: Int, isExact: Bool, isOnly: Bool) {
      self.query = Int32(query)
      self.isExact = isExact
      self.isOnly = isOnly
    }

    /// Whether a row that satisfies the access predicate matches the query, and no other filing leads to the query.
    var isCertain: Bool { isExact && isOnly }
  }

  /// The index of the field of the access predicate; nil if there is none.
  ///
  /// Without a field, an exact filing is in the list of the queries that every row matches. Any other is in the list
  /// of the queries that are evaluated for every row.
  let field: UnsafeMutablePointer<FieldIndex>?
  /// The place in the index of the field; nil without a field.
  fileprivate(set) var place: Place?
  /// The previous filing in the list of the place; -1 at its start.
  fileprivate var previous: Int32 = -1
  /// The next filing of the same query; -1 at the end.
  let nextOfQuery: Int32

  init(field: UnsafeMutablePointer<FieldIndex>?, nextOfQuery: Int32) {
    self.field = field
    self.nextOfQuery = nextOfQuery
  }
}

/// The filings of one place: a doubly linked list, so that a filing leaves it in constant time.
struct FilingList: BitwiseCopyable {
  fileprivate(set) var first: Int32 = -1
  fileprivate(set) var count: Int32 = 0
}

/// All filings of an index, by number.
struct Filings: ~Copyable {
  // A posting has the same number as its filing. They are kept apart, so that a lookup reads less memory.
  private var postings: ContiguousArray<Filing.Posting> = []
  private var pool = Pool<Filing>()

  var count: Int { pool.count }
  /// The number of filings that memory is held for.
  var capacity: Int { pool.elements.count }

  func posting(_ number: Int32) -> Filing.Posting { postings[Int(number)] }

  /// Returns the target of a filing for a lookup: the query, if nothing has to be checked; else the complement of the
  /// filing's number.
  func target(of number: Int32) -> Int32 {
    let posting = posting(number)
    return posting.isCertain ? posting.query : ~number
  }

  subscript(number: Int32) -> Filing { pool.elements[Int(number)] }

  mutating func insert(_ filing: Filing, _ posting: Filing.Posting) -> Int32 {
    let number = pool.insert(filing)
    if Int(number) < postings.count { postings[Int(number)] = posting } else { postings.append(posting) }
    return number
  }

  /// Removes a filing, which must be in no list.
  mutating func remove(_ number: Int32) {
    pool.remove(at: number, leaving: self[number])
    if pool.count == 0 { postings = [] }
  }

  mutating func setPlace(of number: Int32, to place: Filing.Place) {
    pool.elements[Int(number)].place = place
  }

  mutating func link(_ number: Int32, to list: inout FilingList) {
    postings[Int(number)].next = list.first
    if list.first >= 0 { pool.elements[Int(list.first)].previous = number }
    list.first = number
    list.count += 1
  }

  mutating func unlink(_ number: Int32, from list: inout FilingList) {
    let previous = self[number].previous
    let next = postings[Int(number)].next
    if previous >= 0 { postings[Int(previous)].next = next } else { list.first = next }
    if next >= 0 { pool.elements[Int(next)].previous = previous }
    list.count -= 1
  }
}
