import FBSSchema

/// A value in a verified FlatBuffer from which paths lead to others: the root object, or an element of a vector.
public struct PathOrigin: Sendable {
  /// The kinds of values.
  enum Content {
    /// The table at a position.
    case table(Int)
    /// The struct at a position.
    case structure(StructID, Int)
    /// The value of a union at a position, with its type code.
    case union(UnionID, Int, code: UInt64)
    /// A number or string.
    case single(FieldValue)
    /// A vector, with the position of the field that refers to it.
    case vector(TableID, member: Int, table: Int, field: Int)
    /// A fixed array, or bytes that are a buffer of their own.
    case opaque
  }

  let bytes: WireBytes
  let layouts: SchemaLayouts
  private let content: Content

  init(_ content: Content, in bytes: WireBytes, _ layouts: SchemaLayouts) {
    self.bytes = bytes
    self.layouts = layouts
    self.content = content
  }

  /// Returns the value at a path from here; if the path is empty, the value of the origin itself. A struct that is one
  /// fixed array of bytes has these bytes as its value. Any other struct, a table or a vector counts as 1 if it is
  /// present, and a union as its type code.
  public func value(at path: FieldPath) -> FieldValue {
    switch target(of: path) {
    case .single(let value): value
    case .union(let id, _, let code):
      FieldValue(code, NumberType(layouts.schema[id].underlyingType, .union(id)), isCode: true)
    case .structure(let id, let position):
      layouts.schema[id].byteCount.map { .bytes(Array(bytes.bytes(at: position, count: $0) ?? [])) } ?? .integer(1)
    case .table, .vector, .opaque: .integer(1)
    case nil: .null
    }
  }

  /// Returns the elements of the vector at a path from here. There are none if the vector is absent, or the path leads
  /// to something else.
  public func elements(at path: FieldPath) -> VectorElements {
    guard case .vector(let id, let member, let table, let field) = target(of: path) else {
      return VectorElements(in: bytes, layouts)
    }
    return VectorElements(ofMember: member, of: id, at: table, field, in: bytes, layouts)
  }

  // MARK: Following paths

  /// Returns the target of a path; nil if it is absent, or the path leads nowhere.
  private func target(of path: FieldPath) -> Content? {
    var content = content
    for step in path.steps {
      guard let next = target(of: step, from: content) else { return nil }
      content = next
    }
    return content
  }

  private func target(of step: FieldPath.Step, from content: Content) -> Content? {
    switch (step, content) {
    case (.field(let id, let member), .table(let table)):
      let layout = layouts[id].members[member]
      guard let field = bytes.field(layout.slot, ofTableAt: table) else { return Self.standard(of: layout) }
      return target(ofMember: member, of: id, at: table, field)
    case (.inline(let id, let member), .structure(_, let start)):
      let layout = layouts[id].members[member]
      let position = start + layout.offset
      return switch layout.type {
      case .number(let type): .single(FieldValue(bytes.number(type.scalar, at: position), type, isCode: false))
      case .structure(let id): .structure(id, position)
      case .array: .opaque
      }
    case (.member(let union, let member), .union(_, let start, let code)):
      let definition = layouts.schema[union].members[member]
      guard UInt64(bitPattern: definition.code) == code else { return nil }
      return switch definition.type {
      case .table: .table(start)
      case .structure(let id): .structure(id, start)
      case .string: .single(bytes.text(at: start))
      }
    default: return nil
    }
  }

  /// Returns the content of a table's member that is present; nil for a union whose type code is absent or 0.
  ///
  /// - Parameter field: the position of the member's field.
  private func target(ofMember index: Int, of id: TableID, at table: Int, _ field: Int) -> Content? {
    let layout = layouts[id].members[index]
    switch layout.type {
    case .number(let type):
      return .single(FieldValue(bytes.number(type.scalar, at: field), type, isCode: layout.isCode))
    case .string: return .single(bytes.text(at: bytes.target(at: field, isWide: layout.hasWideOffset)))
    case .structure(let id): return .structure(id, field)
    case .table: return .table(bytes.target(at: field, isWide: layout.hasWideOffset))
    case .union(let union):
      let type = layouts.schema[union].underlyingType
      let code = bytes.field(layouts[id].members[index - 1].slot, ofTableAt: table).map { bytes.number(type, at: $0) }
      guard let code, code != 0 else { return nil }
      return .union(union, bytes.target(at: field), code: code)
    case .vector: return .vector(id, member: index, table: table, field: field)
    case .nested, .flexible: return .opaque
    }
  }

  /// Returns the default of a member that is absent; nil if it has none.
  private static func standard(of member: TableLayout.Member) -> Content? {
    if let text = member.defaultText { return .single(.text(text)) }
    guard case .number(let type) = member.type, let bits = member.defaultBits else { return nil }
    return .single(FieldValue(bits, type, isCode: member.isCode))
  }
}

extension TableLayout.Member {
  /// Whether the member is the type code of a union.
  fileprivate var isCode: Bool { name.hasSuffix("_type") }
}

extension FieldValue {
  /// Creates the value of a number.
  ///
  /// - Parameters:
  ///   - bits: the number in the form of `NumberBits`.
  ///   - isCode: whether the number is the type code of a union. The code 0 means that the union is absent.
  package init(_ bits: UInt64, _ type: NumberType, isCode: Bool) {
    if case .union = type.names, isCode, bits == 0 {
      self = .null
      return
    }
    switch type.scalar {
    case .bool: self = .integer(bits & 0xFF == 0 ? 0 : 1)
    case .float, .double:
      let number = NumberBits.real(bits, type.scalar)
      self = number.isNaN ? .null : .real(number)
    case .uint64: self = bits > UInt64(Int64.max) ? .unsigned(bits) : .integer(Int64(bits))
    default: self = .integer(Int64(bitPattern: bits))
    }
  }
}

extension WireBytes {
  /// Returns the string at a position.
  func text(at position: Int) -> FieldValue {
    let (start, count) = elements(at: position)
    return .text(Array(bytes(at: start, count: count) ?? []))
  }
}
