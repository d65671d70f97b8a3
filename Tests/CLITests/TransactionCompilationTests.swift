import Foundation
import TestSupport
import Testing

/// What people write in transactions, with what the compiler makes of it.
@Suite("Which calls of transactions compile")
struct TransactionCompilationTests {
  private static let schema = """
    table Post { priority: int; title: string (primary); tag: string (required); color: string; }
    root_type Post;
    """

  private func check(_ text: String, version: String, named name: String = "calls.swift") throws -> ProcessResult {
    try withFolder { folder in
      try folder.write(Self.schema, to: "post.fbs")
      let compiled = try dflatc("compile", "-o", ".", "post.fbs", in: folder)
      try #require(compiled.status == 0, "\(compiled.error)")
      try folder.write(text, to: name)
      return try typecheck(
        folder.names().filter { $0.hasSuffix(".swift") }, in: folder, version: version,
        more: name == "main.swift" ? [] : ["-parse-as-library"])
    }
  }

  @Test("A submission gives a change of its type, and an UpdatedObject where one is asked for", arguments: ["5", "6"])
  func submissions(version: String) throws {
    let result = try check(
      """
      import Dflat
      func typed(_ context: any TransactionContext, _ request: PostChangeRequest) throws -> [String] {
        var titles: [String] = []
        if case .inserted(let post) = try context.submit(request) { titles.append(post.title) }
        if case .updated(let post)? = context.try(submit: request) { titles.append(post.title) }
        titles += [context.try(submit: request)?.object?.title ?? ""]
        switch try context.submit(request) {
        case .inserted(let post), .updated(let post), .identity(let post): titles.append(post.title)
        case .deleted(let rowid): titles.append("\\(rowid)")
        }
        context.try(submit: request)
        try context.submit(request)
        return titles
      }
      func untyped(_ context: any TransactionContext, _ request: PostChangeRequest) throws -> UpdatedObject? {
        let change: UpdatedObject = try context.submit(request)
        var changes: [UpdatedObject] = [change]
        changes.append(try context.submit(request))
        if let change: UpdatedObject = context.try(submit: request) { changes.append(change) }
        if case .inserted(let atom) = changes[0], let post = atom as? Post { print(post.title) }
        return context.try(submit: request)
      }
      func generic<Request: ChangeRequest>(_ context: any TransactionContext, _ request: Request) throws -> Request.Element? {
        try context.submit(request).object
      }
      """, version: version)
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
  }

  @Test("An initializer takes the order of the schema, and that of Dflat 0.6", arguments: ["5", "6"])
  func initializers(version: String) throws {
    let result = try check(
      """
      let posts = [
        Post(priority: 1, title: "a", tag: "b", color: "c"), Post(title: "a", tag: "b", priority: 1, color: "c"),
        Post(title: "a", tag: "b"), Post(title: "a", tag: "b", color: "c"), Post(title: "a", tag: "b", priority: 1),
      ]
      """, version: version)
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
  }

  private static let topLevel = """
    import Dflat
    import SQLiteDflat
    let workspace = SQLiteWorkspace.temporary()
    """

  @Test("At the top level, the form that does not wait is refused, with what to write")
  func topLevelCalls() throws {
    let call = "await workspace.performChanges([Post.self]) { _ in }"
    let refused = try check("\(Self.topLevel)\n\(call)\n", version: "6", named: "main.swift")
    #expect(refused.status != 0)
    #expect(refused.error.contains("`let isStored: Bool = await workspace.performChanges(...)`"), "\(refused.error)")
    let warned = try check("\(Self.topLevel)\n\(call)\n", version: "5", named: "main.swift")
    #expect(warned.status == 0)
    #expect(warned.error.contains("warning") && warned.error.contains("does not wait"), "\(warned.error)")
    for good in ["let isStored: Bool = \(call)\nprint(isStored)", "func run() async { \(call) }\nawait run()"] {
      let accepted = try check("\(Self.topLevel)\n\(good)\n", version: "6", named: "main.swift")
      #expect(accepted.status == 0 && accepted.error.isEmpty, "\(good): \(accepted.error)")
    }
  }

  @Test("Code that does not wait is left alone", arguments: ["5", "6"])
  func synchronousCalls(version: String) throws {
    let result = try check(
      """
      import Dflat
      func synchronous(_ workspace: any Workspace) {
        workspace.performChanges([Post.self]) { _ in }
        workspace.performChanges([Post.self], changesHandler: { _ in })
        workspace.performChanges([Post.self], changesHandler: { _ in }, completionHandler: nil)
        workspace.performChanges([Post.self]) { _ in } completionHandler: { _ in }
      }
      func asynchronous(_ workspace: any Workspace) async throws -> Bool {
        workspace.performChanges([Post.self], changesHandler: { _ in }, completionHandler: nil)
        await workspace.performChanges([Post.self]) { _ in }
        let count: Int = try await workspace.performChanges([Post.self]) { _ in 3 }
        return await workspace.performChanges([Post.self]) { _ in } && count == 3
      }
      """, version: version)
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
  }
}
