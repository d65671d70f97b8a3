import FBSSchema
import FlatBuffersJSON
import PostgresLayout

/// Builds the layout by which a column of a view is read from a FlatBuffer. It holds only the tables and structs that
/// the column's value leads to.
struct ViewLayoutBuilder {
  var layout = BufferLayout()
  private let schema: Schema
  private let layouts: SchemaLayouts
  /// The numbers of the tables' definitions. A table gets its number before its fields are known, since it may lead to
  /// itself.
  private var tables: [TableID: Int] = [:]
  private var structs: [StructID: Int] = [:]

  init(_ schema: Schema, _ layouts: SchemaLayouts) {
    self.schema = schema
    self.layouts = layouts
  }

  /// Describes a field of a table. The description of a union includes its hidden type field.
  ///
  /// - Parameter isColumn: whether the value is a column by itself. A vector of bytes is then shown as bytes, not as a
  ///   list of numbers.
  mutating func field(_ member: TableLayout.Member, in id: TableID, isColumn: Bool = false) -> BufferLayout.Field {
    let size = member.hasWideOffset ? 8 : 4
    let content: BufferLayout.Field.Content
    switch member.type {
    case .number(let number):
      let standard = member.defaultBits.map { defaultJSON($0, number) }
      content = .value(value(number), default: standard)
    case .union(let union): content = .union(self.union(union), isVector: false)
    case .vector(of: .union(let union)): content = .union(self.union(union), isVector: true)
    case .string:
      content = .value(.offset(to: .string, size: size), default: defaultText(of: member, in: id))
    case .structure: content = .value(value(member.type), default: nil)
    case .table: content = .value(.offset(to: value(member.type), size: size), default: nil)
    case .flexible:
      let bytes = isColumn ? BufferLayout.Value.bytes : .vector(of: .number(.uint8, nil), stride: 1)
      content = .value(.offset(to: length(member, bytes), size: size), default: nil)
    case .vector(of: .number(let number)) where isColumn && number.isPlainByte:
      content = .value(.offset(to: length(member, .bytes), size: size), default: BufferLayout.text("\\x"))
    case .vector: content = .value(.offset(to: length(member, value(member.type)), size: size), default: "[]")
    case .nested: content = .value(.offset(to: length(member, value(member.type)), size: size), default: nil)
    }
    return BufferLayout.Field(member.name, at: member.slot, content)
  }

  private func length(_ member: TableLayout.Member, _ value: BufferLayout.Value) -> BufferLayout.Value {
    member.hasWideLength ? .long(value) : value
  }

  // MARK: Values

  /// Describes a value of a type at the position of the value itself. For strings, tables and nested buffers, that is
  /// the position to which an offset leads.
  private mutating func value(_ type: MemberType) -> BufferLayout.Value {
    switch type {
    case .number(let number): return value(number)
    case .string: return .string
    case .structure(let id): return .structure(number(of: id), size: layouts[id].size)
    case .table(let id): return .table(number(of: id))
    case .nested(let id): return .nested(table: number(of: id))
    case .vector(let element):
      let value = value(element)
      switch element {
      case .number(let number): return .vector(of: value, stride: number.scalar.size)
      case .structure(let id): return .vector(of: value, stride: layouts[id].size)
      default: return .vector(of: .offset(to: value, size: 4), stride: 4)
      }
    case .flexible: return .vector(of: .number(.uint8, nil), stride: 1)
    // A union needs its type field as well: see `union(_:)`.
    case .union: return .bytes
    }
  }

  private mutating func value(_ type: StructLayout.Member.MemberType) -> BufferLayout.Value {
    switch type {
    case .number(let number): return value(number)
    case .structure(let id): return .structure(number(of: id), size: layouts[id].size)
    case .array(let element, let count):
      return .array(of: value(element), stride: layouts.size(of: element), count: count)
    }
  }

  private func value(_ number: NumberType) -> BufferLayout.Value {
    let names = layouts.names(of: number).map {
      BufferLayout.Names($0.entries, isUnsigned: number.scalar == .uint64, isBitFlags: $0.isBitFlags)
    }
    return .number(StoredField.Storage(number.scalar), names)
  }

  private mutating func union(_ id: UnionID, only: (number: Int, value: BufferLayout.Value)? = nil)
    -> BufferLayout.Union
  {
    let definition = schema[id]
    let code = NumberType(definition.underlyingType, .union(id))
    var members: [(code: Int64, value: BufferLayout.Value)] = []
    for (number, member) in definition.members.enumerated() where only == nil || only?.number == number {
      let value: BufferLayout.Value =
        if let only { only.value } else {
          switch member.type {
          case .table(let id): .table(self.number(of: id))
          case .structure(let id): .structure(self.number(of: id), size: layouts[id].size)
          case .string: .string
          }
        }
      members.append((member.code, value))
    }
    let names = BufferLayout.Names(
      layouts.names(of: code)?.entries ?? [], isUnsigned: definition.underlyingType == .uint64, isBitFlags: false)
    return BufferLayout.Union(StoredField.Storage(definition.underlyingType), names, members)
  }

  private mutating func number(of id: TableID) -> Int {
    if let number = tables[id] { return number }
    let number = layout.reserve()
    tables[id] = number
    let codes = Set(schema[id].fields.map(\.vtableOffset))
    let fields = layouts[id].members.filter { !$0.isDeprecated && codes.contains($0.slot) }.map { field($0, in: id) }
    layout.define(number, fields)
    return number
  }

  private mutating func number(of id: StructID) -> Int {
    if let number = structs[id] { return number }
    let number = layout.reserve()
    structs[id] = number
    let fields = layouts[id].members.map {
      BufferLayout.Field($0.name, at: $0.offset, .value(value($0.type), default: nil))
    }
    layout.define(number, fields)
    return number
  }

  // MARK: The path to an indexed field

  /// Adds the definitions on the path to an indexed field. Each has one field: the one on the path.
  ///
  /// - Returns: the number of the first definition, which has the field of the first step.
  @discardableResult
  mutating func addWay(_ steps: ArraySlice<IndexedField.Step>) -> Int {
    let number = layout.reserve()
    guard let step = steps.first else { return number }
    let rest = steps.dropFirst()
    switch step {
    case .field(let id, let index):
      let field = schema[id].fields[index]
      guard let position = layouts[id].member(named: field.name) else { return number }
      let member = layouts[id].members[position]
      layout.define(number, [rest.isEmpty ? self.field(member, in: id) : way(through: member, rest)])
    case .member(let id, let index, let memberNumber):
      let field = schema[id].fields[index]
      guard case .union(let union) = field.type else { return number }
      let value: BufferLayout.Value =
        if case .structure(let id) = schema[union].members[memberNumber].type {
          .structure(addWay(rest), size: layouts[id].size)
        } else {
          .table(addWay(rest))
        }
      let content = self.union(union, only: (memberNumber, value))
      layout.define(number, [.init(field.name, at: field.vtableOffset, .union(content, isVector: false))])
    case .structField(let id, let index):
      let member = layouts[id].members[index]
      let value: BufferLayout.Value =
        if case .structure(let inner) = member.type, !rest.isEmpty {
          .structure(addWay(rest), size: layouts[inner].size)
        } else {
          self.value(member.type)
        }
      layout.define(number, [.init(member.name, at: member.offset, .value(value, default: nil))])
    }
    return number
  }

  private mutating func way(
    through member: TableLayout.Member, _ rest: ArraySlice<IndexedField.Step>
  ) -> BufferLayout.Field {
    let value: BufferLayout.Value =
      if case .structure(let id) = member.type {
        .structure(addWay(rest), size: layouts[id].size)
      } else {
        .offset(to: .table(addWay(rest)), size: member.hasWideOffset ? 8 : 4)
      }
    return BufferLayout.Field(member.name, at: member.slot, .value(value, default: nil))
  }

  // MARK: Defaults

  private func defaultJSON(_ bits: UInt64, _ number: NumberType) -> String {
    if number.scalar != .bool, let name = layouts.names(of: number)?.name(of: Int64(bitPattern: bits)) {
      return BufferLayout.text(name)
    }
    return JSONNumbers.text(bits, number.scalar, JSONOptions(isStrict: true, hasExactNumbers: true))
  }

  /// Returns the default of a string as a literal; nil if it has none. A default with a NUL, which PostgreSQL's texts
  /// cannot contain, is written in hexadecimal digits.
  private func defaultText(of member: TableLayout.Member, in id: TableID) -> String? {
    let field = schema[id].fields.first { $0.vtableOffset == member.slot }
    guard case .defaultedObject(let text)? = field?.presence else { return nil }
    guard text.utf8.contains(0) else { return BufferLayout.text(text) }
    return BufferLayout.text("\\x" + text.utf8.map { PostgresName.hexadecimal($0) }.joined())
  }
}

extension NumberType {
  /// Whether vectors of the type are shown as bytes.
  var isPlainByte: Bool { names == nil && (scalar == .uint8 || scalar == .int8) }
}
