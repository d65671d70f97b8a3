import Dflat
import FlatBuffersCore
import SQLiteDflat

/// A number under a key: what histories of transactions read and write. There is a type for each tag.
final class Register<Tag: RegisterTag>: Atom, Equatable, FlatBuffersEncodable, Sendable {
  let key: Int64
  let value: Int64
  let _rowid: Int64
  let _commitVersion: UInt64

  init(key: Int64, value: Int64, _rowid: Int64 = 0) {
    self.key = key
    self.value = value
    self._rowid = _rowid
    _commitVersion = 0
  }

  init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) {
    key = table.scalar(at: 4, default: 0)
    value = table.scalar(at: 6, default: 0)
    self._rowid = _rowid
    self._commitVersion = _commitVersion
  }

  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset {
    builder.startTable(fieldCount: 2)
    builder.add(key, default: 0, at: 4)
    builder.add(value, default: 0, at: 6)
    return builder.endTable()
  }

  static func verify(byteBuffer: ByteBuffer) -> Bool { FlatBufferTable(rootOf: byteBuffer) != nil }

  static func == (lhs: Register, rhs: Register) -> Bool { lhs.key == rhs.key && lhs.value == rhs.value }

  static var _record: RecordDescription { Tag.record }

  static var key: QueryExpression<Int64, Register> { QueryExpression(registerFields.key) }
}

/// Tells one type of registers from another.
protocol RegisterTag: Sendable {
  static var record: RecordDescription { get }
}

private let registerFields = (
  key: RecordField(.root, .int64, at: 4, default: .integer(0)),
  value: RecordField(.root, .int64, at: 6, default: .integer(0))
)

private func registerRecord(_ name: String, isIndexed: Bool) -> RecordDescription {
  RecordDescription(
    table: "register_\(name)", primaryKeys: [registerFields.key],
    indexes: isIndexed ? [RecordIndex(registerFields.value, unique: true)] : [])
}

enum TagA: RegisterTag { static let record = registerRecord("a", isIndexed: false) }
enum TagB: RegisterTag { static let record = registerRecord("b", isIndexed: true) }
enum TagC: RegisterTag { static let record = registerRecord("c", isIndexed: false) }

final class RegisterRequest<Tag: RegisterTag>: ChangeRequest {
  var _change: RecordChange<Register<Tag>>
  private let key: Int64
  private let value: Int64

  init(_ change: RecordChange<Register<Tag>>, key: Int64, value: Int64) {
    _change = change
    self.key = key
    self.value = value
  }

  func _object(_rowid: Int64) -> Register<Tag> { Register(key: key, value: value, _rowid: _rowid) }
}

/// The types of registers by number, without their generic parameter.
struct RegisterType: Sendable {
  let type: any Atom.Type
  /// The value under a key; nil when there is none.
  let read: @Sendable (SQLiteWorkspace, Int64) -> Int64?
  let readAll: @Sendable (SQLiteWorkspace) -> [Int64: Int64]
  /// Subscribes to all registers of the type, and gives what cancels the subscription.
  let subscribe: @Sendable (SQLiteWorkspace, @escaping @Sendable ([Int64: Int64]) -> Void) -> any WorkspaceSubscription
  /// Changes the value, from the state as it is found.
  let write: @Sendable (any TransactionContext, Int64, Int64) throws(TransactionError) -> Void
  /// Stores a new register: a conflict when there is one already.
  let create: @Sendable (any TransactionContext, Int64, Int64) throws(TransactionError) -> Void

  static let all = [make(TagA.self), make(TagB.self), make(TagC.self)]

  private static func make<Tag: RegisterTag>(_ tag: Tag.Type) -> RegisterType {
    RegisterType(
      type: Register<Tag>.self,
      read: { workspace, key in
        workspace.fetch(for: Register<Tag>.self).where(Register<Tag>.key == key).first?.value
      },
      readAll: { workspace in
        Dictionary(uniqueKeysWithValues: workspace.fetch(for: Register<Tag>.self).all().map { ($0.key, $0.value) })
      },
      subscribe: { workspace, handler in
        workspace.subscribe(fetchedResult: workspace.fetch(for: Register<Tag>.self).all()) { registers in
          handler(Dictionary(uniqueKeysWithValues: registers.map { ($0.key, $0.value) }))
        }
      },
      write: { context, key, value throws(TransactionError) in
        if let latest = CurrentTransaction.latest(Register<Tag>(key: key, value: 0)) {
          try context.submit(RegisterRequest<Tag>(.update(latest), key: key, value: value))
        } else {
          try context.submit(RegisterRequest<Tag>(.upsert, key: key, value: value))
        }
      },
      create: { context, key, value throws(TransactionError) in
        try context.submit(RegisterRequest<Tag>(.create, key: key, value: value))
      })
  }
}
