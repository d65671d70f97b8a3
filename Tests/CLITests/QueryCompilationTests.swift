import Foundation
import TestSupport
import Testing

/// Swift may turn a part of a condition into a plain `Bool` that the person did not mean. Then the condition is true or
/// false for every object, and a loop that deletes what it finds deletes everything.
@Suite("Which conditions compile")
struct QueryCompilationTests {
  @Test("A condition is a query or does not compile", arguments: ["5", "6"])
  func conditions(version: String) throws {
    let (file, shelves) = (QueryPrograms.file, ShelfPrograms.file)
    let result = try check(file.text, shelves: shelves.text, version: version)
    expectVerdicts(of: QueryPrograms.all, after: file.header, in: "programs.swift", result, version: version)
    expectVerdicts(of: ShelfPrograms.all, after: shelves.header, in: "shelfPrograms.swift", result, version: version)
  }

  /// Expects errors in the lines of a file that hold programs that must not compile, and in no others.
  private func expectVerdicts(
    of programs: [(body: String, verdict: QueryPrograms.Verdict)], after header: Int, in file: String,
    _ result: ProcessResult, version: String
  ) {
    var errors: [Int: [String]] = [:]
    for line in result.error.split(separator: "\n") where line.hasPrefix(file + ":") {
      let parts = line.split(separator: ":", maxSplits: 3).map { $0.trimmingCharacters(in: .whitespaces) }
      guard parts.count == 4, parts[3].hasPrefix("error: "), let number = Int(parts[1]) else { continue }
      errors[number - header - 1, default: []].append(parts[3])
    }
    #expect(errors.keys.allSatisfy(programs.indices.contains), "\(result.error.prefix(2_000))")
    for (index, program) in programs.enumerated() {
      let isError =
        switch program.verdict {
        case .query, .plainSwift: false
        case .error: true
        case .errorInSwift6: version == "6"
        }
      #expect((errors[index] != nil) == isError, "\(program.body): \(errors[index] ?? [])")
    }
  }

  @Test("The error says what to write")
  func advice() throws {
    for condition in ["Book.lent && Book.spot == nil", "Book.lent && (flag ? Book.due != nil : true)"] {
      let function = "func f(_ fetch: QueryBuilder<Book>, flag: Bool) { _ = fetch.where(\(condition)) }"
      let result = try check("import Dflat\n\(function)\n", version: "6")
      #expect(result.error.contains("error: "))
      #expect(result.error.contains("a plain Bool, not a query; isNull and isNotNull of a field are queries"))
    }
  }

  @Test(
    "Where there is no such condition, the error says what to write",
    arguments: [
      ("[Int32(1), 2].contains(Book.number)", "`Post.color.in([.red, .green])`"),
      ("Book.lent && [Int32(1), 2].contains(Book.number)", "`Post.color.in([.red, .green])`"),
    ])
  func missingConditions(condition: String, advice: String) throws {
    let function = "func f(_ fetch: QueryBuilder<Book>) { _ = fetch.where(\(condition)) }"
    let result = try check("import Dflat\n\(function)\n", version: "6")
    #expect(result.error.contains("error: ") && result.error.contains(advice), "\(result.error)")
  }

  @Test("A condition of eight terms is type-checked in a tenth of a second")
  func time() throws {
    // The first expression of a file pays for tables of all operators.
    let first = "func first(_ fetch: QueryBuilder<Book>) { _ = fetch.where(Book.due == nil && Book.lent) }"
    var lines = ["import Dflat", first]
    for (index, condition) in Self.longConditions.enumerated() {
      let parameters = "_ fetch: QueryBuilder<Book>, d: Int64?, s: String?"
      lines.append("func f\(index)(\(parameters)) { _ = fetch.where(\(condition)) }")
      for order in ["Book.number.ascending", "[Book.number.ascending]"] {
        let call = "fetch.where(\(condition), limit: 9, orderBy: \(order))"
        lines.append("func g\(lines.count)(\(parameters)) { _ = \(call) }")
      }
    }
    lines.append("struct P { var a: Int?, b: String?, c: Double?, d = false }")
    lines.append("func plain(_ p: P, _ q: P) -> Bool { \(Self.plainCondition) }")
    let text = lines.joined(separator: "\n") + "\n"
    let conditions = ["Shelf.due == nil"] + Self.longShelfConditions
    let shelves = QueryPrograms.makeFile(
      of: conditions.map { ("func wait() { _ = fetch.where(\($0)) }", QueryPrograms.Verdict.query) },
      ShelfPrograms.parameters, header: ShelfPrograms.header)
    let options = ["-warn-long-expression-type-checking=100", "-solver-expression-time-threshold=2"]
    func slow() throws -> Set<String> {
      let result = try check(text, shelves: shelves.text, version: "6", more: options.flatMap { ["-Xfrontend", $0] })
      #expect(result.status == 0, "\(result.error.prefix(2_000))")
      return Set(
        result.error.split(separator: "\n").filter { $0.contains("expression took") }.compactMap {
          $0.components(separatedBy: ": ").first
        }.filter { place in
          ["programs.swift:": 1, "shelfPrograms.swift:": shelves.header].contains { file, header in
            place.hasPrefix(file) && !place.hasPrefix("\(file)\(header + 1):")
          }
        })
    }
    var places = try slow()
    // What another process on the machine has slowed down is fast again.
    if !places.isEmpty { places.formIntersection(try slow()) }
    #expect(places.isEmpty, "\(places.sorted())")
  }

  /// Compiles programs about books and, if `shelves` is not nil, also those about shelves, in one run of the compiler.
  private func check(
    _ text: String, shelves: String? = nil, version: String, more: [String] = []
  ) throws -> ProcessResult {
    try withFolder { folder in
      try folder.write(QueryPrograms.schema, to: "books.fbs")
      try folder.write(ShelfPrograms.schema, to: "shelves.fbs")
      let schemas = shelves == nil ? ["books.fbs"] : ["books.fbs", "shelves.fbs"]
      let compiled = try run(
        productsFolder.appending(path: "dflatc"), ["compile", "-o", "."] + schemas, in: folder)
      try #require(compiled.status == 0, "\(compiled.error)")
      try folder.write(text, to: "programs.swift")
      if let shelves { try folder.write(shelves, to: "shelfPrograms.swift") }
      return try typecheck(
        folder.names().filter { $0.hasSuffix(".swift") }, in: folder, version: version,
        more: ["-parse-as-library", "-whole-module-optimization"] + more)
    }
  }

  private static let longConditions = [
    "Book.number > 0 && Book.due != nil && Book.tag == nil && Book.color == .red && Book.title != \"x\""
      + " && Book.weight < 3 && Book.lent && Book.pages >= 3",
    "Book.number > 0 || Book.due == nil || Book.tag == s || Book.color != .red || Book.title != \"x\""
      + " || Book.weight < 3.5 || !Book.lent || Book.pages % 3 == 1",
    "Book.due == nil && Book.tag == nil && Book.hue == nil && Book.price == nil && Book.lost == nil"
      + " && Book.content == nil && Book.due != nil && Book.tag != nil",
    "Book.due == d && Book.tag == s && Book.due != d && Book.tag != s && d == Book.due && s == Book.tag"
      + " && Book.due == d && Book.tag != s",
    "(Book.number > 0 && Book.due != nil) || (Book.tag == nil && Book.color == .red)"
      + " || (Book.title != \"x\" && Book.weight < 3) || (Book.lent && Book.pages >= 3)",
    "!(Book.due == nil || Book.number > 3) && !(Book.tag == nil || Book.number > 3)"
      + " && !(Book.hue == nil || Book.number > 3) && !(Book.price == nil || Book.number > 3)",
    "Book.weight == 1 || Book.weight == 2 || Book.weight == 3 || Book.price == 4 || Book.weight == 5.5"
      + " || Book.weight == -6 || Book.weight == 7 || Book.weight == 8",
  ]

  private static let longShelfConditions = [
    "Shelf.made > date && Shelf.due != nil && Shelf.price < decimal && Shelf.mark == optUUID && Shelf.number > 0"
      + " && Shelf.words.contains(string) && Shelf.counts.count > 2 && !Shelf.notes.isEmpty",
    "Shelf.words.contains { $0.hasPrefix(\"a\") } || Shelf.steps.contains { $0.minutes > 3 } || Shelf.due == optDate"
      + " || Shelf.cost == nil || Shelf.took < .seconds(3) || Shelf.home == url || Shelf.visits.contains(date)"
      + " || Shelf.price >= 10",
  ]

  /// A condition that has nothing to do with queries, and sees their operators.
  private static let plainCondition =
    "!(p.a == nil) && !(p.b == nil) && !(q.a != nil) && !(q.b != nil) && !(p.a == q.a) && !(p.b == \"x\")"
    + " && !(p.a == 3) && !p.d && (p.a ?? q.a ?? 3) == 3"
}
