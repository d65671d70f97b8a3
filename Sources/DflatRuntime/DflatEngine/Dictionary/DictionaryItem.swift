import Dflat
import FlatBuffersCore

/// The row of a dictionary key, in the format of Dflat 0.6: an object of the table `DictItem`. It has a field for each
/// kind of value, and a code that says which field counts.
package struct DictionaryItem: FlatBuffersEncodable {
  private let path: DictionaryPath
  private let value: StoredDictionaryValue
  private let kind: Kind

  /// Makes the row of a key and its value.
  /// - Throws: `UnreadableDictionaryValue` if the value was read from a damaged row: such a value cannot be written.
  package init(path: DictionaryPath, value: StoredDictionaryValue) throws {
    guard let kind = Kind(value) else { throw UnreadableDictionaryValue.damaged("it could not be read") }
    self.path = path
    self.value = value
    self.kind = kind
  }

  package static let record = RecordDescription(
    table: "dictitem_v_dflat_internal__",
    primaryKeys: [RecordField(.root, .string, at: Slot.key), RecordField(.root, .string, at: Slot.namespace)])

  /// The slots of the fields in the vtable.
  private enum Slot {
    static let key: VTableOffset = 4
    static let namespace: VTableOffset = 6
    static let version: VTableOffset = 8
    static let kind: VTableOffset = 10
    static let bool: VTableOffset = 12
    static let integer: VTableOffset = 14
    static let unsigned: VTableOffset = 16
    static let float: VTableOffset = 18
    static let double: VTableOffset = 20
    static let string: VTableOffset = 22
    static let bytes: VTableOffset = 24
    static let count = 11
  }

  /// The codes of the field `value_type`.
  private enum Kind: UInt8 {
    case bool, integer, unsigned, float, double, string, propertyList, flatBuffer

    /// Makes the code of a value; nil if the value could not be read.
    init?(_ value: StoredDictionaryValue) {
      switch value {
      case .bool: self = .bool
      case .integer: self = .integer
      case .unsigned: self = .unsigned
      case .float: self = .float
      case .double: self = .double
      case .string: self = .string
      case .encoded(let encoded): self = encoded.kind == .propertyList ? .propertyList : .flatBuffer
      case .damaged: return nil
      }
    }
  }

  // MARK: Writing

  package func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> Offset {
    var version = Offset.null
    var content = Offset.null
    switch value {
    case .string(let text): content = builder.create(text)
    case .encoded(let encoded):
      content = builder.create(vector: encoded.bytes)
      if case .flatBuffer(let text?) = encoded.kind { version = builder.create(text) }
    default: break
    }
    let namespace = builder.create(path.namespace.text)
    let key = builder.create(path.key.text)
    builder.startTable(fieldCount: Slot.count)
    builder.add(key, at: Slot.key)
    builder.add(namespace, at: Slot.namespace)
    builder.add(version, at: Slot.version)
    builder.add(kind.rawValue, default: 0, at: Slot.kind)
    switch value {
    case .bool(let value): builder.add(value, default: false, at: Slot.bool)
    case .integer(let value): builder.add(value, default: 0, at: Slot.integer)
    case .unsigned(let value): builder.add(value, default: 0, at: Slot.unsigned)
    case .float(let value): builder.add(value, default: 0, at: Slot.float)
    case .double(let value): builder.add(value, default: 0, at: Slot.double)
    case .string: builder.add(content, at: Slot.string)
    case .encoded: builder.add(content, at: Slot.bytes)
    case .damaged: break
    }
    return builder.endTable()
  }

  // MARK: Reading

  /// Returns the key in the bytes of a row; nil if the bytes hold no key.
  package static func path(of bytes: UnsafeRawBufferPointer) -> DictionaryPath? {
    let budget = ReadingBudget()
    defer { budget.end() }
    guard let item = FlatBufferTable(rootOf: bytes, within: budget), let key = item.string(at: Slot.key) else {
      return nil
    }
    return DictionaryPath(
      namespace: DictionaryKey(item.string(at: Slot.namespace) ?? ""), key: DictionaryKey(key))
  }

  /// Returns the value in the bytes of a row; `.damaged` if the value cannot be read.
  package static func value(of bytes: UnsafeRawBufferPointer) -> StoredDictionaryValue {
    let budget = ReadingBudget()
    guard let item = FlatBufferTable(rootOf: bytes, within: budget) else { return .damaged }
    let value = value(of: item)
    return budget.end() ? value : .damaged
  }

  private static func value(of item: FlatBufferTable) -> StoredDictionaryValue {
    switch Kind(rawValue: item.scalar(at: Slot.kind, default: 0)) {
    case .bool: .bool(item.scalar(at: Slot.bool, default: false))
    case .integer: .integer(item.scalar(at: Slot.integer, default: 0))
    case .unsigned: .unsigned(item.scalar(at: Slot.unsigned, default: 0))
    case .float: .float(item.scalar(at: Slot.float, default: 0))
    case .double: .double(item.scalar(at: Slot.double, default: 0))
    case .string: item.string(at: Slot.string).map { .string($0) } ?? .damaged
    case .propertyList: .encoded(EncodedDictionaryValue(.propertyList, item.array(at: Slot.bytes)))
    case .flatBuffer:
      .encoded(EncodedDictionaryValue(.flatBuffer(version: item.string(at: Slot.version)), item.array(at: Slot.bytes)))
    case nil: .damaged
    }
  }
}
