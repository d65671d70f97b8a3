import Dflat
import FlatBuffersCore

/// A number under a key: what histories of transactions read and write. There is a type for each tag.
package final class Register<Tag: RegisterTag>: Atom, Equatable, FlatBuffersEncodable, Sendable {
  package let key: Int64
  package let value: Int64
  package let _rowid: Int64
  package let _commitVersion: UInt64

  package init(key: Int64, value: Int64, _rowid: Int64 = 0) {
    self.key = key
    self.value = value
    self._rowid = _rowid
    _commitVersion = 0
  }

  package init(_ table: FlatBufferTable, _rowid: Int64, _commitVersion: UInt64) {
    key = table.scalar(at: 4, default: 0)
    value = table.scalar(at: 6, default: 0)
    self._rowid = _rowid
    self._commitVersion = _commitVersion
  }

  package func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset {
    builder.startTable(fieldCount: 2)
    builder.add(key, default: 0, at: 4)
    builder.add(value, default: 0, at: 6)
    return builder.endTable()
  }

  package static func verify(byteBuffer: ByteBuffer) -> Bool { FlatBufferTable(rootOf: byteBuffer) != nil }

  package static func == (lhs: Register, rhs: Register) -> Bool { lhs.key == rhs.key && lhs.value == rhs.value }

  package static var _record: RecordDescription { Tag.record }

  package static var key: QueryExpression<Int64, Register> { QueryExpression(registerFields.key) }
  package static var value: QueryExpression<Int64, Register> { QueryExpression(registerFields.value) }
}

/// Tells one type of registers from another.
package protocol RegisterTag: Sendable {
  static var record: RecordDescription { get }
}

private let registerFields = (
  key: RecordField(.root, .int64, at: 4, default: .integer(0)),
  value: RecordField(.root, .int64, at: 6, default: .integer(0))
)

/// - Parameter isIndexed: whether the value has an index, which is unique unless said otherwise.
private func registerRecord(_ name: String, isIndexed: Bool, isUnique: Bool = true) -> RecordDescription {
  RecordDescription(
    table: "register_\(name)", primaryKeys: [registerFields.key],
    indexes: isIndexed ? [RecordIndex(registerFields.value, unique: isUnique)] : [])
}

package enum TagA: RegisterTag { package static let record = registerRecord("a", isIndexed: false) }
package enum TagB: RegisterTag { package static let record = registerRecord("b", isIndexed: true) }
package enum TagC: RegisterTag { package static let record = registerRecord("c", isIndexed: false) }

/// Three versions of a schema: the second one has an index, which is unique in the third.
package enum TagOld: RegisterTag { package static let record = registerRecord("versions", isIndexed: false) }
package enum TagNew: RegisterTag {
  package static let record = registerRecord("versions", isIndexed: true, isUnique: false)
}
package enum TagUnique: RegisterTag { package static let record = registerRecord("versions", isIndexed: true) }

package final class RegisterRequest<Tag: RegisterTag>: ChangeRequest {
  package var _change: RecordChange<Register<Tag>>
  private let key: Int64
  private let value: Int64

  package init(_ change: RecordChange<Register<Tag>>, key: Int64, value: Int64) {
    _change = change
    self.key = key
    self.value = value
  }

  package func _object(_rowid: Int64) -> Register<Tag> { Register(key: key, value: value, _rowid: _rowid) }
}

/// The types of registers by number, without their generic parameter.
package struct RegisterType: Sendable {
  package let type: any Atom.Type
  /// The value under a key; nil when there is none.
  package let read: @Sendable (any Workspace, Int64) -> Int64?
  package let readAll: @Sendable (any Workspace) -> [Int64: Int64]
  /// Subscribes to all registers of the type, and gives what cancels the subscription.
  package let subscribe:
    @Sendable (any Workspace, @escaping @Sendable ([Int64: Int64]) -> Void) -> any WorkspaceSubscription
  /// Changes the value, from the state as it is found.
  package let write: @Sendable (any TransactionContext, Int64, Int64) throws(TransactionError) -> Void
  /// Stores a new register: a conflict when there is one already.
  package let create: @Sendable (any TransactionContext, Int64, Int64) throws(TransactionError) -> Void

  package static let all = [make(TagA.self), make(TagB.self), make(TagC.self)]

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
          try context.typedSubmit(RegisterRequest<Tag>(.update(latest), key: key, value: value))
        } else {
          try context.typedSubmit(RegisterRequest<Tag>(.upsert, key: key, value: value))
        }
      },
      create: { context, key, value throws(TransactionError) in
        try context.typedSubmit(RegisterRequest<Tag>(.create, key: key, value: value))
      })
  }
}
