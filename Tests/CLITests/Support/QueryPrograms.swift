/// Small programs that use queries as people write them, and whether they compile.
struct QueryPrograms {
  enum Verdict {
    /// The program is a query: each part of its condition is one, or a `Bool` that the person has written.
    case query
    /// The program does not compile.
    case error
    /// The program does not compile in Swift 6 mode. In Swift 5 mode there are warnings, and it throws.
    case errorInSwift6
    /// The program compiles, and a part of its condition is a plain `Bool`: Documentation/using-the-store.md says so.
    case plainSwift
  }

  static let schema = """
    enum Color: byte { Red = 0, Green, Blue = 2 }
    enum Mood: byte { none = 0, good, bad }
    enum Marks: ubyte (bit_flags) { Bold, Big }
    struct Spot { x: float; y: int; }
    table Author { name: string; born: int = null; home: Spot; }
    table Text { text: string; }
    table Image { width: int; }
    union Content { Text, Image, caption: string }
    table Book {
      title: string (primary); number: int; due: long = null; tag: string; color: Color; hue: Color = null; mood: Mood;
      marks: Marks; lent: bool; lost: bool = null; weight: double; price: float = null; spot: Spot; author: Author;
      content: Content; pages: ushort; big: ulong;
    }
    root_type Book;
    """

  /// The parameters of each program.
  private static let parameters = """
    _ fetch: QueryBuilder<Book>, n: Int32, int: Int, flag: Bool, string: String, substring: Substring, optInt: Int?, \
    optInt32: Int32?, optLong: Int64?, optULong: UInt64?, optFloat: Float?, optBool: Bool?, optString: String?, \
    optOptString: String??, optColor: Color?, optMood: Mood?, optSpot: Spot?, optContent: Content?, \
    dictionary: [String: String], book: Book?, strings: [String], any: Any, optQuery: QueryExpression<Bool, Book>?
    """

  /// The programs. The index of each is that of its function, and of its line counted from the end of the header.
  static let all: [(body: String, verdict: Verdict)] =
    conditions(queries, .query) + conditions(errors, .error) + conditions(plainSwift, .plainSwift)
    + lines(statements, .query) + lines(wrongStatements, .error) + lines(asynchronous, .errorInSwift6)

  /// One file of all programs.
  static var file: (header: Int, text: String) {
    makeFile(of: all, parameters, header: ["import Dflat", "func identity<T>(_ value: T) -> T { value }"])
  }

  /// Returns a file of programs, each with these parameters, and how many lines stand before them.
  static func makeFile(
    of programs: [(body: String, verdict: Verdict)], _ parameters: String, header: [String]
  ) -> (header: Int, text: String) {
    let functions = programs.enumerated().map { index, program in
      "func program\(index)(\(parameters)) async throws { \(program.body) }"
    }
    return (header.count, (header + functions).joined(separator: "\n") + "\n")
  }

  static func lines(_ text: String, _ verdict: Verdict) -> [(body: String, verdict: Verdict)] {
    text.split(separator: "\n").map { (String($0), verdict) }
  }

  /// Each condition in a call that has several overloads, and one in a call that has one.
  static func conditions(_ text: String, _ verdict: Verdict) -> [(body: String, verdict: Verdict)] {
    lines(text, verdict).flatMap { condition, _ in
      [
        ("func wait() { _ = fetch.where(\(condition)) }", verdict),
        ("func wait() throws { _ = try fetch.throwing.count(where: \(condition)) }", verdict),
      ]
    }
  }

  private static let queries = """
    Book.due == nil
    Book.due != nil
    nil == Book.due
    nil != Book.due
    (Book.due == nil)
    !(Book.due == nil)
    !(Book.due != nil)
    Book.number > 0 && Book.due == nil
    Book.number > 0 && Book.due != nil
    Book.number > 0 && Book.title.hasPrefix("a")
    Book.title.contains(string) || Book.tag.hasSuffix("x") && !Book.author.name.isEmpty
    Book.title.length > 3 && Book.tag.length == int && Book.content.as(String.self).contains("x")
    Book.title.folded == string && Book.tag.foldedCase.contains("x") || Book.tag.folded == optString
    Book.due != nil && Book.number > 0
    Book.number > 0 || Book.due != nil
    nil != Book.due && Book.number > 0
    Book.number > 0 && nil != Book.due
    Book.number > 0 && (Book.due == nil || Book.tag != nil)
    Book.number > 0 && (Book.due == nil || Book.tag != nil) && Book.content != nil
    (Book.due == nil) && (Book.tag == nil)
    Book.due == nil || Book.tag == nil
    Book.due == nil && Book.tag == nil && Book.hue == nil && Book.lost != nil
    Book.lent && Book.due == nil
    !Book.lent && Book.due == nil
    Book.lost == nil || !Book.lost
    Book.content == nil
    nil == Book.content
    Book.content != nil && Book.number > 0
    Book.number > 0 && Book.content == nil
    Book.lent && !(Book.content == nil)
    Book.author.name == nil
    Book.number > 0 && Book.author.name != nil
    Book.number > 0 && Book.content.as(Text.self).text != nil
    Book.number > 0 && Book.content.as(String.self) == nil
    Book.content.match(Text.self) == nil
    Book.number > 0 && Book.number % n == nil
    (Book.number > 0) == nil
    Book.spot.x == nil
    Book.due == optLong
    optLong != Book.due
    Book.number > 0 && Book.due == optLong
    Book.number > 0 && optLong != Book.due
    Book.number > 0 && !(Book.due == optLong)
    Book.title == optString || Book.tag == optString
    Book.color == optColor && Book.hue != optColor && Book.number > 3
    Book.mood == optMood
    Book.mood == .none
    Book.number > 0 && Book.mood != .none
    Book.mood == Mood.none && Book.mood != .good
    Book.mood == nil
    Book.number > 0 && Book.lost == optBool
    Book.marks == [] && Book.marks != [.bold, .big]
    Book.marks == nil || Book.marks == .bold
    Book.number > 0 && Book.tag == dictionary["a"]
    Book.tag == book?.title
    Book.number > 0 && Book.tag == book?.tag
    Book.number > 0 && Book.due == Int64("3")
    Book.number > 0 && Book.tag == strings.first
    Book.tag == nil as String?
    Book.number > 0 && Book.tag == (nil as String?)
    Book.tag == Optional<String>.none
    Book.number > 0 && Book.number != optInt32
    flag ? Book.due == nil : Book.tag == nil
    Book.number > 0 && (flag ? Book.due == nil : Book.tag != nil)
    (Book.due == nil) == false
    Book.number > 0 && (Book.due == nil) == false
    (Book.due == nil) == (Book.tag == nil)
    Book.lent == flag && Book.due == nil
    flag && Book.due == nil
    flag || Book.due == nil
    !flag && Book.due == nil
    flag && Book.number > 0 && Book.due == nil
    flag && !(Book.due == nil)
    !(flag && Book.due == nil)
    Book.number > 0 && (n > 3 || Book.due == nil)
    Book.number > 0 && (optLong == nil || Book.due == optLong)
    Book.number > 0 && book == nil
    Book.number > 0 && optQuery != nil
    Book.tag == string || Book.tag == nil
    Book.weight > 1.5 && Book.price == nil && Book.weight == 1
    Book.price == optFloat
    Book.big == optULong || Book.pages == nil
    Book.hue == .red || Book.hue == nil
    !(Book.due == nil || Book.tag == nil)
    !(Book.due == nil || Book.number > 3) && Book.number > 1
    { Book.due == nil }()
    Book.number > 0 && { Book.due == nil }()
    Book.number > 0 && [Book.due == nil][0]
    Book.number > 0 && identity(Book.due == nil)
    Book.number > 0 && identity(Book.due) == nil
    [Book.due == nil, Book.tag == nil].reduce(Book.number > 0) { $0 && $1 }
    """

  private static let errors = """
    Book.spot == nil
    nil == Book.author
    Book.number > 0 && Book.spot == nil
    Book.number > 0 && nil != Book.author
    Book.number > 0 && Book.author != nil && Book.tag == nil
    Book.number > 0 && [1, 2].firstIndex(of: Book.number) != nil
    Book.number > 0 && Book.number.ascending != nil
    Book.number > 0 && (flag ? Book.due == nil : true)
    Book.number > 0 && (Book.due == nil ? flag : true)
    Book.due == nil ? Book.number > 0 : Book.number < 0
    Book.due == optInt
    Book.number == int
    Book.number > 0 && Book.number == optInt
    Book.title == 5
    Book.number > 0 && Book.title == 5
    Book.number == "5"
    Book.number == 1.5
    Book.color == 1
    Book.number > 0 && Book.color == Color.red.rawValue
    Book.color.rawValue == 1
    Book.color == .none
    Book.number > 0 && Book.hue != .none
    Book.due === nil
    Book.number > 0 && Book.due !== nil
    Book.number > 0 && Book.due === Book.due
    [1, 2].contains(Book.number)
    Book.number > 0 && strings.contains(Book.tag)
    Book.number > 0 && (1...3).contains(Book.number)
    Book.number > 0 && 1...3 ~= Book.number
    Book.number > 0 && nil ~= Book.due
    nil ~= Book.due
    Book.number > 0 && 3 ~= Book.number
    Book.number > 0 && Book.marks.contains(.bold)
    Book.number > 0 && (Book.tag ?? "x") == "x"
    Book.number > 0 && Book.tag ?? nil == nil
    Book.number > 0 && (Book.tag ?? nil) == nil
    (Book.tag ?? Book.title) == "x"
    Book.number > 0 && Book.lost ?? false
    Book.lost ?? Book.lent
    Book.number > 0 && Book.tag == optOptString
    Book.number > 0 && Book.tag == any
    Book.number > 0 && Book.number < optInt32
    Book.number > 0 && Book.due > nil
    Book.tag == substring
    Book.number > 0 && Book.number == Book.due
    Book.number > 0 && Book.tag != Book.number
    Book.tag.in([nil, "a"])
    Book.tag.in([optString])
    Book.content == .text(Text())
    Book.number > 0 && Book.content == Book.content
    Book.number > 0 && Book.content == optContent
    Book.number > 0 && Book.spot == Book.spot
    Book.number > 0 && Book.spot == optSpot
    Book.number > 0 && Book.due == nil == true
    Book.number > 0 && Book.due! == nil
    Book.number > 0 && Book.due? == nil
    Book.number > 0 && Book.due == ()
    Book.number > 0 && (Book.due, 1) == (nil, 1)
    Book.number > 0 && [Book.due] == []
    Book.number > 0 && Book.due == nil as Any?
    Book.number > 0 && optQuery == Book.due
    Book.number > 0 && [Book.due == nil, Book.tag == nil].allSatisfy { $0 }
    """

  private static let plainSwift = """
    Book.number > 0 && flag
    Book.number > 0 && (Book.due as Any?) == nil
    Book.number > 0 && Optional(Book.due) == nil
    Book.number > 0 && [Book.due].first == nil
    Book.number > 0 && Book.tag is String
    Book.number > 0 && \\Book.tag == nil
    Book.number > 0 && Book.title.name == "f4"
    """

  private static let statements = """
    func wait() { let query = Book.due == nil; _ = fetch.where(query) }
    func wait() { let query = Book.number > 0 && Book.due == nil; _ = fetch.where(query) }
    func wait() { var query = Book.number > 0; query = query && Book.due == nil; _ = fetch.where(query) }
    func wait() { let query = optQuery ?? (Book.due == nil); _ = fetch.where(query) }
    func wait() { let query = optQuery; if query == nil { _ = fetch.where(Book.due == nil) } }
    func wait() { _ = fetch.first(where: Book.due == nil) == nil }
    func wait() { _ = fetch.exists(where: Book.number > 0 && Book.due != nil) }
    func wait() { _ = fetch.where(Book.due == nil).filter { $0.due == nil && $0.tag != nil } }
    func wait<E: Expr<Bool, Book>>(_ e: E) { _ = fetch.where(e && Book.due == nil) }
    _ = try await fetch.async.where(Book.due == nil)
    _ = try await fetch.async.where(Book.number > 0 && Book.due == nil)
    func wait() { _ = fetch.all(limit: 10) }
    func wait() { _ = fetch.all(limit: .limit(int), orderBy: []) }
    func wait() { _ = fetch.all(limit: 10, orderBy: Book.number.descending) }
    func wait() { _ = fetch.all(orderBy: Book.author.home.y.ascending).first }
    func wait() { _ = fetch.where(Book.number > 0 && Book.due == nil, limit: 10, orderBy: Book.number.descending) }
    func wait() { _ = fetch.where(Book.lent, orderBy: [Book.number.descending, Book.title.ascending]) }
    func wait() { _ = fetch.where(Book.lent, orderBy: [Color.red, .blue].firstIndex(of: Book.color)) }
    func wait() { _ = fetch.first(where: Book.lent, orderBy: Book.title.ascending) ?? fetch.first(orderBy: Book.title.ascending) }
    func wait() throws { _ = try fetch.throwing.where(Book.lent, limit: 10, orderBy: Book.title.ascending).first }
    func wait() throws { _ = try fetch.by(string) ?? fetch.throwing.by("a") }
    func wait() { Task { _ = fetch.where(Book.number > 0); _ = try fetch.throwing.all() } }
    func wait() { let send: @Sendable () -> Int = { fetch.count() }; print(send()) }
    _ = try await fetch.async.where(Book.lent, limit: 10, orderBy: Book.number.descending)
    _ = try await fetch.async.by(string)
    """

  private static let wrongStatements = """
    func wait() { if Book.due == nil { print() } }
    func wait() { guard Book.content == nil else { return } }
    func wait() { while Book.due != nil {} }
    func wait() { print(Book.due == nil ? 1 : 2) }
    func wait() { assert(Book.due == nil) }
    func wait() { let isDue: Bool = Book.due == nil; print(isDue) }
    func wait() { let isDue: Bool = Book.due == optLong; print(isDue) }
    func wait() { let isThere: Bool = Book.spot == nil; print(isThere) }
    func wait() { let isThere: Bool = nil != Book.author; print(isThere) }
    func wait() { let isListed: Bool = [1].firstIndex(of: Book.number) != nil; print(isListed) }
    func wait() throws { let isDue: Bool = try Book.due == nil; print(isDue) }
    func wait() { let isDue: () -> Bool = { Book.due == nil }; print(isDue()) }
    func wait() { _ = strings.filter { _ in Book.due == nil } }
    func wait() { _ = try? strings.filter { _ in try Book.due == nil } }
    func wait() { if case nil = Book.due {} }
    func wait() { switch Book.due { case nil: break; default: break } }
    func wait<E: Expr>(_ e: E) -> Bool { e == nil }
    func wait<E: Expr<Int64, Book>>(_ e: E) { _ = fetch.where(Book.number > 0 && e == nil) }
    if Book.due == nil { print() }
    _ = try await fetch.async.where(Book.title == 5)
    func wait() { _ = fetch.by(int) }
    func wait() { _ = fetch.all(orderBy: Book.number) }
    func wait() { _ = fetch.where(Book.lent && [Int32(1), 2].contains(Book.number)) }
    """

  private static let asynchronous = """
    _ = try await fetch.async.where(Book.number > 0 && (flag ? Book.due == nil : true))
    _ = try await fetch.async.where(Book.number > 0 && Book.spot == nil)
    _ = try await fetch.async.where(Book.number > 0 && nil ~= Book.due)
    _ = try await fetch.async.where(Book.number > 0 && (Book.tag ?? nil) == nil)
    """
}
