import Dflat
import Foundation
import SQLiteDflat
import Testing

/// Sends objects through a store: they are created, found whole and by each question, changed, and deleted.
///
/// - Parameters:
///   - edit: changes a request for the first object into one for `edited`.
///   - questions: each with the places in `objects` of those that it finds before anything is changed.
func live<Model: Atom & Equatable & SendableMetatype, Request: ChangeRequest & SendableMetatype>(
  _ objects: [Model], creation: @escaping @Sendable (Model) -> Request,
  change: @escaping @Sendable (Model) -> Request?, deletion: @escaping @Sendable (Model) -> Request?,
  edited: Model, edit: @escaping @Sendable (Request) -> Void,
  questions: [(question: QueryExpression<Bool, Model>, places: [Int])]
) async throws where Request.Element == Model {
  try await withWorkspace { workspace in
    try await workspace.performChanges([Model.self]) { transaction in
      for object in objects { try transaction.submit(creation(object)) }
    }
    #expect(Array(workspace.fetch(for: Model.self).all()) == objects)
    for (number, (question, places)) in questions.enumerated() {
      let found = Array(workspace.fetch(for: Model.self).where(question))
      #expect(found == places.map { objects[$0] }, "question \(number)")
    }
    try await workspace.performChanges([Model.self]) { transaction in
      let request = try #require(change(objects[0]))
      edit(request)
      guard case .updated = try transaction.submit(request) else {
        Issue.record("nothing was changed")
        return
      }
    }
    #expect(Array(workspace.fetch(for: Model.self).all()) == [edited] + objects.dropFirst())
    try await workspace.performChanges([Model.self]) { transaction in
      for object in objects.dropFirst() { try transaction.submit(#require(deletion(object))) }
    }
    #expect(Array(workspace.fetch(for: Model.self).all()) == [edited])
  }
}
