import Dflat
import Foundation
import PostgresDflat
import SQLiteDflat

/// Keeps a transaction's context for longer than it may be used.
private final class Kept: @unchecked Sendable {
  // Unchecked: the closure has returned before the variable is read.
  var context: (any TransactionContext)?
}

private func creation(_ title: String = "a") -> PostChangeRequest { .creationRequest(Post(title: title)) }

extension Trap {
  /// Mistakes at a workspace and its transactions, with an engine.
  private static func engine(
    of engine: String, _ workspace: @escaping @Sendable () async throws -> any Workspace
  ) -> [Trap] {
    /// A use of a context whose closure has returned.
    func ended(_ use: String, _ body: @escaping @Sendable (any TransactionContext) throws -> Void) -> Trap {
      Trap(
        "\(engine)-ended-\(use)", "A transaction context was used after its closure had returned.",
        "call performChanges again"
      ) {
        let kept = Kept()
        await (try workspace()).performChanges([Post.self]) { kept.context = $0 }
        if let context = kept.context { try body(context) }
      }
    }
    return [
      Trap("\(engine)-taken-key", "Another Post has the primary key title \"a\".", "try submit(_:)", "upsert request") {
        await (try workspace()).performChanges([Post.self]) { transaction in
          for _ in 0..<2 { transaction.try(submit: creation()) }
        }
      },
      Trap("\(engine)-taken-value", "Another Note has the unique value code 5.", "try submit(_:)", "upsert request") {
        await (try workspace()).performChanges([Note.self]) { transaction in
          for id in [1, 2] as [Int64] {
            transaction.try(submit: NoteChangeRequest.creationRequest(Note(id: id, code: 5)))
          }
        }
      },
      Trap(
        "\(engine)-unnamed-type", "A change of Post was submitted, which performChanges did not name among its types.",
        "Name Post.self there."
      ) {
        await (try workspace()).performChanges([Note.self]) { transaction in transaction.try(submit: creation()) }
      },
      ended("try") { $0.try(submit: creation()) },
      ended("submit") { context in
        let _: UpdatedObject = try context.submit(creation())
      },
      ended("abort") { $0.abort() },
      ended("set-key") { $0.dictionary["key"] = 1 },
      ended("read-key") { print($0.dictionary["key", default: 0]) },
      Trap("\(engine)-shutdown-in-transaction", "cannot be shut down inside its own transaction", "completion handler")
      {
        let workspace = try await workspace()
        await workspace.performChanges([Post.self]) { _ in workspace.shutdown() }
      },
      Trap("\(engine)-shutdown-in-snapshot", "cannot be shut down inside its own transaction or snapshot") {
        let workspace = try await workspace()
        workspace.fetchWithinASnapshot { workspace.shutdown() }
      },
      Trap(
        "\(engine)-foreign-result", "A result of Post was subscribed to that was not fetched from this workspace",
        "Subscribe to it at the workspace that has fetched it."
      ) {
        let other = SQLiteWorkspace.temporary()
        _ = try await workspace().subscribe(fetchedResult: other.fetch(for: Post.self).all()) { _ in }
      },
      Trap("\(engine)-made-result", "A result of Post was subscribed to that was not fetched from this workspace") {
        _ = try await workspace().subscribe(fetchedResult: FetchedResult([Post(title: "a")])) { _ in }
      },
    ]
  }

  static func engine(_ name: String, _ workspace: @escaping @Sendable () -> SQLiteWorkspace) -> [Trap] {
    engine(of: name, { workspace() })
  }

  static func postgres(_ connection: String) -> [Trap] {
    engine(of: "postgres") {
      let workspace = PostgresWorkspace(connection: connection)
      // The traps share a database.
      await workspace.performChanges([Post.self, Note.self]) { transaction in
        for post in workspace.fetch(for: Post.self).all() {
          if let request = PostChangeRequest.deletionRequest(post) { transaction.try(submit: request) }
        }
        for note in workspace.fetch(for: Note.self).all() {
          if let request = NoteChangeRequest.deletionRequest(note) { transaction.try(submit: request) }
        }
      }
      return workspace
    }
  }

  /// Mistakes for which it does not matter where the objects are stored.
  static let store = [
    Trap("change-request-outside", "can only be made in the closure of performChanges, and on its thread") {
      _ = PostChangeRequest.changeRequest(Post(title: "a"))
    },
    Trap("deletion-request-outside", "can only be made in the closure of performChanges, and on its thread") {
      _ = PostChangeRequest.deletionRequest(Post(title: "a"))
    },
    Trap("request-on-another-thread", "can only be made in the closure of performChanges, and on its thread") {
      await SQLiteWorkspace.temporary().performChanges([Post.self]) { _ in
        let semaphore = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          _ = PostChangeRequest.changeRequest(Post(title: "a"))
          semaphore.signal()
        }
        semaphore.wait()
      }
    },
    Trap(
      "too-large", "Post.toData() was called for a value too large for a FlatBuffer",
      "Write try (value as any FlatBuffersEncodable).toData()"
    ) {
      // The builder refuses the bytes before it reads them, so that no page of them is used.
      let data = [UInt8](unsafeUninitializedCapacity: 1 << 31) { $1 = 1 << 31 }
      _ = Post(title: "a", data: data).toData()
    },
    Trap("position-behind", "no object at position 2 of the result, whose positions are 0..<2.", "indices.contains") {
      let posts = FetchedResult([Post(title: "a"), Post(title: "b")])
      print(posts[posts.count].title)
    },
    Trap("position-before", "no object at position -1 of the result, whose positions are 0..<1.") {
      let posts = FetchedResult([Post(title: "a")])
      print(posts[posts.startIndex - 1].title)
    },
    Trap("position-in-nothing", "There is no object at position 0: the result is empty.", "`first` is nil") {
      print(SQLiteWorkspace.temporary().fetch(for: Post.self).all()[0].title)
    },
    Trap("positions", "The positions 0..<2 are not all in the result, whose positions are 0..<1.", "clamped(to:") {
      print(FetchedResult([Post(title: "a")])[0..<2].count)
    },
    Trap("no-primary-key", "The table posts has no primary key", "name one field of it or more") {
      _ = RecordDescription(table: "posts", primaryKeys: [])
    },
    Trap("indexed-tables", "The elements of f4 are no single values, and cannot be indexed.") {
      _ = RecordIndex(elementsOf: RecordVector(.root, .table, at: 4))
    },
  ]
}
