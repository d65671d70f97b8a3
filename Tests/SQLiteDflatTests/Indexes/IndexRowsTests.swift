import Dflat
import Golden_structs
import SQLiteDflat
import Testing

@Suite("An update writes no index row that it does not have to")
struct IndexRowsTests {
  /// A store whose index tables keep a log of every row that is written.
  private func loggedStore() throws -> (store: TestStore, indexes: [String]) {
    let store = try TestStore()
    store.perform([Body.self]) { context in
      context.try(
        submit: BodyChangeRequest.creationRequest(
          Body(id: 1, origin: Vec3(x: 1), pose: Pose(position: Vec3(x: 2), stamp: 3), payload: .vec3(Vec3(x: 4)))))
    }
    let indexes = try store.sql(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'body\\_\\_%' ESCAPE '\\'"
    )
    .joined().compactMap(\.self).sorted()
    try store.sql("CREATE TABLE log (name)")
    for name in indexes {
      for change in ["INSERT", "UPDATE", "DELETE"] {
        try store.workspace.addTrigger(
          "t_\(name)_\(change) AFTER \(change) ON \(name) BEGIN INSERT INTO log VALUES ('\(name)'); END")
      }
    }
    return (store, indexes)
  }

  @Test("An update rewrites the index rows whose values changed, and no other")
  func onlyWhatChanged() throws {
    let (store, indexes) = try loggedStore()
    #expect(indexes.count == 6)
    /// The index tables that a change wrote to.
    func written(_ change: @escaping (BodyChangeRequest) -> Void) throws -> Set<String> {
      try store.sql("DELETE FROM log")
      store.perform([Body.self]) { context in
        guard let request = BodyChangeRequest.changeRequest(Body(id: 1, origin: Vec3())) else {
          Issue.record("the body is gone")
          return
        }
        change(request)
        context.try(submit: request)
      }
      return Set(try store.sql("SELECT DISTINCT name FROM log").joined().compactMap(\.self))
    }

    // No indexed field.
    #expect(try written { $0.big = Big(value: 1) } == [])
    #expect(try written { $0.path = [Vec3(x: 9)] } == [])
    #expect(try written { $0.pose?.position.y = 9 } == [])
    // One of them each: the sets do not meet.
    let changes: [(BodyChangeRequest) -> Void] = [
      { $0.pose?.position.x = 20 }, { $0.pose?.stamp = 30 }, { $0.origin.x = 10 }, { $0.abilities = [.swim] },
      { $0.payload = .vec3(Vec3(x: 40)) },
    ]
    var tables: [Set<String>] = []
    for change in changes {
      let found = try written(change)
      #expect(found.count == 1)
      #expect(tables.allSatisfy { $0.isDisjoint(with: found) })
      tables.append(found)
      // The same once more changes nothing.
      #expect(try written(change) == [])
    }
    // Another member: its type, and the field that is no longer there.
    let typeIndex = Set(indexes).subtracting(tables.joined())
    #expect(try written { $0.payload = .big(Big(value: 2)) } == tables[4].union(typeIndex))
    // All that is in a struct, with it.
    #expect(try written { $0.pose = nil } == tables[0].union(tables[1]))
    #expect(try written { $0.pose = Pose(position: Vec3(x: 5), stamp: 6) } == tables[0].union(tables[1]))
    // The values are those that queries find.
    #expect(store.workspace.fetch(for: Body.self).where(Body.pose.position.x == 5).count == 1)
    #expect(store.workspace.fetch(for: Body.self).where(Body.pose.position.x == 20).isEmpty)
    #expect(store.workspace.fetch(for: Body.self).where(Body.payload.match(Big.self)).count == 1)
  }

  @Test("An upsert replaces all index values")
  func anUpsertPutsAllValuesInPlaceOfTheOld() throws {
    let (store, _) = try loggedStore()
    store.perform([Body.self]) { context in
      guard
        case .updated(let updated)? = context.try(
          submit: BodyChangeRequest.upsertRequest(Body(id: 1, origin: Vec3(x: 7)))),
        case .inserted(let inserted)? = context.try(
          submit: BodyChangeRequest.upsertRequest(Body(id: 2, origin: Vec3(x: 8))))
      else {
        Issue.record("neither updated nor inserted")
        return
      }
      #expect(updated._rowid == 1)
      #expect(inserted._rowid != 1)
      // It starts from the object, not from what was stored.
      #expect(updated.pose == nil && updated.payload == nil)
    }
    #expect(store.workspace.fetch(for: Body.self).all().map(\.origin.x).sorted() == [7, 8])
    #expect(store.workspace.fetch(for: Body.self).where(Body.origin.x == 1).isEmpty)
    #expect(store.workspace.fetch(for: Body.self).where(Body.origin.x == 7).count == 1)
  }

  @Test("A deleted object leaves no index rows")
  func aDeletedObjectLeavesNoIndexRows() throws {
    let (store, indexes) = try loggedStore()
    store.perform([Body.self]) { context in
      guard let request = BodyChangeRequest.deletionRequest(Body(id: 1, origin: Vec3())) else {
        Issue.record("the body is gone")
        return
      }
      context.try(submit: request)
      #expect(BodyChangeRequest.changeRequest(Body(id: 1, origin: Vec3())) == nil)
    }
    for name in indexes { #expect(try store.sql("SELECT count(*) FROM \(name)") == [["0"]], "\(name)") }
  }

  @Test("A builder starts with an object's values, and changing it leaves the object unchanged")
  func aBuilderStartsWithAnObjectAndLeavesItAlone() {
    let body = Body(id: 1, origin: Vec3(x: 1), path: [Vec3(x: 2)])
    var builder = BodyBuilder(from: body)
    #expect(builder.build() == body)
    builder.origin.x = 5
    builder.path.append(Vec3())
    builder.maybe = [.fly]
    let built = builder.build()
    #expect(body == Body(id: 1, origin: Vec3(x: 1), path: [Vec3(x: 2)]))
    #expect(built == Body(id: 1, origin: Vec3(x: 5), maybe: [.fly], path: [Vec3(x: 2), Vec3()]))
    #expect(built._rowid == 0)
    builder.id = 2
    #expect(built.id == 1 && builder.build().id == 2)
  }
}
