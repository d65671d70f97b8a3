import FBSDiagnostics

/// Translates a file of Protocol Buffers to a schema. Notes tell what a schema cannot express.
public struct ProtoTranslation {
  /// The schema's text, which is not laid out yet.
  public private(set) var text = ""
  /// The notes about what the schema leaves out or changes, by place.
  public private(set) var notes: [ProtoFile.Note]

  private let file: ProtoFile
  /// The schema's names of types, by their names with the package.
  private let names: [String: String]
  private let firstValues: [String: ProtoFile.Enumeration.Value]
  /// The tables and unions that stand for maps and oneofs of the table that is being written.
  private var helpers = ""
  private var needsEmpty = false

  /// Translates a file.
  /// - Parameters:
  ///   - file: the file.
  ///   - imported: the files that it imports, directly or indirectly, as far as they could be read.
  public init(_ file: ProtoFile, imported: [ProtoFile] = []) {
    self.file = file
    notes = file.notes
    names = ([file] + imported).reduce(into: [:]) { $0.merge($1.typeNames) { first, _ in first } }
    firstValues = ([file] + imported).reduce(into: [:]) { $0.merge($1.firstValues) { first, _ in first } }
    write()
    notes.sort { ($0.range.start, $0.text) < ($1.range.start, $1.text) }
  }

  private mutating func note(_ text: String, at range: SourceRange) { notes.append(.init(range: range, text: text)) }

  // MARK: The file

  private mutating func write() {
    for path in file.imports where !path.hasPrefix("google/protobuf/") {
      text += "include \"\(path.hasSuffix(".proto") ? path.dropLast(6) + ".fbs" : path[...])\";\n"
    }
    if !text.isEmpty { text += "\n" }
    if !file.package.isEmpty { text += "namespace \(file.package);\n\n" }
    for item in file.enums { write(item, []) }
    for message in file.messages { write(message, []) }
    for service in file.services { write(service) }
    if needsEmpty { text += "table Empty {}\n" }
  }

  private func comments(_ lines: [String], _ indentation: String = "") -> String {
    lines.map { "\(indentation)///\($0)\n" }.joined()
  }

  // MARK: Enums

  private mutating func write(_ item: ProtoFile.Enumeration, _ outer: [String]) {
    var values: [ProtoFile.Enumeration.Value] = []
    for value in item.values.sorted(by: { $0.number < $1.number }) {
      if values.last?.number == value.number {
        note("`\(value.name)` is another name of a number, and is left out", at: value.range)
      } else {
        values.append(value)
      }
    }
    text += comments(item.comments) + "enum \((outer + [item.name]).joined(separator: "_")): int {\n"
    for value in values {
      text += comments(value.comments, "  ") + "  \(value.name) = \(value.number),\n"
    }
    text += "}\n\n"
  }

  // MARK: Messages

  private mutating func write(_ message: ProtoFile.Message, _ outer: [String]) {
    let path = outer + [message.name]
    let name = path.joined(separator: "_")
    for item in message.enums { write(item, path) }
    for inner in message.messages { write(inner, path) }
    helpers = ""
    var fields = ""
    var written: Set<String> = []
    // The order of the numbers is that in which fields came.
    for field in message.fields.sorted(by: { $0.number < $1.number }) {
      if let oneof = field.oneof {
        guard written.insert(oneof).inserted else { continue }
        fields += write(oneof, message.fields.filter { $0.oneof == oneof }, path)
      } else {
        fields += write(field, path)
      }
    }
    let numbers = message.fields.map(\.number).sorted()
    if numbers != Array(1..<(numbers.count + 1)) {
      note("the numbers of fields are not kept: those of a table start at 0 and have no gaps", at: message.range)
    }
    // flatc takes a union only behind its definition.
    text += helpers + comments(message.comments) + "table \(name) {\n\(fields)}\n\n"
  }

  private mutating func write(_ field: ProtoFile.Field, _ path: [String]) -> String {
    var attributes: [String] = []
    if field.options["deprecated"] == "true" { attributes.append("deprecated") }
    let type = self.type(field.type, path, field.range)
    var value = ""
    if let keyType = field.keyType {
      let entry = "\(path.joined(separator: "_"))_\(field.name)_entry"
      let key = self.type(keyType, path, field.range).text
      helpers += "table \(entry) {\n  key: \(key) (key);\n  value: \(type.text);\n}\n\n"
      note("the map `\(field.name)` is a list of `\(entry)`, to be sorted by its key", at: field.range)
      return line(field, "[\(entry)]", "", attributes)
    }
    if field.label == .repeated {
      guard type.text.hasPrefix("[") else { return line(field, "[\(type.text)]", "", attributes) }
      // There are no lists of lists.
      let element = "\(path.joined(separator: "_"))_\(field.name)_element"
      helpers += "table \(element) {\n  value: \(type.text);\n}\n\n"
      note("`\(field.name)` is a list of `\(element)`, since there are no lists of lists", at: field.range)
      return line(field, "[\(element)]", "", attributes)
    }
    let isScalar = type.isScalar
    if field.label == .required {
      if isScalar {
        note("`\(field.name)` is not required: a number always has a value", at: field.range)
      } else {
        attributes.append("required")
      }
    }
    if let written = field.options["default"] {
      if isScalar || type.text == "string" {
        value = written.hasPrefix("'") ? "\"\(written.dropFirst().dropLast())\"" : written
      } else {
        note("the default of `\(field.name)` is left out", at: field.range)
      }
    } else if isScalar, field.label == .optional || type.isWrapped {
      value = "null"
    } else if let first = firstValue(of: field.type, path), first.number != 0 {
      value = first.name
    }
    return line(field, type.text, value, attributes)
  }

  private func line(_ field: ProtoFile.Field, _ type: String, _ value: String, _ attributes: [String]) -> String {
    comments(field.comments, "  ") + "  \(field.name): \(type)" + (value.isEmpty ? "" : " = \(value)")
      + (attributes.isEmpty ? "" : " (\(attributes.joined(separator: ", ")))") + ";\n"
  }

  /// A oneof is a union, whose members are tables: a number or text stands in a table of its own.
  private mutating func write(_ oneof: String, _ fields: [ProtoFile.Field], _ path: [String]) -> String {
    let prefix = path.joined(separator: "_")
    let union = "\(prefix)_\(oneof)"
    var members: [String] = []
    for field in fields.sorted(by: { $0.number < $1.number }) {
      let type = self.type(field.type, path, field.range)
      var member = type.text
      if type.isScalar || type.text.hasPrefix("[") || type.text == "string"
        || members.contains(where: { $0.hasSuffix(": \(member)") })
      {
        member = "\(prefix)_\(field.name)"
        helpers += "table \(member) {\n  value: \(type.text);\n}\n\n"
        note(
          "`\(field.name)` of the oneof stands in a table `\(member)`: members of a union are tables", at: field.range)
      }
      members.append("\(field.name): \(member)")
    }
    helpers += "union \(union) { \(members.joined(separator: ", ")) }\n\n"
    return "  \(oneof): \(union);\n"
  }

  // MARK: Services

  private mutating func write(_ service: ProtoFile.Service) {
    text += comments(service.comments) + "rpc_service \(service.name) {\n"
    for method in service.methods {
      let request = table(method.request, method.range)
      let response = table(method.response, method.range)
      let streaming =
        switch (method.streamsRequest, method.streamsResponse) {
        case (false, false): ""
        case (true, false): " (streaming: \"client\")"
        case (false, true): " (streaming: \"server\")"
        case (true, true): " (streaming: \"bidi\")"
        }
      text += comments(method.comments, "  ") + "  \(method.name)(\(request)): \(response)\(streaming);\n"
    }
    text += "}\n\n"
  }

  private mutating func table(_ type: String, _ range: SourceRange) -> String {
    if type.hasSuffix("google.protobuf.Empty") {
      needsEmpty = true
      return "Empty"
    }
    return self.type(type, [], range).text
  }

  // MARK: Types

  private static let scalars = [
    "double": "double", "float": "float", "int32": "int", "sint32": "int", "sfixed32": "int", "int64": "long",
    "sint64": "long", "sfixed64": "long", "uint32": "uint", "fixed32": "uint", "uint64": "ulong", "fixed64": "ulong",
    "bool": "bool",
  ]

  private static let wrappers = [
    "DoubleValue": "double", "FloatValue": "float", "Int64Value": "long", "UInt64Value": "ulong", "Int32Value": "int",
    "UInt32Value": "uint", "BoolValue": "bool",
  ]

  /// A type as schemas write it, whether it is a number, and whether it stands for one that may be absent.
  private typealias WrittenType = (text: String, isScalar: Bool, isWrapped: Bool)

  private mutating func type(_ name: String, _ path: [String], _ range: SourceRange) -> WrittenType {
    if let scalar = Self.scalars[name] { return (scalar, true, false) }
    if name == "string" { return ("string", false, false) }
    if name == "bytes" { return ("[ubyte]", false, false) }
    let plain = name.hasPrefix(".") ? String(name.dropFirst()) : name
    if plain.hasPrefix("google.protobuf.") { return wellKnown(String(plain.dropFirst(16)), range) }
    if let found = resolve(name, path) {
      return (shown(names[found] ?? found), firstValues[found] != nil, false)
    }
    note("nothing tells what `\(name)` is: it is written as it stands", at: range)
    return (plain, false, false)
  }

  private mutating func wellKnown(_ name: String, _ range: SourceRange) -> WrittenType {
    if let scalar = Self.wrappers[name] { return (scalar, true, true) }
    switch name {
    case "StringValue": return ("string", false, false)
    case "BytesValue": return ("[ubyte]", false, false)
    case "Timestamp", "Duration":
      note("a \(name) is a number: say in a comment of which unit", at: range)
      return ("long", true, true)
    case "Empty":
      needsEmpty = true
      return ("Empty", false, false)
    default:
      note("google.protobuf.\(name) has no counterpart: the field holds bytes", at: range)
      return ("[ubyte]", false, false)
    }
  }

  /// Returns the whole name of a type, which is looked for from the innermost message outwards.
  private func resolve(_ name: String, _ path: [String]) -> String? {
    if name.hasPrefix(".") { return names[String(name.dropFirst())] == nil ? nil : String(name.dropFirst()) }
    var scope = file.package.split(separator: ".").map(String.init) + path
    while true {
      let candidate = (scope + [name]).joined(separator: ".")
      if names[candidate] != nil { return candidate }
      guard scope.popLast() != nil else { return nil }
    }
  }

  /// Returns a name without the package of the file, which is its namespace.
  private func shown(_ name: String) -> String {
    let prefix = file.package + "."
    guard !file.package.isEmpty, name.hasPrefix(prefix), !name.dropFirst(prefix.count).contains(".") else {
      return name
    }
    return String(name.dropFirst(prefix.count))
  }

  private func firstValue(of type: String, _ path: [String]) -> ProtoFile.Enumeration.Value? {
    resolve(type, path).flatMap { firstValues[$0] }
  }
}
