/// A message of the output plug-in `pgoutput`, version 1, as far as a feed needs it.
/// https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html
enum LogicalMessage: Equatable {
  /// The beginning of a transaction, with the lower 32 bits of its number.
  case begin(xid: UInt32)
  case commit(end: UInt64)
  case relation(Relation)
  case insert(relation: UInt32, Tuple)
  /// An update. The former tuple has the columns of the replica identity, mostly the primary key; nil if these have not
  /// changed.
  case update(relation: UInt32, former: Tuple?, Tuple)
  /// A deletion. The tuple has the columns of the replica identity.
  case delete(relation: UInt32, Tuple)
  case truncate(relations: [UInt32])
  /// A message that is not about rows.
  case other

  struct Relation: Equatable {
    let id: UInt32
    let schema: String
    let name: String
    let columns: [String]
    /// The columns of the replica identity, which deletions and the former tuples of updates contain.
    let identity: Set<String>
  }

  typealias Tuple = [Column]

  enum Column: Equatable {
    case null
    /// A large value that has not changed, and is not sent.
    case unchanged
    case text(ArraySlice<UInt8>)
  }

  /// Parses a message.
  ///
  /// - Returns: nil if the bytes are no such message.
  init?(_ bytes: ArraySlice<UInt8>) {
    var reader = MessageReader(bytes)
    guard let kind = reader.byte(), let message = LogicalMessage(kind: kind, &reader) else { return nil }
    self = message
  }

  private init?(kind: UInt8, _ reader: inout MessageReader) {
    switch Character(UnicodeScalar(kind)) {
    case "B":
      guard reader.skip(16), let xid = reader.integer(UInt32.self) else { return nil }
      self = .begin(xid: xid)
    case "C":
      guard reader.skip(9), let end = reader.integer(UInt64.self) else { return nil }
      self = .commit(end: end)
    case "R":
      guard let id = reader.integer(UInt32.self), let schema = reader.text(), let name = reader.text(), reader.skip(1),
        let count = reader.integer(UInt16.self)
      else { return nil }
      var columns: [String] = []
      var identity: Set<String> = []
      for _ in 0..<count {
        guard let flags = reader.byte(), let column = reader.text(), reader.skip(8) else { return nil }
        columns.append(column)
        if flags & 1 != 0 { identity.insert(column) }
      }
      self = .relation(Relation(id: id, schema: schema, name: name, columns: columns, identity: identity))
    case "I":
      guard let relation = reader.integer(UInt32.self), reader.byte() == UInt8(ascii: "N"), let tuple = reader.tuple()
      else { return nil }
      self = .insert(relation: relation, tuple)
    case "U":
      guard let relation = reader.integer(UInt32.self), var part = reader.byte() else { return nil }
      var former: Tuple?
      if part != UInt8(ascii: "N") {
        // The former key or row comes first.
        former = reader.tuple()
        guard former != nil, let next = reader.byte() else { return nil }
        part = next
      }
      guard part == UInt8(ascii: "N"), let tuple = reader.tuple() else { return nil }
      self = .update(relation: relation, former: former, tuple)
    case "D":
      guard let relation = reader.integer(UInt32.self), reader.skip(1), let tuple = reader.tuple() else { return nil }
      self = .delete(relation: relation, tuple)
    case "T":
      guard let count = reader.integer(UInt32.self), reader.skip(1) else { return nil }
      var relations: [UInt32] = []
      for _ in 0..<count {
        guard let relation = reader.integer(UInt32.self) else { return nil }
        relations.append(relation)
      }
      self = .truncate(relations: relations)
    default:
      self = .other
    }
  }
}

/// Reads a message from its start. Numbers are in network byte order. Reading beyond the end returns nil.
struct MessageReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  /// The unread bytes.
  var remainder: ArraySlice<UInt8> { rest }

  mutating func byte() -> UInt8? { rest.popFirst() }

  mutating func skip(_ count: Int) -> Bool {
    guard rest.count >= count else { return false }
    rest = rest.dropFirst(count)
    return true
  }

  mutating func integer<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type) -> Number? {
    let count = MemoryLayout<Number>.size
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count).reduce(0) { $0 << 8 | Number($1) }
  }

  /// Reads a NUL-terminated text.
  mutating func text() -> String? {
    guard let end = rest.firstIndex(of: 0) else { return nil }
    defer { rest = rest[(end + 1)...] }
    return String(decoding: rest[..<end], as: UTF8.self)
  }

  mutating func tuple() -> LogicalMessage.Tuple? {
    guard let count = integer(UInt16.self) else { return nil }
    var tuple: LogicalMessage.Tuple = []
    for _ in 0..<count {
      switch byte().map({ Character(UnicodeScalar($0)) }) {
      case "n"?: tuple.append(.null)
      case "u"?: tuple.append(.unchanged)
      case "t"?:
        guard let length = integer(UInt32.self), rest.count >= Int(length) else { return nil }
        tuple.append(.text(rest.prefix(Int(length))))
        rest = rest.dropFirst(Int(length))
      default: return nil
      }
    }
    return tuple
  }
}

extension LogicalMessage.Column {
  /// The value of a column of type `bigint`; nil if it was not sent, or is NULL.
  var integer: Int64? {
    guard case .text(let text) = self else { return nil }
    return Int64(String(decoding: text, as: UTF8.self))
  }

  /// The value of a column of type `bytea`, whose text is `\x` and hexadecimal digits; nil if it was not sent, is NULL
  /// or has another form.
  var bytes: [UInt8]? {
    guard case .text(let text) = self, text.starts(with: Array("\\x".utf8)), text.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2 - 1)
    var index = text.startIndex + 2
    while index < text.endIndex {
      guard let high = Self.digit(text[index]), let low = Self.digit(text[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
      index += 2
    }
    return bytes
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
