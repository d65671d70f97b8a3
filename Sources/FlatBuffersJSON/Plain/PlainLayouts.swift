import FBSSchema

/// The names of a schema, in hash tables that find them by the bytes of a text.
struct PlainLayouts: Sendable {
  let layouts: SchemaLayouts
  /// The member names and further properties of each table, at the table's index in the schema.
  let tables: [PlainTable]
  /// The member names of each struct, at the struct's index in the schema.
  let structs: [PlainNames]
  /// The named numbers of each enum, at the enum's index in the schema. `unions` has those of each union.
  private let enums: [PlainNumbers]
  private let unions: [PlainNumbers]

  init(_ layouts: SchemaLayouts) {
    self.layouts = layouts
    let schema = layouts.schema
    tables = zip(schema.tables, layouts.tables).map { PlainTable($0, $1) }
    structs = layouts.structs.map { PlainNames($0.members.map(\.name)) }
    enums = schema.enums.map { definition in
      PlainNumbers(definition.names.map { ($0.name, $0.number) }, isBitFlags: definition.isBitFlags)
    }
    unions = schema.unions.map { definition in
      PlainNumbers([("NONE", 0)] + definition.members.map { ($0.name, $0.code) }, isBitFlags: false)
    }
  }

  /// Returns the named numbers of an enum or a union.
  func numbers(of names: NumberType.Names) -> PlainNumbers {
    switch names {
    case .enumeration(let id): enums[id.index]
    case .union(let id): unions[id.index]
    }
  }
}

/// The properties of a table that matter for plain objects.
struct PlainTable: Sendable {
  let names: PlainNames
  /// The number of members that are never absent.
  let requiredCount: Int
  /// For each member, whether a plain object may have it. The others cause warnings, hold a buffer of an unknown type, or
  /// hash what looks like the name of a value.
  let isPlain: [Bool]
  /// For each member, whether it may be null.
  let isOptional: [Bool]

  init(_ table: TableDefinition, _ layout: TableLayout) {
    names = PlainNames(layout.members.map(\.name))
    requiredCount = layout.members.count { $0.isRequired }
    var (isPlain, isOptional) = (layout.members.map { !$0.isDeprecated }, layout.members.map { _ in false })
    for field in table.fields {
      guard let index = layout.member(named: field.name) else { continue }
      isOptional[index] = field.presence == .optional
      // A word becomes its hash there, also one that looks like the name of a value, or like null.
      if layout.members[index].hash != nil, isOptional[index] || field.type.isOfEnums { isPlain[index] = false }
      switch layout.members[index].type {
      case .nested, .flexible: break
      default: if field.declaration.has("nested_flatbuffer") { isPlain[index] = false }
      }
    }
    self.isPlain = isPlain
    self.isOptional = isOptional
  }
}

extension FieldType {
  /// Whether the type is an enum, or a vector of one.
  fileprivate var isOfEnums: Bool {
    switch self {
    case .enumeration, .vector(of: .enumeration): true
    default: false
    }
  }
}

/// The named numbers of an enum or a union.
struct PlainNumbers: Sendable {
  private let names: PlainNames
  private let numbers: [Int64]
  private let known: Set<Int64>
  /// Whether a number may combine several bits, each with a name.
  let isBitFlags: Bool

  init(_ entries: [(name: String, number: Int64)], isBitFlags: Bool) {
    names = PlainNames(entries.map(\.name))
    numbers = entries.map(\.number)
    known = Set(numbers)
    self.isBitFlags = isBitFlags
  }

  func number(of name: UnsafeRawBufferPointer) -> Int64? {
    names.find(name, after: -1).map { numbers[$0] }
  }

  /// Returns whether a number causes no warning, since it has a name or may combine several bits.
  func isKnown(_ number: Int64) -> Bool { isBitFlags || known.contains(number) }
}

/// A list of names, found by their bytes.
struct PlainNames: Sendable {
  private let names: [[UInt8]]
  /// The hash table: indexes in `names`, at the hash of the name or after it; -1 for none. It has at least twice as
  /// many entries as there are names.
  private let table: [Int32]

  init(_ names: [String]) {
    self.names = names.map { Array($0.utf8) }
    var size = 4
    while size < 2 * names.count { size *= 2 }
    var table = [Int32](repeating: -1, count: size)
    for (index, name) in self.names.enumerated() {
      var place = name.withUnsafeBytes { Self.hash($0) } & (size - 1)
      while table[place] >= 0 { place = (place + 1) & (size - 1) }
      table[place] = Int32(index)
    }
    self.table = table
  }

  private static func hash(_ name: UnsafeRawBufferPointer) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: hash ^ hash >> 32)
  }

  /// Returns the index of a name; nil if there is none. Of equal names, returns the index of the first.
  /// - Parameter last: the index of the name that was found last. The name after it is tried first, as the likeliest.
  func find(_ name: UnsafeRawBufferPointer, after last: Int) -> Int? {
    if last + 1 < names.count, isEqual(name, last + 1) { return last + 1 }
    var place = Self.hash(name) & (table.count - 1)
    while table[place] >= 0 {
      if isEqual(name, Int(table[place])) { return Int(table[place]) }
      place = (place + 1) & (table.count - 1)
    }
    return nil
  }

  private func isEqual(_ name: UnsafeRawBufferPointer, _ index: Int) -> Bool {
    names[index].count == name.count && names[index].withUnsafeBytes { $0.elementsEqual(name) }
  }
}
