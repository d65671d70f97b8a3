import FBSParser
import FBSSchema

/// Writes a JSON object as a FlatBuffer while it reads the text. It writes the same bytes as `ObjectEncoder`, in little
/// more memory than the result takes.
///
/// It knows only the usual forms of JSON, and reports no mistakes. Any error, warning or unusual form ends it with
/// `NotPlain`. `ObjectResolver` then reads the text again as a tree, and reports mistakes.
struct PlainEncoder {
  /// A field of an open object.
  struct Field {
    let member: Int
    let value: Value
  }

  enum Value {
    /// `null`, which leaves the field out.
    case absent
    case number(UInt64, ScalarType)
    case offset(Int)
    /// A struct, whose bytes begin at an index in `inline`.
    case structure(Int, StructID)
  }

  /// The type of a union, or the types of a vector of unions.
  struct Codes {
    let member: Int
    /// The range of the type codes in `PlainEncoder.codes`.
    let range: Range<Int>
  }

  let plain: PlainLayouts
  var layouts: SchemaLayouts { plain.layouts }
  /// The builder of the buffer that is being written: the outermost one, or a nested one.
  private(set) var builder: BackwardBuilder
  private var forcesDefaults: Bool
  var text: PlainText
  private var depth = 0

  // The stacks of open objects and vectors, the innermost last.
  private var fields: [Field] = []
  /// The bytes of structs, and of vectors of numbers.
  var inline: [UInt8] = []
  var offsets: [Int] = []
  var codes: [UInt64] = []
  /// The types of unions that were read, before or after their values.
  var unionCodes: [Codes] = []

  init(_ plain: PlainLayouts, _ builder: BackwardBuilder, _ text: PlainText, forcesDefaults: Bool) {
    self.plain = plain
    self.builder = builder
    self.text = text
    self.forcesDefaults = forcesDefaults
  }

  /// Counts a table or struct as nested in those that are open. Throws if the nesting is too deep.
  mutating func enter() throws(NotPlain) {
    depth += 1
    guard depth < Parser.maximumDepth else { throw NotPlain() }
  }

  mutating func leave() { depth -= 1 }

  /// Writes a nested FlatBuffer. It is a buffer of its own, with its own alignment.
  mutating func nested(_ id: TableID, isWide: Bool) throws(NotPlain) -> Int {
    // Names of enums have other meanings there, and must be in quotes.
    let (outer, outerForces, outerQuotes) = (builder, forcesDefaults, text.needsQuotes)
    builder = BackwardBuilder()
    forcesDefaults = false
    text.needsQuotes = true
    let root = try table(id)
    let buffer = builder.finish(root, identifier: nil, sizePrefixed: false)
    let alignment = builder.minimumAlignment
    (builder, forcesDefaults, text.needsQuotes) = (outer, outerForces, outerQuotes)
    return builder.bytes(buffer.bytes, alignment: alignment, isWide: isWide)
  }

  // MARK: Tables

  /// Reads and writes a table.
  ///
  /// - Returns: the offset of the table.
  mutating func table(_ id: TableID) throws(NotPlain) -> Int {
    try enter()
    let (base, inlineBase) = (fields.count, inline.count)
    let (codesBase, unionBase) = (codes.count, unionCodes.count)
    let layout = layouts.tables[id.index]
    let table = plain.tables[id.index]
    try readFields(of: table, layout, unionBase)
    try checkFields(from: base, of: table, layout)
    let start = builder.count
    for size in layout.keepsOrder ? [1] : [8, 4, 2, 1] {
      for index in stride(from: fields.count - 1, through: base, by: -1) {
        let field = fields[index]
        let member = layout.members[field.member]
        if layout.keepsOrder || size == self.size(member, field.value) { write(field.value, member) }
      }
    }
    guard let offset = builder.endTable(start) else { throw NotPlain() }
    fields.removeLast(fields.count - base)
    inline.removeLast(inline.count - inlineBase)
    codes.removeLast(codes.count - codesBase)
    unionCodes.removeLast(unionCodes.count - unionBase)
    leave()
    return offset
  }

  private mutating func readFields(
    of table: PlainTable, _ layout: TableLayout, _ unionBase: Int
  ) throws(NotPlain) {
    try text.expect("{")
    if text.take("}") { return }
    var last = -1
    var hasLookedAhead = false
    repeat {
      let key = try text.key()
      guard let index = table.names.find(text.bytes(key), after: last) else {
        if text.isWord("$schema", key) { _ = try text.string() } else { try skipUnknown() }
        continue
      }
      last = index
      guard table.isPlain[index] else { throw NotPlain() }
      let member = layout.members[index]
      var types: Range<Int>?
      if member.type.isUnion {
        types = unionCodes[unionBase...].first { $0.member == index - 1 }?.range
        if types == nil, !hasLookedAhead {
          hasLookedAhead = true
          try lookAhead(in: table, layout)
          types = unionCodes[unionBase...].first { $0.member == index - 1 }?.range
        }
      }
      if let value = try value(of: member, index, isOptional: table.isOptional[index], types) {
        if case .union = member.type, types == nil { throw NotPlain() }
        fields.append(Field(member: index, value: value))
      }
    } while try text.hasMore(before: "}")
  }

  /// Skips the value of a field that the table or struct does not have.
  mutating func skipUnknown() throws(NotPlain) {
    guard text.ignoresUnknownFields else { throw NotPlain() }
    try skipUnread()
  }

  private mutating func skipUnread() throws(NotPlain) {
    try enter()
    switch text.next() {
    case UInt8(ascii: "{"):
      try text.expect("{")
      if !text.take("}") {
        repeat {
          _ = try text.key()
          try skipUnread()
        } while try text.hasMore(before: "}")
      }
    case UInt8(ascii: "["):
      try text.expect("[")
      if !text.take("]") { repeat { try skipUnread() } while try text.hasMore(before: "]") }
    case let byte where byte.isQuote: _ = try text.string()
    default: try text.skipUnreadToken()
    }
    leave()
  }

  /// Sorts the fields of an object by their members. Checks that no field is duplicate, and that no required one is
  /// missing.
  private mutating func checkFields(from base: Int, of table: PlainTable, _ layout: TableLayout) throws(NotPlain) {
    if zip(fields[base...], fields[base...].dropFirst()).contains(where: { $0.member >= $1.member }) {
      fields[base...].sort { $0.member < $1.member }
    }
    var required = 0
    var last = -1
    for field in fields[base...] {
      guard field.member != last else { throw NotPlain() }
      let member = layout.members[field.member]
      if member.isRequired { required += 1 }
      // A union's type comes before it, and means something only beside it.
      if member.type.isUnion, last != field.member - 1 { throw NotPlain() }
      last = field.member
    }
    guard required == table.requiredCount else { throw NotPlain() }
    for index in base..<fields.count where layout.members[fields[index].member].isUnionType {
      let hasValue = index + 1 < fields.count && fields[index + 1].member == fields[index].member + 1
      if case .number(0, _) = fields[index].value { continue }
      guard hasValue else { throw NotPlain() }
    }
  }

  /// Finds the types of unions that come after their values. Reads the text of an object at most once more.
  private mutating func lookAhead(in table: PlainTable, _ layout: TableLayout) throws(NotPlain) {
    let start = text.index
    defer { text.index = start }
    try text.skipValue()
    while try text.hasMore(before: "}") {
      let key = try text.key()
      if let index = table.names.find(text.bytes(key), after: -1), layout.members[index].isUnionType {
        try readCodes(of: layout.members[index], index)
      } else {
        try text.skipValue()
      }
    }
  }

  /// Returns the size by which fields are sorted: see `ObjectEncoder`.
  private func size(_ member: TableLayout.Member, _ value: Value) -> Int {
    switch value {
    case .absent: 0
    case .number(_, let type): type.size
    case .offset: member.hasWideLength ? 8 : 4
    case .structure: 4
    }
  }

  private mutating func write(_ value: Value, _ member: TableLayout.Member) {
    switch value {
    case .absent: return
    case .number(let bits, let type):
      if let standard = member.defaultBits, !forcesDefaults, NumberBits.areEqual(bits, standard, as: type) { return }
      builder.push(bits, size: type.size)
    case .offset(let offset):
      builder.push(distanceTo: offset, size: member.hasWideOffset ? 8 : 4)
    case .structure(let start, let id):
      let layout = layouts.structs[id.index]
      builder.align(to: layout.alignment)
      inline.withUnsafeBytes { builder.push(UnsafeRawBufferPointer(rebasing: $0[start..<start + layout.size])) }
    }
    builder.track(slot: member.slot)
  }
}

extension MemberType {
  /// Whether another member has the type code of this one.
  var isUnion: Bool {
    switch self {
    case .union, .vector(of: .union): true
    default: false
    }
  }
}

extension TableLayout.Member {
  /// Whether the member is the type code of the next one.
  var isUnionType: Bool {
    switch type {
    case .number(let number), .vector(of: .number(let number)):
      if case .union = number.names { true } else { false }
    default: false
    }
  }
}
