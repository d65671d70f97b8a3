import Dflat
import SQLiteDflat

/// A context of an app's own, which has what Dflat 0.6 asked for.
private struct OwnContext: TransactionContext {
  let answer: @Sendable () throws -> UpdatedObject
  func submit(_ request: some ChangeRequest) throws -> UpdatedObject { try answer() }
  func abort() -> Bool { true }
}

extension Trap {
  /// Mistakes in and with an app's own types.
  static let ownTypes = [
    Trap("own-dictionary", "OwnContext has no dictionary. Declare `dictionary`") {
      OwnContext { throw TransactionError.aborted }.dictionary["key"] = 1
    },
    Trap("own-taken-key", "try(submit:), for which that is an error of the program", "try submit(_:)") {
      // The error of an engine, passed on.
      let failure = await conflict()
      OwnContext { throw failure }.try(submit: PostChangeRequest.creationRequest(Post(title: "a")))
    },
    Trap(
      "own-answer", "A transaction context has returned a Note for a request of a Post.",
      "A context of your own returns the object that it was asked to store."
    ) {
      let context = OwnContext { .inserted(Note(id: 1)) }
      let change: ObjectChange<Post> = try context.submit(PostChangeRequest.creationRequest(Post(title: "a")))
      print(change)
    },
  ]

  private static func conflict() async -> any Error {
    let failure = Failure()
    await SQLiteWorkspace.temporary().performChanges([Post.self]) { transaction in
      do {
        for _ in 0..<2 {
          let _: UpdatedObject = try transaction.submit(PostChangeRequest.creationRequest(Post(title: "a")))
        }
      } catch {
        failure.error = error
      }
    }
    return failure.error ?? TransactionError.aborted
  }

  private final class Failure: @unchecked Sendable {
    // Unchecked: the closure has returned before the variable is read.
    var error: (any Error)?
  }
}
