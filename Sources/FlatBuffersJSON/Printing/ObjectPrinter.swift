import FBSSchema

/// Writes verified bytes as JSON, as flatc does.
struct ObjectPrinter {
  let layouts: SchemaLayouts
  let options: JSONOptions
  private var bytes: WireBytes
  private(set) var text: [UInt8] = []
  private var path = ValuePath()

  init(_ bytes: WireBytes, _ layouts: SchemaLayouts, _ options: JSONOptions) {
    self.bytes = bytes
    self.layouts = layouts
    self.options = options
  }

  /// Writes the table at a position, and everything that it refers to.
  mutating func print(_ table: TableID, at position: Int) throws(BufferFault) {
    try write(layouts[table], at: position, indentation: 0)
    if options.indentation != nil { text.append(UInt8(ascii: "\n")) }
  }

  /// Writes one member of the table at a position, if the member is present or has a default that is written.
  /// - Parameter index: the index of the member in the table's layout.
  /// - Returns: whether anything is written.
  mutating func print(member index: Int, of table: TableID, at position: Int) throws(BufferFault) -> Bool {
    let layout = layouts[table]
    if let field = bytes.field(layout.members[index].slot, ofTableAt: position) {
      if case .union(let id) = layout.members[index].type {
        guard try hasKnownMember(id, layout, index, position, at: field) else { return false }
      }
      try write(member: index, of: layout, position, at: field, indentation: 0)
      return true
    }
    if options.writesDefaultTexts, let standard = layout.members[index].defaultText {
      write(standard: standard)
      return true
    }
    guard case .number(let type) = layout.members[index].type, let bits = layout.members[index].defaultBits else {
      return false
    }
    write(bits, type)
    return true
  }

  private func fault(_ reason: BufferFault.Reason, at position: Int) -> BufferFault {
    BufferFault(reason: reason, path: path.text, position: bytes.origin + position)
  }

  private mutating func write(_ string: String) { text += string.utf8 }

  private mutating func newLine(_ indentation: Int) {
    guard options.indentation != nil else { return }
    text.append(UInt8(ascii: "\n"))
    for _ in 0..<indentation { text.append(UInt8(ascii: " ")) }
  }

  private mutating func writeName(_ name: String) {
    write(options.isStrict ? "\"\(name)\": " : "\(name): ")
  }

  // MARK: Tables and structs

  private mutating func write(_ table: TableLayout, at position: Int, indentation: Int) throws(BufferFault) {
    guard text.count <= options.maximumSize else {
      throw fault(.textTooLarge(limit: options.maximumSize), at: position)
    }
    let inner = indentation + (options.indentation ?? 0)
    var isFirst = true
    text.append(UInt8(ascii: "{"))
    for index in table.members.indices {
      let member = table.members[index]
      let field = bytes.field(member.slot, ofTableAt: position)
      guard field != nil || isWrittenAnyway(member) else { continue }
      path.enter(member.name)
      defer { path.leave() }
      if case .union(let id) = member.type, let field {
        guard try hasKnownMember(id, table, index, position, at: field) else { continue }
      }
      if !isFirst { text.append(UInt8(ascii: ",")) }
      isFirst = false
      newLine(inner)
      writeName(member.name)
      if let field {
        try write(member: index, of: table, position, at: field, indentation: inner)
      } else if case .number(let type) = member.type {
        if let bits = member.defaultBits { write(bits, type) } else { write("null") }
      } else if let standard = member.defaultText {
        write(standard: standard)
      }
    }
    newLine(indentation)
    text.append(UInt8(ascii: "}"))
  }

  /// Returns whether a member is written with its default although it is absent. flatc always writes numbers that are
  /// keys.
  private func isWrittenAnyway(_ member: TableLayout.Member) -> Bool {
    guard !member.isDeprecated else { return false }
    return switch member.type {
    case .number: options.writesDefaults || member.isKey
    default: options.writesDefaultTexts && member.defaultText != nil
    }
  }

  private mutating func write(
    member index: Int, of table: TableLayout, _ position: Int, at field: Int, indentation: Int
  ) throws(BufferFault) {
    let member = table.members[index]
    let target = bytes.target(at: field, isWide: member.hasWideOffset)
    switch member.type {
    case .number(let type):
      write(bytes.number(type.scalar, at: field), type)
    case .string:
      try writeString(at: target)
    case .structure where options.showsValues && member.isUUID: writeUUID(at: field)
    case .structure(let id):
      try write(layouts[id], at: field, indentation: indentation)
    case .table(let id):
      try write(layouts[id], at: target, indentation: indentation)
    case .union(let id):
      try write(code(of: table.members[index - 1], id, position), of: id, at: target, indentation: indentation)
    case .vector(of: .union(let id)):
      try writeUnions(id, codes: table.members[index - 1], position, at: target, indentation: indentation)
    case .vector where options.showsValues && member.isUUID:
      let (start, count) = bytes.elements(at: target, isWide: member.hasWideLength)
      try writeList(count, indentation: indentation) { (printer, index, _) in
        printer.writeUUID(at: start + ValueText.uuidByteCount * index)
      }
    case .vector(let element):
      try writeVector(of: element, at: target, isWide: member.hasWideLength, indentation: indentation)
    case .nested(let id):
      let (start, count) = bytes.elements(at: target, isWide: member.hasWideLength)
      guard let inner = bytes.slice(at: start, count: count) else { return }
      let outer = bytes
      bytes = inner
      try write(layouts[id], at: bytes.target(at: 0), indentation: indentation)
      bytes = outer
    case .flexible:
      let (start, count) = bytes.elements(at: target, isWide: member.hasWideLength)
      guard let inner = bytes.slice(at: start, count: count) else { return }
      var printer = FlexBufferPrinter(inner, options, maximumSize: options.maximumSize - text.count)
      guard printer.print() else {
        throw fault(printer.hasInvalidUTF8 ? .invalidUTF8 : .invalidFlexBuffer, at: start)
      }
      text += printer.text
    }
  }

  private mutating func write(_ structure: StructLayout, at position: Int, indentation: Int) throws(BufferFault) {
    let inner = indentation + (options.indentation ?? 0)
    text.append(UInt8(ascii: "{"))
    for (index, member) in structure.members.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      newLine(inner)
      writeName(member.name)
      if options.showsValues, member.isUUID {
        writeUUID(at: position + member.offset)
      } else {
        try write(member.type, at: position + member.offset, indentation: inner)
      }
    }
    newLine(indentation)
    text.append(UInt8(ascii: "}"))
  }

  private mutating func write(
    _ type: StructLayout.Member.MemberType, at position: Int, indentation: Int
  ) throws(BufferFault) {
    switch type {
    case .number(let number): write(bytes.number(number.scalar, at: position), number)
    case .structure(let id): try write(layouts[id], at: position, indentation: indentation)
    case .array(let element, let count):
      let stride = layouts.size(of: element)
      try writeList(count, indentation: indentation) { (printer, index, indentation) throws(BufferFault) in
        try printer.write(element, at: position + stride * index, indentation: indentation)
      }
    }
  }

  // MARK: Values

  private mutating func write(_ bits: UInt64, _ type: NumberType) {
    if type.scalar != .bool, let name = layouts.names(of: type)?.name(of: Int64(bitPattern: bits)) {
      write("\"\(name)\"")
    } else if options.showsValues, let mapping = type.mapping, let value = ValueText.text(bits, type.scalar, mapping) {
      write("\"\(value)\"")
    } else {
      write(JSONNumbers.text(bits, type.scalar, options))
    }
  }

  private mutating func writeUUID(at position: Int) {
    guard let bytes = bytes.bytes(at: position, count: ValueText.uuidByteCount) else { return }
    write("\"\(ValueText.text(ofUUID: bytes))\"")
  }

  private mutating func writeString(at position: Int) throws(BufferFault) {
    let (start, count) = bytes.elements(at: position)
    guard let string = bytes.bytes(at: start, count: count) else { return }
    guard text.count + count <= options.maximumSize else {
      throw fault(.textTooLarge(limit: options.maximumSize), at: position)
    }
    guard JSONStrings.append(string, to: &text, options) else { throw fault(.invalidUTF8, at: start) }
  }

  /// Writes the default of a string. It comes from the schema's text, so it is UTF-8.
  private mutating func write(standard: [UInt8]) { _ = JSONStrings.append(standard[...], to: &text, options) }

  private mutating func writeList(
    _ count: Int, indentation: Int, _ element: (inout Self, Int, Int) throws(BufferFault) -> Void
  ) throws(BufferFault) {
    let inner = indentation + (options.indentation ?? 0)
    text.append(UInt8(ascii: "["))
    newLine(0)
    for index in 0..<count {
      if index > 0 {
        text.append(UInt8(ascii: ","))
        newLine(0)
      }
      guard text.count <= options.maximumSize else {
        throw fault(.textTooLarge(limit: options.maximumSize), at: 0)
      }
      if options.indentation != nil { text += repeatElement(UInt8(ascii: " "), count: inner) }
      path.enter(element: index)
      try element(&self, index, inner)
      path.leave()
    }
    newLine(indentation)
    text.append(UInt8(ascii: "]"))
  }

  private mutating func writeVector(
    of element: MemberType, at position: Int, isWide: Bool, indentation: Int
  ) throws(BufferFault) {
    let (start, count) = bytes.elements(at: position, isWide: isWide)
    let stride =
      switch element {
      case .number(let number): number.scalar.size
      case .structure(let id): layouts[id].size
      default: 4
      }
    try writeList(count, indentation: indentation) { (printer, index, indentation) throws(BufferFault) in
      let place = start + stride * index
      switch element {
      case .number(let number): printer.write(printer.bytes.number(number.scalar, at: place), number)
      case .structure(let id): try printer.write(printer.layouts[id], at: place, indentation: indentation)
      case .string: try printer.writeString(at: printer.bytes.target(at: place))
      case .table(let id):
        try printer.write(printer.layouts[id], at: printer.bytes.target(at: place), indentation: indentation)
      case .union, .vector, .nested, .flexible: break
      }
    }
  }

  // MARK: Unions

  private func code(of member: TableLayout.Member, _ union: UnionID, _ table: Int) -> UInt64 {
    guard let field = bytes.field(member.slot, ofTableAt: table) else { return 0 }
    return bytes.number(layouts.schema[union].underlyingType, at: field)
  }

  /// Returns whether a union's value can be written; false if it is left out, since the schema does not know its type.
  /// Throws if the options refuse such a value.
  private func hasKnownMember(
    _ union: UnionID, _ table: TableLayout, _ index: Int, _ position: Int, at field: Int
  ) throws(BufferFault) -> Bool {
    let code = code(of: table.members[index - 1], union, position)
    if layouts.schema[union].members.contains(where: { UInt64(bitPattern: $0.code) == code }) { return true }
    guard options.unknownMembers == .refuse else { return false }
    throw fault(unknown(code, union), at: field)
  }

  private func unknown(_ code: UInt64, _ union: UnionID) -> BufferFault.Reason {
    code == 0 ? .untypedUnion : .unknownMember(code: code, union: layouts.schema[union].name.description)
  }

  private mutating func write(
    _ code: UInt64, of union: UnionID, at position: Int, indentation: Int
  ) throws(BufferFault) {
    let member = layouts.schema[union].members.first { UInt64(bitPattern: $0.code) == code }
    switch member?.type {
    case .table(let id): try write(layouts[id], at: position, indentation: indentation)
    case .structure(let id): try write(layouts[id], at: position, indentation: indentation)
    case .string: try writeString(at: position)
    case nil:
      guard options.unknownMembers == .omit else { throw fault(unknown(code, union), at: position) }
      write("null")
    }
  }

  private mutating func writeUnions(
    _ union: UnionID, codes member: TableLayout.Member, _ table: Int, at position: Int, indentation: Int
  ) throws(BufferFault) {
    let (start, count) = bytes.elements(at: position)
    let type = layouts.schema[union].underlyingType
    let codes = bytes.field(member.slot, ofTableAt: table).map { bytes.elements(at: bytes.target(at: $0)).start } ?? 0
    try writeList(count, indentation: indentation) { (printer, index, indentation) throws(BufferFault) in
      let code = printer.bytes.number(type, at: codes + type.size * index)
      let target = printer.bytes.target(at: start + 4 * index)
      try printer.write(code, of: union, at: target, indentation: indentation)
    }
  }
}

extension SchemaLayouts {
  /// Returns the size of a struct's member, or of an array's element, in bytes.
  package func size(of type: StructLayout.Member.MemberType) -> Int {
    switch type {
    case .number(let number): number.scalar.size
    case .structure(let id): self[id].size
    case .array(let element, let count): size(of: element) * count
    }
  }
}
