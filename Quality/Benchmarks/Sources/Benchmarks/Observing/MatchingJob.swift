import Dflat
import FlatBuffersCore

/// Standing queries of one kind, and rows of which each matches few of them or none.
struct MatchingJob: Sendable {
  let name: String
  private let predicate: @Sendable (Int) -> QueryExpression<Bool, BenchDoc>
  /// A row, by the number of the query that it is to match, or to come close to.
  private let row: @Sendable (Int) -> BenchDoc

  /// The first so many queries.
  func predicates(_ count: Int) -> [QueryNode] { (0..<count).map { predicate($0)._node } }

  /// At most so many rows, for queries all over the first so many.
  func rows(_ count: Int, atMost limit: Int = 1_024) -> [FlatBufferTable] {
    (0..<limit).compactMap { number in
      // A large prime, so that neighbours in time are none in the index.
      FlatBufferTable(rootOf: ByteBuffer([UInt8](row(number * 7_919 % count).toData())))
    }
  }

  static let all = [numbers, unequalNumbers, texts, ranges, missedRanges, overlappingRanges, textRanges, mixed, missed]

  static let numbers = MatchingJob(name: "number == n") { number in
    BenchDoc.priority == Int32(number * 10)
  } row: {
    document($0)
  }

  static let unequalNumbers = MatchingJob(name: "number == n, none matches") { number in
    BenchDoc.priority == Int32(number * 10)
  } row: {
    document($0, offset: 7)
  }

  static let texts = MatchingJob(name: "text == s") { number in
    BenchDoc.title == "title \(number)"
  } row: {
    document($0)
  }

  static let ranges = MatchingJob(name: "a <= number < b") { number in
    BenchDoc.priority >= Int32(number * 10) && BenchDoc.priority < Int32(number * 10 + 5)
  } row: {
    document($0)
  }

  static let missedRanges = MatchingJob(name: "a <= number < b, none matches") { number in
    BenchDoc.priority >= Int32(number * 10) && BenchDoc.priority < Int32(number * 10 + 5)
  } row: {
    document($0, offset: 7)
  }

  static let overlappingRanges = MatchingJob(name: "a <= number < b, overlapping") { number in
    BenchDoc.priority >= Int32(number * 10) && BenchDoc.priority < Int32(number * 10 + 40)
  } row: {
    document($0)
  }

  static let textRanges = MatchingJob(name: "s <= text < t") { number in
    BenchDoc.title >= "title \(number)" && BenchDoc.title < "title \(number)!"
  } row: {
    document($0)
  }

  static let mixed = MatchingJob(name: "mixed", predicate: { mixedPredicate($0) }) { document($0) }

  static let missed = MatchingJob(name: "mixed, none matches", predicate: { mixedPredicate($0) }) {
    document(-$0 - 1, offset: 7)
  }

  /// Ten kinds of predicates in turn, most of them conjunctions, each with constants of its own.
  private static func mixedPredicate(_ number: Int) -> QueryExpression<Bool, BenchDoc> {
    let priority = Int32(number * 10)
    let title = "title \(number)"
    return switch number % 10 {
    case 0, 1: BenchDoc.title == title && BenchDoc.color == color(number)
    case 2: BenchDoc.priority == priority
    case 3: BenchDoc.priority.in([priority, priority + 1, priority + 2])
    case 4, 5: BenchDoc.priority >= priority && BenchDoc.priority < priority + 5
    case 6: BenchDoc.color == color(number) && BenchDoc.priority > priority - 5 && BenchDoc.priority <= priority
    case 7: BenchDoc.title == title || BenchDoc.priority == priority
    case 8: BenchDoc.pos.x >= Float(number) && BenchDoc.pos.x < Float(number) + 0.5
    default: BenchDoc.tag.isNull && BenchDoc.title == title
    }
  }

  private static func document(_ number: Int, offset: Int = 0) -> BenchDoc {
    BenchDoc(
      title: "title \(number)", pos: BenchPosition(x: Float(number), y: 1, z: 2), color: color(abs(number)),
      content: .benchText(BenchText(text: "text of \(number)")), priority: Int32(number * 10 + offset))
  }

  private static func color(_ number: Int) -> BenchColor { [.red, .green, .blue][number % 3] }
}
