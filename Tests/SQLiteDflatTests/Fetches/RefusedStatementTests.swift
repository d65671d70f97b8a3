import Dflat
import EngineTestSupport
import FlatBuffersCore
import Golden_post
import Testing

@testable import SQLiteDflat

@Suite("What SQLite refuses for its size is answered from the rows")
struct RefusedStatementTests {
  /// An object with more indexed numbers than SQLite joins tables. The number of each field is a bit of the key.
  private final class Wide: Atom, FlatBuffersEncodable {
    static let width = 70
    let key: Int64
    let _rowid: Int64
    let _commitVersion: UInt64

    init(key: Int64, _rowid: Int64 = 0) {
      (self.key, self._rowid, _commitVersion) = (key, _rowid, 0)
    }

    init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) {
      key = table.scalar(at: 4, default: 0)
      (self._rowid, self._commitVersion) = (_rowid, _commitVersion)
    }

    func number(_ field: Int) -> Int64 { key >> Int64(field % 7) & 1 }

    func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset {
      builder.startTable(fieldCount: Wide.width + 1)
      builder.add(key, default: 0, at: 4)
      for field in 0..<Wide.width { builder.add(number(field), default: 0, at: 6 + 2 * UInt16(field)) }
      return builder.endTable()
    }

    static func verify(byteBuffer: ByteBuffer) -> Bool { FlatBufferTable(rootOf: byteBuffer) != nil }

    private static let fields = (0...width).map {
      RecordField(.root, .int64, at: 4 + 2 * UInt16($0), default: .integer(0))
    }
    static let _record = RecordDescription(
      table: "wide", primaryKeys: [fields[0]], indexes: fields.dropFirst().map { RecordIndex($0) })
    static let keys = QueryExpression<Int64, Wide>(fields[0])
    static func number(_ field: Int) -> QueryExpression<Int64, Wide> { QueryExpression(fields[field + 1]) }
  }

  private final class WideRequest: ChangeRequest {
    var _change: RecordChange<Wide> = .create
    private let key: Int64

    init(key: Int64) { self.key = key }

    func _object(_rowid: Int64) -> Wide { Wide(key: key, _rowid: _rowid) }
  }

  @Test("A condition on more indexed fields than SQLite joins tables finds what it holds for")
  func manyIndexes() throws {
    let store = try TestStore()
    store.perform([Wide.self]) { transaction in
      for key in 0..<Int64(128) { transaction.try(submit: WideRequest(key: key)) }
    }
    let sample = Wide(key: 0b101_0011)
    let all = (0..<Wide.width).map { Wide.number($0) == sample.number($0) }.reduce(Wide.keys >= 0) { $0 && $1 }
    let some = (0..<Wide.width).map { Wide.number($0) != sample.number($0) }.reduce(Wide.keys < 0) { $0 || $1 }
    let fetch = store.workspace.fetch(for: Wide.self)
    #expect(fetch.where(all).map(\.key) == [sample.key])
    #expect(fetch.count(where: all) == 1 && fetch.exists(where: all))
    #expect(fetch.where(some).count == 127 && fetch.count(where: some) == 127)
    let keys = (0..<7).map { Wide.number($0).descending } + (7..<Wide.width).map { Wide.number($0).ascending }
    let first = fetch.where(some, limit: 5, orderBy: keys)
    #expect(first.count == 5)
    let expected = (0..<Int64(128)).filter { $0 != sample.key }.sorted { lhs, rhs in
      for bit in 0..<Int64(7) where lhs >> bit & 1 != rhs >> bit & 1 { return lhs >> bit & 1 == 1 }
      return false
    }
    #expect(first.map(\.key) == Array(expected.prefix(5)))
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }

  @Test("A page by more keys than SQLite's parser nests holds the objects after its start", arguments: [9, 20, 32, 70])
  func manyKeys(count: Int) throws {
    let store = try TestStore()
    store.perform([Post.self]) { transaction in
      for number in 0..<60 {
        transaction.try(
          submit: PostChangeRequest.creationRequest(Post(title: "\(100 + number)", priority: Int32(number % 4))))
      }
    }
    let fetch = store.workspace.fetch(for: Post.self)
    let keys = [Post.priority.descending] + Array(repeating: Post.title.ascending, count: count - 1)
    let sorted = fetch.all(orderBy: keys)
    var found: [String] = []
    var last: Post?
    while found.count < 60 {
      let page = last.map { fetch.all(limit: 7, orderBy: keys, after: $0) } ?? fetch.all(limit: 7, orderBy: keys)
      guard let end = page.last else { break }
      found += page.map(\.title)
      last = end
    }
    #expect(found == sorted.map(\.title) && found.count == 60)
    #expect(store.errors.values.isEmpty, "\(store.errors.values)")
  }
}
