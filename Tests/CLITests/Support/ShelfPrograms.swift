/// Small programs, as in `QueryPrograms`, about vectors and about fields that stand for types such as `Date`. Their
/// fields are other types than those of plain values.
enum ShelfPrograms {
  static let schema = """
    struct Hash { bytes: [ubyte:4]; }
    struct Step { minutes: int; degrees: int; }
    table Note { text: string; stars: int; }
    union Extra { Note, Step, word: string }
    table Shelf {
      name: string (primary); number: int; words: [string]; counts: [int]; steps: [Step]; notes: [Note];
      extras: [Extra]; visits: [long] (date: "ms"); made: long (date: "ms"); due: long = null (date: "s");
      took: long (duration: "ms"); price: long (decimal: "2"); cost: long = null (decimal: "2"); mark: string (uuid);
      home: string (url); sum: Hash;
    }
    root_type Shelf;
    """

  /// The parameters of each program.
  static let parameters = """
    _ fetch: QueryBuilder<Shelf>, n: Int32, int: Int, flag: Bool, string: String, optString: String?, \
    strings: [String], date: Date, optDate: Date?, decimal: Decimal, optDecimal: Decimal?, uuid: UUID, \
    optUUID: UUID?, url: URL
    """

  static let header = ["import Dflat", "import Foundation"]

  static let all: [(body: String, verdict: QueryPrograms.Verdict)] =
    QueryPrograms.conditions(queries, .query) + QueryPrograms.conditions(errors, .error)
    + QueryPrograms.lines(wrongStatements, .error)

  static var file: (header: Int, text: String) { QueryPrograms.makeFile(of: all, parameters, header: header) }

  private static let queries = """
    Shelf.due == nil
    Shelf.number > 0 && Shelf.due != nil
    Shelf.due == optDate
    Shelf.number > 0 && optDate != Shelf.due
    Shelf.made > date && Shelf.made <= date
    Shelf.made == Shelf.due || Shelf.due == nil
    Shelf.number > 0 && Shelf.price < 100 && Shelf.cost == nil
    Shelf.price == decimal || Shelf.cost != optDecimal
    Shelf.took < .milliseconds(20)
    Shelf.number > 0 && Shelf.took >= .seconds(3)
    Shelf.mark == uuid || Shelf.mark == nil
    Shelf.number > 0 && Shelf.mark != optUUID
    Shelf.home == url || Shelf.home == nil
    Shelf.number > 0 && Shelf.sum == nil
    Shelf.words.contains("a")
    Shelf.number > 0 && Shelf.words.contains(string)
    !Shelf.words.contains(string) && Shelf.number > 0
    Shelf.words.contains { $0.hasPrefix("a") || $0 == Shelf.name }
    Shelf.words.contains(anyOf: strings) || Shelf.due == nil
    Shelf.counts.contains(3) && Shelf.counts.count > 2
    Shelf.words.isEmpty || Shelf.words.count == int
    Shelf.steps.contains { $0.minutes > 3 && $0.degrees == n }
    Shelf.notes.contains { $0.text == nil && $0.stars > 0 }
    Shelf.number > 0 && Shelf.notes.contains { $0.text == optString }
    Shelf.extras.contains { $0 == nil }
    Shelf.extras.contains { $0.match(Note.self) }
    Shelf.visits.contains(date)
    Shelf.visits.contains { $0 > date && $0 != optDate }
    Shelf.counts.contains { $0 == nil }
    """

  private static let errors = """
    Shelf.words == nil
    nil != Shelf.notes
    Shelf.number > 0 && Shelf.words == nil
    Shelf.number > 0 && nil != Shelf.extras
    Shelf.number > 0 && Shelf.steps != nil && Shelf.due == nil
    Shelf.number > 0 && Shelf.words == strings
    Shelf.words.contains(3)
    Shelf.counts.contains("a")
    Shelf.counts.contains(int)
    Shelf.words.contains(optString)
    Shelf.words.contains(nil)
    Shelf.words.contains { _ in flag }
    Shelf.words.count == "a"
    Shelf.steps.contains { $0 == nil }
    Shelf.notes.contains { $0.stars > 0 && Shelf.words == nil }
    Shelf.made > 5
    Shelf.made == "2024-01-01"
    Shelf.made == Shelf.price
    Shelf.price == int
    Shelf.number > 0 && Shelf.price < optDecimal
    Shelf.took == 3
    Shelf.mark == string
    Shelf.home < url
    """

  private static let wrongStatements = """
    func wait() { if Shelf.notes != nil { print() } }
    func wait() { let isThere: Bool = Shelf.words == nil; print(isThere) }
    """
}
