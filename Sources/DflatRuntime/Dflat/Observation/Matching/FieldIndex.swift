/// The standing queries that are filed under conditions on one field.
struct FieldIndex: ~Copyable {
  let field: FiledField
  /// Reads the field's value. A text is valid only while the row's bytes and this index exist.
  let reader: Reader
  /// The memory that `reader` points to.
  private let constants: RetainedConstants

  var values = ValueTable()
  var intervals = IntervalTree(hasUpperBounds: true)
  var halfLines = IntervalTree(hasUpperBounds: false)
  var nulls = FilingList()
  var notNulls = FilingList()
  /// The number of filings in all five structures.
  var count = 0

  enum Reader: BitwiseCopyable {
    case field(FieldReader)
    /// The field belongs to the elements of a vector, so that a row has a value for each element.
    case elements(VectorReader, ElementReader)
  }

  init(_ field: FiledField) {
    self.field = field
    var memory = ConstantMemory()
    if let vector = field.vector, let reader = VectorReader(vector, startingAt: nil, in: &memory) {
      self.reader = .elements(reader, ElementReader(field.field, of: vector.element, in: &memory))
    } else {
      reader = .field(FieldReader(field.field, in: &memory))
    }
    constants = RetainedConstants(memory)
  }

  /// Adds a standing query's filing under a condition on the field, and records its place in `filings`.
  mutating func insert(_ filing: Int32, under predicate: AccessPath.Predicate, in filings: inout Filings) {
    count += 1
    switch predicate {
    case .isNull:
      filings.link(filing, to: &nulls)
      filings.setPlace(of: filing, to: .null)
    case .isNotNull:
      filings.link(filing, to: &notNulls)
      filings.setPlace(of: filing, to: .notNull)
    case .equal(let value):
      values.insert(filing, under: value, in: &filings)
    case .within(let range):
      filings.setPlace(
        of: filing,
        to: range.upper == nil
          ? .halfLine(halfLines.insert(filings.target(of: filing), under: range))
          : .interval(intervals.insert(filings.target(of: filing), under: range)))
    }
  }

  mutating func remove(_ filing: Int32, in filings: inout Filings) {
    count -= 1
    switch filings[filing].place {
    case nil: break
    case .null?: filings.unlink(filing, from: &nulls)
    case .notNull?: filings.unlink(filing, from: &notNulls)
    case .value(let index)?: values.remove(filing, at: index, in: &filings)
    case .interval(let index)?: intervals.remove(at: index)
    case .halfLine(let index)?: halfLines.remove(at: index)
    }
  }
}
