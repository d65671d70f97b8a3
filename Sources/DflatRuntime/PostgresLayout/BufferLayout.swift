/// The byte layout of a schema's tables and structs, as far as a column of a view shows them. `JSONFunction` reads
/// objects according to it.
package struct BufferLayout: Sendable {
  /// A value in a table, struct or vector.
  package indirect enum Value: Sendable {
    case number(StoredField.Storage, Names?)
    /// A string, or a vector of bytes that is shown as hexadecimal digits.
    case string, bytes
    /// A struct or table, by the number that `reserve()` has returned.
    case structure(Int, size: Int)
    case table(Int)
    /// A vector of bytes that hold a FlatBuffer.
    case nested(table: Int)
    case vector(of: Value, stride: Int)
    case array(of: Value, stride: Int, count: Int)
    /// An offset of `size` bytes, 4 or 8, to the value.
    case offset(to: Value, size: Int)
    /// A vector, or bytes, with a length of 8 bytes.
    case long(Value)
  }

  /// The names of numbers.
  package struct Names: Sendable {
    package let entries: [(number: Int64, name: String)]
    package let isUnsigned: Bool
    /// Whether a number may combine several bits, each with a name.
    package let isBitFlags: Bool

    /// Creates the names of numbers.
    ///
    /// - Parameter entries: the numbers in ascending order. If a number has several names, its first one is shown.
    package init(_ entries: [(number: Int64, name: String)], isUnsigned: Bool, isBitFlags: Bool) {
      self.entries = entries
      self.isUnsigned = isUnsigned
      self.isBitFlags = isBitFlags
    }

    func text(_ number: Int64) -> String { isUnsigned ? "\(UInt64(bitPattern: number))" : "\(number)" }
  }

  /// A field of a table or struct.
  package struct Field: Sendable {
    package enum Content: Sendable {
      /// A value, with the JSON of its default.
      case value(Value, default: String?)
      /// A union, or a vector of unions. The type codes are in the slot before. The type is shown as `NAME_type`.
      case union(Union, isVector: Bool)
    }

    let name: String
    /// In a table, the offset in bytes of the field's entry in the vtable: 4 + 2 × the field's id. In a struct, the
    /// field's own offset in bytes.
    let slot: Int
    let content: Content

    package init(_ name: String, at slot: Int, _ content: Content) {
      self.name = name
      self.slot = slot
      self.content = content
    }
  }

  /// The members of a union.
  package struct Union: Sendable {
    let code: StoredField.Storage
    let names: Names
    let members: [(code: Int64, value: Value)]

    /// Creates a union.
    ///
    /// - Parameters:
    ///   - code: the storage of the type code.
    ///   - members: the code of each member, and the value to which the member's offset leads.
    package init(_ code: StoredField.Storage, _ names: Names, _ members: [(code: Int64, value: Value)]) {
      self.code = code
      self.names = names
      self.members = members
    }
  }

  private var definitions: [[Field]?] = []

  package init() {}

  /// Reserves a number for a definition, which may be needed before its fields are known.
  package mutating func reserve() -> Int {
    definitions.append(nil)
    return definitions.count - 1
  }

  /// Sets the fields of a definition.
  package mutating func define(_ number: Int, _ fields: [Field]) { definitions[number] = fields }

  // MARK: JSON

  /// All definitions as JSON, the argument `l` of `JSONFunction`.
  var json: String { Self.list(definitions.map { Self.list(($0 ?? []).map(Self.json)) }) }

  private static func json(_ field: Field) -> String {
    var members = [("n", text(field.name)), ("s", "\(field.slot)")]
    switch field.content {
    case .value(let value, let standard):
      members.append(("v", json(value)))
      if let standard { members.append(("d", standard)) }
    case .union(let union, let isVector):
      let code = Value.number(union.code, nil)
      let codes = isVector ? Value.offset(to: .vector(of: code, stride: union.code.scalarSize), size: 4) : code
      members.append(("c", json(codes)))
      members.append(("e", names(union.names)))
      members.append(
        ("m", object(union.members.map { (union.names.text($0.code), json(.offset(to: $0.value, size: 4))) })))
      if isVector { members += [("z", "1"), ("d", "[]")] }
    }
    return object(members)
  }

  static func json(_ value: Value) -> String { object(members(of: value)) }

  private static func members(of value: Value) -> [(String, String)] {
    switch value {
    case .number(let storage, let names):
      var members = [("k", text(storage.numberName))]
      if let names {
        members.append(("e", self.names(names)))
        if names.isBitFlags {
          members.append(("b", list(names.entries.map { list(["\($0.number)", text($0.name)]) })))
        }
      }
      return members
    case .string: return [("k", text("string"))]
    case .bytes: return [("k", text("bytes"))]
    case .structure(let number, let size): return [("k", text("struct")), ("t", "\(number)"), ("z", "\(size)")]
    case .table(let number): return [("k", text("table")), ("t", "\(number)")]
    case .nested(let number): return [("k", text("nested")), ("t", "\(number)")]
    case .vector(let element, let stride):
      return [("k", text("vector")), ("z", "\(stride)"), ("of", json(element))]
    case .array(let element, let stride, let count):
      return [("k", text("vector")), ("z", "\(stride)"), ("of", json(element)), ("c", "\(count)")]
    case .offset(let target, let size): return members(of: target) + [("r", "\(size)")]
    case .long(let vector): return members(of: vector) + [("q", "1")]
    }
  }

  private static func names(_ names: Names) -> String {
    var seen: Set<Int64> = []
    let first = names.entries.filter { seen.insert($0.number).inserted }
    return object(first.map { (names.text($0.number), text($0.name)) })
  }

  private static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { "\(text($0.0)):\($0.1)" }.joined(separator: ",") + "}"
  }

  private static func list(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

  /// Returns a text as a JSON string that is safe within any quotes of SQL: ASCII, without SQL quotes and dollar signs.
  package static func text(_ text: String) -> String {
    var json = "\""
    for unit in text.utf16 {
      if (0x20..<0x7F).contains(unit), !"\"\\'$".utf16.contains(unit) {
        json.unicodeScalars.append(UnicodeScalar(UInt8(unit)))
      } else {
        let digits = String(unit, radix: 16)
        json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return json + "\""
  }
}
