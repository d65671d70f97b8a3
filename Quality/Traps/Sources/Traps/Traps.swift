import Dflat
import FlatBuffersCore
import Foundation
import SQLiteDflat

/// A mistake that ends a program, and what the program has to print then.
enum Trap: String, CaseIterable {
  case takenKey = "taken-key"
  case unnamedType = "unnamed-type"
  case requestOutside = "request-outside"
  case endedContext = "ended-context"
  case endedDictionary = "ended-dictionary"
  case shutdownInside = "shutdown-inside"
  case foreignResult = "foreign-result"
  case ownContext = "own-context"
  case builderPhase = "builder-phase"

  /// Parts of the message, separated by `|`.
  var message: String {
    switch self {
    case .takenKey: "Another Post has the primary key title \"a\".|write try submit(_:)|upsert request"
    case .unnamedType: "A change of Post was submitted, which performChanges did not name among its types."
    case .requestOutside: "can only be made in the closure of performChanges"
    case .endedContext, .endedDictionary: "A transaction context was used after its closure had returned."
    case .shutdownInside: "cannot be shut down inside its own transaction or snapshot"
    case .foreignResult: "A result of Post was subscribed to that was not fetched from this workspace"
    case .ownContext: "Logged has no dictionary. Declare `dictionary`"
    case .builderPhase: "Fields are added between startTable and endTable."
    }
  }

  func run() async throws {
    let workspace = SQLiteWorkspace.temporary()
    let creation = { PostChangeRequest.creationRequest(Post(title: "a")) }
    switch self {
    case .takenKey:
      await workspace.performChanges([Post.self]) { transaction in
        for _ in 0..<2 { transaction.try(submit: creation()) }
      }
    case .unnamedType:
      await workspace.performChanges([Int.self]) { transaction in transaction.try(submit: creation()) }
    case .requestOutside:
      _ = PostChangeRequest.changeRequest(Post(title: "a"))
    case .endedContext, .endedDictionary:
      let kept = Kept()
      await workspace.performChanges([Post.self]) { kept.context = $0 }
      if self == .endedContext {
        kept.context?.try(submit: creation())
      } else {
        kept.context?.dictionary["key"] = 1
      }
    case .shutdownInside:
      await workspace.performChanges([Post.self]) { _ in workspace.shutdown() }
    case .foreignResult:
      let other = SQLiteWorkspace.temporary()
      _ = workspace.subscribe(fetchedResult: other.fetch(for: Post.self).all()) { _ in }
    case .ownContext:
      Logged().dictionary["key"] = 1
    case .builderPhase:
      var builder = FlatBufferBuilder()
      builder.add(Int32(1), at: 0)
    }
  }
}

/// Keeps a transaction's context for longer than it may be used.
private final class Kept: @unchecked Sendable {
  // Unchecked: the closure has returned before the variable is read.
  var context: (any TransactionContext)?
}

/// A context of an app's own, which has what Dflat 0.6 asked for.
private struct Logged: TransactionContext {
  func submit(_ request: some ChangeRequest) throws -> UpdatedObject { throw TransactionError.aborted }
  func abort() -> Bool { true }
}

@main
struct Traps {
  static func main() async throws {
    guard let name = CommandLine.arguments.dropFirst().first else {
      for trap in Trap.allCases { print("\(trap.rawValue)|\(trap.message)") }
      return
    }
    guard let trap = Trap(rawValue: name) else {
      FileHandle.standardError.write(Data("There is no trap \(name).\n".utf8))
      exit(64)
    }
    try await trap.run()
    print("\(name) has ended nothing.")
  }
}
