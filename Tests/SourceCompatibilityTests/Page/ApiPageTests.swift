import Foundation
import TestSupport
import Testing

@Suite("The page on the API of Dflat 0.6 is true")
struct ApiPageTests {
  private let page: ApiPage
  /// The code that is compiled in both language modes, file by file.
  private let uses: [SwiftTokens]
  private let names: PublicNames

  init() throws {
    page = try ApiPageTests.page.get()
    uses = try ApiPageTests.uses.get()
    names = try ApiPageTests.names.get()
  }

  // Read once, not for every test.
  private static let page = Result {
    try ApiPage(text(of: packageFolder.appending(path: "Documentation/api-of-dflat-0.6.md")))
  }
  private static let uses = Result {
    try swiftFiles(in: "Tests/SourceCompatibilityTests/BothModes").filter {
      !$0.lastPathComponent.hasSuffix("Tests.swift")
    }.map { SwiftTokens(try text(of: $0)) }
  }
  private static let names = Result {
    var names = PublicNames()
    for folder in ["Sources/DflatRuntime/Dflat", "Sources/DflatRuntime/SQLiteDflat", "Fixtures/post"] {
      for file in try swiftFiles(in: folder) { names.add(try text(of: file)) }
    }
    return names
  }

  private static func text(of file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

  private static func swiftFiles(in folder: String) throws -> [URL] {
    let folder = packageFolder.appending(path: folder)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return paths.filter { $0.hasSuffix(".swift") }.map { folder.appending(path: $0) }
  }

  @Test("The page's numbers of declarations are right")
  func summary() {
    let isCounted = page.text.contains(page.summary)
    #expect(isCounted, "write: \(page.summary)")
  }

  @Test("All code on the page is compiled")
  func code() {
    for row in page.rows {
      for snippet in row.snippets {
        let tokens = SwiftTokens(snippet)
        #expect(uses.contains { $0.contains(tokens) }, "line \(row.line): not in BothModes: \(snippet)")
      }
    }
  }

  @Test("The code that the page on migrating shows instead of other code is compiled")
  func migrating() throws {
    let text = try ApiPageTests.text(of: packageFolder.appending(path: "Documentation/migrating.md"))
    let start = try #require(text.range(of: "\n## Replacements in code\n"))
    let end = try #require(text.range(of: "\n## ", range: start.upperBound..<text.endIndex))
    let rows = text[start.upperBound..<end.lowerBound].split(separator: "\n").filter { $0.hasPrefix("|") }
    #expect(rows.count > 10)
    for row in rows {
      let cells = ApiPage.cells(of: row)
      #expect(cells.count == 4, "\(row)")
      for snippet in try ApiPage.code(in: cells[2], at: 0) {
        let tokens = SwiftTokens(snippet)
        #expect(uses.contains { $0.contains(tokens) }, "not in BothModes: \(snippet)")
      }
    }
  }

  @Test("A declaration that is the same has a use with its name and its labels")
  func same() {
    for row in page.rows where row.status == .same {
      let snippets = row.snippets.map { SwiftTokens($0) }
      #expect(
        snippets.count == 1 || snippets.count == row.declarations.count,
        "line \(row.line): write one use for all declarations, or one for each, in their order")
      for (index, text) in row.declarations.enumerated() {
        let use = snippets.count == 1 ? snippets.first : snippets.dropFirst(index).first
        guard let declaration = ApiDeclaration(text), let use else {
          Issue.record("line \(row.line): \(text) is no declaration, or has no use")
          continue
        }
        #expect(declaration.isUsed(in: use), "line \(row.line): no use of \(text)")
      }
    }
  }

  @Test("A declaration that has another spelling, or is gone, says what to write or do instead")
  func instead() {
    for row in page.rows where row.status == .anotherSpelling || row.status == .gone {
      #expect(!row.text.isEmpty, "line \(row.line)")
      #expect(row.status == .gone || !row.snippets.isEmpty, "line \(row.line): show the other spelling")
    }
  }

  @Test("A declaration that is gone or not there yet is not public")
  func absent() {
    for row in page.rows where row.status == .notThereYet || row.status == .gone {
      for text in row.declarations {
        guard let declaration = ApiDeclaration(text) else {
          Issue.record("line \(row.line): \(text) is no declaration")
          continue
        }
        #expect(
          !names.contains(declaration.member, in: declaration.container),
          "line \(row.line): \(text) is public: give the row a use and another status")
      }
    }
  }

  /// If the scan missed these, it would miss a declaration that is said to be gone, too.
  @Test(
    "Public declarations are found in the sources",
    arguments: [
      "Workspace.performChanges(_:changesHandler:completionHandler:)", "Workspace.shutdown(flags:completion:)",
      "Workspace.ChangesHandler", "Queryable.fetchWithinASnapshot(_:)", "QueryBuilder.where(_:limit:orderBy:)",
      "FieldExpr.name", "AnySQLiteExpr.isNull", "Expr.in(_:)", "Expr.Element", "OrderBy.areInSortingOrder(_:_:)",
      "SortingOrder.same", "TransactionError.diskFull", "UpdatedObject.deleted(_:)", "TransactionContext.try(submit:)",
      "SQLiteWorkspace.FileProtectionLevel.noProtection", "SQLiteWorkspace.WriteConcurrency", "SQLiteExpr",
      "SQLiteWorkspace.init(filePath:fileProtectionLevel:synchronous:writeConcurrency:targetQueue:role:errorHandler:)",
      "FetchedResult.subscript(_:)", "WorkspaceShutdownFlag.init(rawValue:)", "Limit.limit(_:)", "Limit.noLimit",
      "PostChangeRequest._change", "Post._record", "PostBuilder.title", "ObjectBuilder.init(from:)",
      "FlatBuffersDecodable.verify(byteBuffer:)", "Atom._rowid", "Collection.firstIndex(of:)",
    ])
  func publicNames(_ text: String) throws {
    let declaration = try #require(ApiDeclaration(text))
    #expect(names.contains(declaration.member, in: declaration.container))
  }

  @Test(
    "A line that is no row is a mistake",
    arguments: [
      "| `a` | same | `a` | `a` |", "| `a` | sam | `a` |", "| a | same | `a` |", "| `a` | same | `a |",
      "`a` | same | `a`",
    ])
  func mistakes(_ line: String) {
    let head = "| Dflat 0.6 | here | as an app writes it |\n|---|---|---|\n"
    #expect(throws: ApiPage.Mistake.self) { try ApiPage(head + line) }
    #expect(throws: ApiPage.Mistake.self) { try ApiPage("| `a` | same | `a` |") }
    #expect(throws: Never.self) { try ApiPage(head + "| `a` | same | `a` |") }
  }

  @Test("Code is found however it is broken into lines, and not within other names or comments")
  func tokens() {
    let code = SwiftTokens("f(\n  a: 1, // b: 2\n  \"x // \\\" y\").completeFile")
    #expect(code.contains(SwiftTokens("f(a: 1, \"x // \\\" y\")")) && code.contains(SwiftTokens(".completeFile")))
    #expect(!code.contains(SwiftTokens(".complete")) && !code.contains(SwiftTokens("b: 2")))
    #expect(!code.contains(SwiftTokens("")) && !code.contains(SwiftTokens("x")))
  }
}
