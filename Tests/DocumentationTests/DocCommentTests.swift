import Foundation
import TestSupport
import Testing

@Suite("The doc comments of the runtime")
struct DocCommentTests {
  private static let modules = ["FlatBuffersCore", "Dflat", "DflatPublishers", "SQLiteDflat", "PostgresDflat"]

  @Test("Every public symbol has a doc comment whose first paragraph ends a sentence", arguments: modules)
  func everyPublicSymbolHasOneThatBeginsWithASentence(module: String) throws {
    let symbols = try SymbolGraph.symbols(of: module)
    for symbol in symbols {
      guard let location = symbol.location else { continue }
      let place = "\(location.uri):\(location.position.line + 1): \(symbol.path)"
      // Without a comment there is no end.
      let end = symbol.docComment?.firstParagraph.last
      #expect(end == "." || end == ":", "\(place)")
    }
    #expect(symbols.count > 20)
  }

  /// The page of a module is where a reader looks for a type whose name is not known.
  @Test("Every public type stands under a topic of its module's page, and no page names another", arguments: modules)
  func everyPublicTypeStandsUnderATopic(module: String) throws {
    let page = try Page("Sources/DflatRuntime/\(module)/\(module).docc/\(module).md")
    let topics = page.prose.compactMap { $0.text.wholeMatch(of: /- ``(\w+)``/).map { String($0.1) } }
    #expect(Set(topics).count == topics.count)
    #if canImport(Combine)
      // There the publishers are in Dflat, whose page has to be right without them, too.
      if module == "DflatPublishers" { return }
      let isElsewhere = { (name: String) in name.contains("Publisher") }
    #else
      let isElsewhere = { (name: String) in false }
    #endif
    let names = try SymbolGraph.symbols(of: module).filter(\.isTopLevelType).map(\.path)
    let types = Set(names.filter { !isElsewhere($0) })
    #expect(types.subtracting(topics).sorted() == [])
    #expect(Set(topics).subtracting(types).sorted() == [])
  }

  /// The declarations that a user of each module meets first. Members are named as Swift names them; overloads share a name, and one of them has the
  /// example.
  private static let metFirst = [
    "Dflat": [
      "Workspace", "Workspace.performChanges(_:changesHandler:completionHandler:)",
      "Workspace.performChanges(_:changesHandler:)", "Workspace.shutdown(flags:completion:)", "Workspace.dictionary",
      "Workspace.subscribe(fetchedResult:changeHandler:)", "Workspace.subscribe(object:changeHandler:)",
      "Workspace.subscribe(fetchedResult:)", "Workspace.subscribe(object:)",
      "Workspace.subscribe(fetchedResult:startingWithCurrent:bufferingPolicy:)", "Workspace.onQuery(_:)",
      "Workspace.onTransaction(_:)", "Queryable.fetch(for:)", "Queryable.fetchWithinASnapshot(_:)",
      "TransactionContext", "TransactionContext.submit(_:)", "TransactionContext.try(submit:)",
      "TransactionContext.abort()", "TransactionContext.dictionary", "ChangeRequest",
      "GeneratedChangeRequest.creationRequest(_:)", "GeneratedChangeRequest.upsertRequest(_:)",
      "GeneratedChangeRequest.changeRequest(_:)", "GeneratedChangeRequest.deletionRequest(_:)", "ObjectChange",
      "QueryBuilder", "QueryBuilder.where(_:limit:orderBy:)", "QueryBuilder.all(limit:orderBy:)",
      "QueryBuilder.first(where:orderBy:)", "QueryBuilder.by(_:)", "QueryBuilder.count(where:)", "QueryBuilder.count()",
      "QueryBuilder.exists(where:)", "QueryBuilder.where(_:limit:orderBy:after:)",
      "QueryBuilder.explain(where:limit:orderBy:)", "ThrowingQueryBuilder", "AsyncQueryBuilder", "QueryExpression",
      "QueryExpression.isNull", "QueryExpression.in(_:)", "QueryExpression.ascending", "QueryExpression.hasPrefix(_:)",
      "QueryExpression.contains(_:)", "QueryExpression.folded", "UnionField", "VectorField", "VectorField.contains(_:)",
      "VectorField.contains(where:)", "OrderBy", "LocalizedOrder", "Limit", "FetchedResult", "FetchedResult.difference",
      "WorkspaceSubscription", "SubscribedObject", "ResultDifference", "LiveResult", "DictionaryAccess",
      "WorkspaceDictionary", "WorkspaceDictionary.subscribe(_:of:changeHandler:)", "WorkspaceDictionary.synchronize()",
      "SubscribedDictionaryValue", "LiveDictionaryValue", "TransactionError", "TakenKey", "StoreError",
      "DictionaryError", "FlatBuffersDecodable.init(verifying:checkingIdentifier:)",
      "InfallibleFlatBuffersEncodable.toData()",
    ],
    "SQLiteDflat": [
      "SQLiteWorkspace",
      "SQLiteWorkspace.init(filePath:fileProtectionLevel:synchronous:writeConcurrency:targetQueue:role:errorHandler:)",
      "SQLiteWorkspace.init(readOnly:errorHandler:)", "SQLiteWorkspace.temporary(writeConcurrency:errorHandler:)",
      "SQLiteWorkspace.waitForIndexes(of:progress:)", "SQLiteWorkspace.backup(to:replacing:progress:)",
      "SQLiteWorkspace.restore(from:to:replacing:progress:)", "SQLiteWorkspace.suspend(within:)",
      "SQLiteWorkspace.resume()", "SQLiteError", "BackupError", "SuspensionError",
    ],
    "PostgresDflat": [
      "PostgresWorkspace", "PostgresWorkspace.init(connection:errorHandler:)",
      "PostgresWorkspace.init(_:writeConcurrency:errorHandler:)", "PostgresWorkspace.prepare(_:)",
      "PostgresWorkspace.check(_:)", "PostgresWorkspace.copy(_:from:progress:)", "PostgresWorkspace.ping()",
      "PostgresOptions", "PostgresError",
    ],
    "FlatBuffersCore": [
      "FlatBufferBuilder", "ByteBuffer", "ByteBuffer.verify(as:fileIdentifier:sizePrefixed:options:)",
      "EditableFlatBuffer", "FlatBufferError", "FlatBufferTableView",
      "FlatBufferTableView.init(verifying:sizePrefixed:options:)", "FlatBufferVector",
    ],
  ]

  @Test("What users meet first has an example in its doc comment", arguments: metFirst.keys.sorted())
  func whatUsersMeetFirstHasAnExample(module: String) throws {
    let symbols = try SymbolGraph.symbols(of: module)
    let names = Set(symbols.map(\.path))
    let withExample = Set(symbols.filter { $0.docComment?.hasExample == true }.map(\.path))
    for name in Self.metFirst[module] ?? [] {
      #expect(names.contains(name), "there is no \(name)")
      #expect(withExample.contains(name), "\(name) has no example")
    }
  }

  /// DocC warns of links to symbols that there are not, and of parameters that a comment forgets.
  @Test(
    "DocC builds the reference and the guides without warnings, and each links the other",
    .enabled(if: hasDocC, "there is no DocC: it comes with Swift's toolchains"))
  func theReferenceAndTheGuidesAreWrittenWithoutWarnings() throws {
    try withTemporaryFolder { folder in
      let result = try runProgram(
        packageFolder.appendingPathComponent("Scripts/reference.sh").path, [folder.path],
        environment: ["MODULES": productsFolder.path])
      try #require(result.isSuccess, "\(String(decoding: (result.output + result.error).suffix(4000), as: UTF8.self))")
      func linked(from name: String) throws -> Set<String> {
        struct Rendered: Decodable {
          struct Reference: Decodable {}
          let references: [String: Reference]
        }
        let data = try Data(contentsOf: folder.appendingPathComponent("data/documentation/\(name).json"))
        let references = try JSONDecoder().decode(Rendered.self, from: data).references.keys
        return Set(
          references.map { String($0.drop { $0 != "/" }.split(separator: "/").dropFirst(2).joined(separator: "/")) })
      }
      for name in ["guides", "sqlitedflat", "flatbufferscore", "dflat/workspace", "dflat/concurrency"] {
        #expect(!(try linked(from: name)).isEmpty, "\(name)")
      }
      #expect(try linked(from: "dflat/workspace").contains("dflat/observing"))
      #expect(try linked(from: "dflat/observing").contains("Dflat/LiveResult"))
      #expect(try linked(from: "sqlitedflat").contains("dflat/backup"))
    }
  }

  private static let hasDocC = (try? runTool("sh", ["-c", "command -v docc || xcrun --find docc"])) != nil
}
