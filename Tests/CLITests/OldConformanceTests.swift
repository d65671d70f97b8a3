import Foundation
import Testing

/// Types of an app that conform to the runtime's protocols, such as those that tests use in place of a store, with the
/// requirements that the protocols had in Dflat 0.6.
@Suite("Conformances of apps of Dflat 0.6")
struct OldConformanceTests {
  private func check(_ app: String, version: String) throws -> ProcessResult {
    try withFolder { folder in
      try folder.write("import Dflat\n" + app, to: "app.swift")
      return try typecheck(["app.swift"], in: folder, version: version, more: ["-parse-as-library"])
    }
  }

  /// A type that passes calls on to `base`.
  private static func type(_ kind: String, _ name: String, base: String, _ members: String)
    -> String
  {
    """
    \(kind) \(name) {
      let base: \(base)
      init(_ base: \(base)) { self.base = base }
    \(members)
    }

    """
  }

  /// The requirements of a workspace in Dflat 0.6. `attribute` is that of the handlers of subscriptions.
  private static func workspace(attribute: String = "") -> String {
    """
      func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element> { base.fetch(for: ofType) }
      func fetchWithinASnapshot<T>(_ closure: () -> T) -> T { base.fetchWithinASnapshot(closure) }
      func shutdown(flags: WorkspaceShutdownFlag, completion: (() -> Void)?) {
        base.shutdown(flags: flags, completion: nil)
        completion?()
      }
      func shutdown(flags: WorkspaceShutdownFlag) async { await base.shutdown(flags: flags) }
      func performChanges(
        _ transactionalObjectTypes: [Any.Type], changesHandler: @escaping ChangesHandler,
        completionHandler: CompletionHandler?
      ) {
        completionHandler?(false)
      }
      func performChanges(
        _ transactionalObjectTypes: [Any.Type], changesHandler: @escaping ChangesHandler
      ) async -> Bool {
        false
      }
      var dictionary: WorkspaceDictionary { base.dictionary }
      func subscribe<Element: Atom>(
        fetchedResult: FetchedResult<Element>, changeHandler: @escaping \(attribute) (_: FetchedResult<Element>) -> Void
      ) -> Subscription where Element: Equatable {
        base.subscribe(fetchedResult: fetchedResult, changeHandler: changeHandler)
      }
      func subscribe<Element: Atom>(
        object: Element, changeHandler: @escaping \(attribute) (_: SubscribedObject<Element>) -> Void
      ) -> Subscription where Element: Equatable {
        base.subscribe(object: object, changeHandler: changeHandler)
      }
      func subscribe<Element: Atom>(
        object: Element, bufferingPolicy: AsyncStream<Element>.Continuation.BufferingPolicy
      ) -> AsyncStream<Element> where Element: Equatable {
        base.subscribe(object: object, bufferingPolicy: bufferingPolicy)
      }
      func subscribe<Element: Atom>(
        fetchedResult: FetchedResult<Element>,
        bufferingPolicy: AsyncStream<FetchedResult<Element>>.Continuation.BufferingPolicy
      ) -> AsyncStream<FetchedResult<Element>> where Element: Equatable {
        base.subscribe(fetchedResult: fetchedResult, bufferingPolicy: bufferingPolicy)
      }
    """
  }

  /// The requirements of a context in Dflat 0.6.
  private static let context = """
      func submit<T: ChangeRequest>(_ request: T) throws -> UpdatedObject { try base.submit(request) }
      func abort() -> Bool { base.abort() }
    """

  /// The requirements of a source of objects in Dflat 0.6.
  private static let store = """
      func fetch<Element: Atom>(for ofType: Element.Type) -> QueryBuilder<Element> { base.fetch(for: ofType) }
      func fetchWithinASnapshot<T>(_ closure: () -> T) -> T { base.fetchWithinASnapshot(closure) }
    """

  /// What an app does with such types.
  private static let uses = """
    struct Failure: Error {}
    func use(_ workspace: Workspace, _ store: Store) async throws {
      let posts = workspace.fetchWithinASnapshot { 1 }
      let others = try store.fetchWithinASnapshot { () throws -> Int in if posts == 2 { throw Failure() } else { 2 } }
      workspace.fetchWithinASnapshot { print(posts, others) }
      let isStored = await workspace.performChanges([Int.self]) { _ in print("") }
      let value: Int = try await workspace.performChanges([Int.self]) { _ in 3 }
      print(isStored, value)
    }
    func close(_ workspace: Workspace, _ context: TransactionContext) {
      workspace.performChanges([Int.self], changesHandler: { _ in })
      workspace.shutdown()
      context.abort()
    }
    """

  @Test("Conformances of apps of Dflat 0.6 compile in Swift 5 mode", arguments: ["final class", "class", "struct"])
  func swift5(kind: String) throws {
    let app =
      Self.type(kind, "Mock: Workspace", base: "Workspace", Self.workspace())
      + Self.type(kind, "Context: TransactionContext", base: "TransactionContext", Self.context)
      + Self.type(kind, "Store: Queryable", base: "Workspace", Self.store) + Self.uses
    let result = try check(app, version: "5")
    #expect(result.status == 0 && !result.error.contains("error:"), "\(result.error)")
  }

  @Test("Old conformances compile in Swift 6 mode without warnings, if type and handlers are Sendable")
  func swift6() throws {
    let app =
      Self.type(
        "final class", "Mock: Workspace", base: "any Workspace",
        Self.workspace(attribute: "@Sendable"))
      + Self.type(
        "final class", "Context: TransactionContext", base: "any TransactionContext", Self.context)
      + Self.type("struct", "Store: Queryable", base: "any Workspace", Self.store) + Self.uses
    let result = try check(app, version: "6")
    #expect(result.status == 0 && !result.error.contains("warning:"), "\(result.error)")
  }
}
