import Dflat
import EngineTestSupport
import FlatBuffersCore
import Golden_post
import SQLiteDflat
import Testing

/// What another version of the schema says of a `Thing`.
protocol ThingVersion: Sendable {
  static var record: RecordDescription { get }
}

/// A version without indexes.
enum WithoutIndexes: ThingVersion {
  static let record = RecordDescription(
    table: Thing._record.table,
    primaryKeys: [RecordField(.root, .int64, at: 4, default: .integer(0)), RecordField(.root, .string, at: 6)])
}

/// A version in which the index that is unique now is none such.
enum WithoutUniqueness: ThingVersion {
  static let record = RecordDescription(
    table: Thing._record.table,
    primaryKeys: [RecordField(.root, .int64, at: 4, default: .integer(0)), RecordField(.root, .string, at: 6)],
    indexes: [RecordIndex(RecordField(.root, .string, at: 14))])
}

/// A type whose table is named like an index of things.
enum NamedLikeAnIndex: ThingVersion {
  static let record = RecordDescription(
    table: Thing._record.table + "__f99", primaryKeys: [RecordField(.root, .int64, at: 4, default: .integer(0))])
}

/// A thing as the code of another version of the schema stores it.
final class OtherThing<Version: ThingVersion>: Atom, FlatBuffersEncodable {
  let thing: Thing
  var _rowid: Int64 { thing._rowid }
  var _commitVersion: UInt64 { thing._commitVersion }

  init(_ thing: Thing) { self.thing = thing }

  init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) {
    thing = Thing(table, _rowid: _rowid, _commitVersion: _commitVersion)
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset { thing.to(flatBufferBuilder: &builder) }

  static func verify(byteBuffer: ByteBuffer) -> Bool { Thing.verify(byteBuffer: byteBuffer) }
  static var _record: RecordDescription { Version.record }
}

final class OtherThingChangeRequest<Version: ThingVersion>: ChangeRequest {
  var _change: RecordChange<OtherThing<Version>>
  let thing: Thing

  init(_ change: RecordChange<OtherThing<Version>>, _ thing: Thing) {
    _change = change
    self.thing = thing
  }

  func _object(_rowid: Int64) -> OtherThing<Version> {
    OtherThing(
      Thing(
        id: thing.id, name: thing.name, big: thing.big, ratio: thing.ratio, flag: thing.flag, note: thing.note,
        _rowid: _rowid))
  }
}

@Suite("An index that one version of the schema has, and another not, is right when it is used again")
struct IndexRemovalTests {
  private func stored(_ count: Int) throws -> TestStore {
    let store = try TestStore()
    store.perform([Thing.self]) { context in
      for id in 0..<count {
        context.try(submit: ThingChangeRequest.creation(Thing(id: Int64(id), big: UInt64(id), note: "\(id)")))
      }
    }
    return store
  }

  /// Changes one thing and deletes another, so that no row is missing in an index that is not kept right.
  private func change<Version: ThingVersion>(
    _ store: TestStore, as _: Version.Type, in workspace: SQLiteWorkspace
  ) {
    store.perform([OtherThing<Version>.self], in: workspace) { context in
      let things = workspace.fetch(for: OtherThing<Version>.self).all()
      #expect(things.count == 10)
      guard let three = CurrentTransaction.latest(things[3]), let four = CurrentTransaction.latest(things[4]) else {
        Issue.record("gone")
        return
      }
      let changed = Thing(id: 3, big: 300, note: "300")
      context.try(submit: OtherThingChangeRequest<Version>(.update(three), changed))
      context.try(submit: OtherThingChangeRequest<Version>(.delete(four), four.thing))
    }
  }

  @Test("An index is right again after a version without it has changed objects", arguments: [false, true])
  func anotherVersionHasWritten(isOpen: Bool) throws {
    let store = try stored(10)
    if !isOpen { store.workspace.shutdown() }
    let other = store.reopened()
    change(store, as: WithoutIndexes.self, in: other)
    other.shutdown()
    let again = isOpen ? store.workspace : store.reopened()
    let things = again.fetch(for: Thing.self)
    #expect(things.where(Thing.big == 3).isEmpty)
    #expect(things.where(Thing.big == 300).map(\.id) == [3])
    #expect(things.count(where: Thing.big < 10) == 8)
    store.perform([Thing.self], in: again) { context in
      // The note of the one that was deleted is free, and that of the one that was changed is not.
      context.try(submit: ThingChangeRequest.creation(Thing(id: 44, note: "4")))
      #expect(throws: TransactionError.objectAlreadyExists) {
        try context.submit(ThingChangeRequest.creation(Thing(id: 45, note: "300")))
      }
    }
    #expect(things.where(Thing.note == "4").map(\.id) == [44])
    again.shutdown()
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("A version without the indexes that only reads leaves the indexes in the file")
  func anotherVersionThatOnlyReadsLeavesTheIndexes() throws {
    let store = try stored(10)
    let other = store.reopened()
    #expect(other.fetch(for: OtherThing<WithoutIndexes>.self).all().count == 10)
    store.perform([OtherThing<WithoutIndexes>.self], in: other) { _ in }
    other.shutdown()
    #expect(try store.sql("SELECT count(*) FROM test__thing_v1_1__f8") == [["10"]])
  }

  @Test("A version whose field is no longer unique stores a second object with its value")
  func anIndexThatIsUniqueNoLongerRefusesNothing() throws {
    let store = try stored(10)
    store.workspace.shutdown()
    let other = store.reopened()
    store.perform([OtherThing<WithoutUniqueness>.self], in: other) { context in
      context.try(
        submit: OtherThingChangeRequest<WithoutUniqueness>(.create, Thing(id: 10, note: "3")))
    }
    #expect(other.fetch(for: OtherThing<WithoutUniqueness>.self).count() == 11)
    other.shutdown()
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("A type whose table is named like an index of another type keeps its rows")
  func theTableOfATypeIsNoIndexWhateverItsName() throws {
    let store = try TestStore()
    store.perform([OtherThing<NamedLikeAnIndex>.self]) { context in
      context.try(submit: OtherThingChangeRequest<NamedLikeAnIndex>(.create, Thing(id: 1)))
    }
    store.perform([Thing.self]) { $0.try(submit: ThingChangeRequest.creation(Thing(id: 2))) }
    #expect(store.workspace.fetch(for: OtherThing<NamedLikeAnIndex>.self).all().map(\.thing.id) == [1])
    #expect(store.workspace.fetch(for: Thing.self).all().map(\.id) == [2])
  }

  @Test("The first write to a type that has lost its indexes may come after changes of another type's objects")
  func removalAfterOtherChanges() throws {
    let store = try stored(10)
    store.perform([Post.self]) { context in
      for number in 0..<10 {
        context.try(submit: PostChangeRequest.creationRequest(Post(title: "\(number)", priority: 1)))
      }
    }
    store.workspace.shutdown()
    let other = store.reopened()
    store.perform([Post.self, OtherThing<WithoutIndexes>.self], in: other) { context in
      for post in other.fetch(for: Post.self).all() {
        guard let request = PostChangeRequest.changeRequest(post) else { continue }
        request.priority = 2
        context.try(submit: request)
      }
      context.try(submit: OtherThingChangeRequest<WithoutIndexes>(.create, Thing(id: 10)))
    }
    #expect(other.fetch(for: Post.self).where(Post.priority == 2).count == 10)
    #expect(other.fetch(for: OtherThing<WithoutIndexes>.self).count() == 11)
    other.shutdown()
    #expect(try store.sql("SELECT count(*) FROM sqlite_master WHERE name LIKE 'test__thing_v1_1__f%'") == [["0"]])
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}
