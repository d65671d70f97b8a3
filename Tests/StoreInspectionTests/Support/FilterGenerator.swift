import Dflat
import EngineTestSupport
import Foundation
import Golden_vectors
import TestSupport

/// A condition as `dflatc inspect --where` reads it, and as a query of the runtime.
struct FilterPair {
  let text: String
  let query: QueryExpression<Bool, Basket>

  init(_ text: String, _ query: QueryExpression<Bool, Basket>) {
    self.text = text
    self.query = query
  }
}

/// Makes conditions on vectors, and on the texts in them, at random.
struct FilterGenerator {
  private var random: SeededGenerator

  init(seed: Int) { random = SeededGenerator(seed: seed) }

  private static let texts = ["", "a", "ab", "A", "é", "e\u{301}", "\0", "z", "'"]
  private static let numbers: [Int32] = [.min, -1, 0, 1, 2, 3, .max]

  /// Returns a text as conditions contain it.
  private static func quoted(_ text: String) -> String {
    "'" + String(text.unicodeScalars.map { $0 == "'" ? "''" : String($0) }.joined()) + "'"
  }

  mutating func condition(depth: Int) -> FilterPair {
    guard depth > 0, random.chance(60) else { return term() }
    let lhs = condition(depth: depth - 1)
    if random.chance(25) { return FilterPair("not (\(lhs.text))", !lhs.query) }
    let rhs = condition(depth: depth - 1)
    return random.chance(50)
      ? FilterPair("(\(lhs.text) and \(rhs.text))", lhs.query && rhs.query)
      : FilterPair("(\(lhs.text) or \(rhs.text))", lhs.query || rhs.query)
  }

  private mutating func term() -> FilterPair {
    switch random.next(8) {
    case 0: numbers()
    case 1: Self.pair(random.pick(Self.forms))
    case 2, 3:
      element("tags", Basket.tags)
    case 4, 5: author()
    case 6: words()
    default: counts()
    }
  }

  private static func pair(_ form: (text: String, query: QueryExpression<Bool, Basket>)) -> FilterPair {
    FilterPair(form.text, form.query)
  }

  private mutating func numbers() -> FilterPair {
    let (a, b) = (random.pick(Self.numbers), random.pick(Self.numbers))
    return switch random.next(5) {
    case 0: FilterPair("numbers contains \(a)", Basket.numbers.contains(a))
    case 1: FilterPair("numbers contains any (\(a), \(b))", Basket.numbers.contains(anyOf: [a, b]))
    case 2: FilterPair("numbers contains (it > \(a) and it <= \(b))", Basket.numbers.contains { $0 > a && $0 <= b })
    case 3:
      FilterPair("numbers contains (it in (\(a), limit))", Basket.numbers.contains { $0 == a || $0 == Basket.limit })
    default: FilterPair("numbers not contains \(a)", !Basket.numbers.contains(a))
    }
  }

  private mutating func counts() -> FilterPair {
    let count = random.next(4)
    return switch random.next(5) {
    case 0: FilterPair("tags.count > \(count)", Basket.tags.count > count)
    case 1: FilterPair("comments.count = \(count)", Basket.comments.count == count)
    case 2: FilterPair("tags.count <= numbers.count", Basket.tags.count <= Basket.numbers.count)
    case 3: FilterPair("details.pieces.count != \(count)", Basket.details.pieces.count != count)
    default: FilterPair("waveform.count in (1, \(count))", Basket.waveform.count.in([1, count]))
    }
  }

  /// A condition on an element of a vector of texts.
  private mutating func element(
    _ name: String, _ field: VectorField<QueryExpression<String, Basket>, Basket>
  ) -> FilterPair {
    let value = random.pick(Self.texts)
    if random.chance(30) { return FilterPair("\(name) contains \(Self.quoted(value))", field.contains(value)) }
    let make = textCondition("it")
    return FilterPair("\(name) contains (\(make.text))", field.contains { make.query($0) })
  }

  /// A condition on a text that may be absent.
  private mutating func author() -> FilterPair {
    let make = textCondition("author")
    return random.chance(50)
      ? FilterPair("comments contains (\(make.text))", Basket.comments.contains { make.query($0.author) })
      : FilterPair("comments contains (not (\(make.text)))", Basket.comments.contains { !make.query($0.author) })
  }

  private mutating func words() -> FilterPair {
    let make = textCondition("it")
    let likes = random.pick(Self.numbers)
    return FilterPair(
      "comments contains (likes >= \(likes) and words contains (\(make.text)))",
      Basket.comments.contains { $0.likes >= likes && $0.words.contains { make.query($0) } })
  }

  private mutating func textCondition(
    _ name: String
  ) -> (text: String, query: (QueryExpression<String, Basket>) -> QueryExpression<Bool, Basket>) {
    let value = random.pick(Self.texts)
    let other = random.pick(Self.texts)
    let length = random.next(3)
    let folding = random.next(3)
    let name = name + ["", ".folded", ".foldedCase"][folding]
    func folded(_ text: QueryExpression<String, Basket>) -> QueryExpression<String, Basket> {
      [text, text.folded, text.foldedCase][folding]
    }
    let quoted = Self.quoted(value)
    return switch random.next(10) {
    case 0: ("\(name) has prefix \(quoted)", { folded($0).hasPrefix(value) })
    case 1: ("\(name) has suffix \(quoted)", { folded($0).hasSuffix(value) })
    case 2: ("\(name) contains \(quoted)", { folded($0).contains(value) })
    case 3: ("\(name) is empty", { folded($0).isEmpty })
    case 4: ("\(name).length > \(length)", { folded($0).length > length })
    case 5: ("\(name) = \(quoted)", { folded($0) == value })
    case 6: ("\(quoted) < \(name)", { value < folded($0) })
    case 7: ("\(name) in (\(quoted), \(Self.quoted(other)))", { folded($0).in([value, other]) })
    case 8: ("\(name) != \(quoted)", { folded($0) != value })
    default: ("\(name) is null", { folded($0).isNull })
    }
  }

  /// Conditions of each form, each of which is true for some objects that `VectorGenerator` makes.
  static let forms: [(text: String, query: QueryExpression<Bool, Basket>)] = [
    ("tags is empty", Basket.tags.isEmpty), ("tags is not empty", !Basket.tags.isEmpty),
    ("details.numbers is empty", Basket.details.numbers.isEmpty),
    ("big contains 18446744073709551615", Basket.big.contains(.max)),
    ("big contains (it >= 9223372036854775808)", Basket.big.contains { $0 >= 1 << 63 }),
    ("ratios contains 0", Basket.ratios.contains(0)),
    ("ratios contains (it is null)", Basket.ratios.contains { $0.isNull }),
    ("ratios contains infinity", Basket.ratios.contains(.infinity)),
    ("ratios contains -0.0", Basket.ratios.contains(-0.0)), ("samples contains 0.5", Basket.samples.contains(0.5)),
    ("samples contains (it < 0.1)", Basket.samples.contains { $0 < 0.1 }),
    ("flags contains true", Basket.flags.contains(true)),
    ("flags contains (it)", Basket.flags.contains { $0 }), ("flags contains (not it)", Basket.flags.contains { !$0 }),
    ("levels contains High", Basket.levels.contains(.high)),
    ("levels contains any (Low, 'Middle')", Basket.levels.contains(anyOf: [.low, .middle])),
    ("marks contains 'Bold Big'", Basket.marks.contains([.bold, .big])),
    ("days contains '1970-01-02'", Basket.days.contains(Date(timeIntervalSince1970: 86_400))),
    ("days contains (it < '1970-01-01')", Basket.days.contains { $0 < Date(timeIntervalSince1970: 0) }),
    ("prices contains '0.25'", Basket.prices.contains(0.25)),
    (
      "names contains '11111111-2222-3333-4444-555555555555'",
      Basket.names.contains(UUID(uuidString: "11111111-2222-3333-4444-555555555555") ?? UUID())
    ),
    ("waveform contains -1", Basket.waveform.contains(-1)),
    ("comments contains (author is null)", Basket.comments.contains { $0.author.isNull }),
    ("comments contains (likes > limit)", Basket.comments.contains { $0.likes > Basket.limit }),
    ("comments contains (it.likes < 0)", Basket.comments.contains { $0.likes < 0 }),
    (
      "comments contains (numbers contains likes)",
      Basket.comments.contains { c in Basket.numbers.contains { $0 == c.likes } }
    ),
    ("comments contains (replies is not empty)", Basket.comments.contains { !$0.replies.isEmpty }),
    (
      "comments contains (replies contains (votes contains 1))",
      Basket.comments.contains { $0.replies.contains { $0.votes.contains(1) } }
    ),
    (
      "comments contains (replies contains (text is null))",
      Basket.comments.contains { $0.replies.contains { $0.text.isNull } }
    ),
    ("comments contains (spot.y > 0)", Basket.comments.contains { $0.spot.y > 0 }),
    ("comments contains (author.folded = 'E')", Basket.comments.contains { $0.author.folded == "E" }),
    ("tags contains (it.folded.foldedCase = 'É')", Basket.tags.contains { $0.folded.foldedCase == "É" }),
    (
      "comments contains (words contains (it.foldedCase = author.folded and it != author))",
      Basket.comments.contains { comment in
        comment.words.contains { $0.foldedCase == comment.author.folded && $0 != comment.author }
      }
    ),
    ("pairs contains (first.y > 0 and second.isFixed)", Basket.pairs.contains { $0.first.y > 0 && $0.second.isFixed }),
    ("pieces contains (Spot = it)", Basket.pieces.contains { $0.match(Spot.self) }),
    ("pieces contains Comment", Basket.pieces.contains { $0.match(Golden_vectors.Comment.self) }),
    (
      "pieces contains (it = Spot or it = Link)",
      Basket.pieces.contains { $0.match(Spot.self) || $0.match(link: String.self) }
    ),
    ("pieces contains (Comment.likes < 2)", Basket.pieces.contains { $0.as(Golden_vectors.Comment.self).likes < 2 }),
    ("pieces contains (it.Spot.y >= 1)", Basket.pieces.contains { $0.as(Spot.self).y >= 1 }),
    ("pieces contains (Link has prefix 'a')", Basket.pieces.contains { $0.as(link: String.self).hasPrefix("a") }),
    (
      "pieces contains (Comment.words contains (it.length = 1))",
      Basket.pieces.contains { $0.as(Golden_vectors.Comment.self).words.contains { $0.length == 1 } }
    ),
    (
      "details.pieces contains (Text.folded is not null)",
      Basket.details.pieces.contains { $0.as(text: String.self).folded.isNotNull }
    ),
    ("details.pieces.count = 2", Basket.details.pieces.count == 2),
  ]
}
