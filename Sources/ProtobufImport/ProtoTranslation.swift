import FBSDiagnostics

/// Translates a file of Protocol Buffers to a schema. `notes` lists the parts that a schema cannot express.
public struct ProtoTranslation {
  /// The schema's text, which is not laid out yet.
  public private(set) var text = ""
  /// The notes about what the schema leaves out or changes, by place.
  public private(set) var notes: [ProtoFile.Note]
  /// The reasons why the schema cannot be used, by place.
  public private(set) var mistakes: [Diagnostic] = []
  /// Whether nothing in the file has a counterpart, so that there is no schema.
  public var isEmpty: Bool { text.isEmpty }

  let file: ProtoFile
  /// The types of the file, and of those that it imports.
  var types = ProtoTypes()
  private var missingImports: [ProtoFile.Import] = []
  /// The text of the tables and unions that replace the maps, oneofs and types of google.protobuf in the definition
  /// that is being written.
  private var helpers = ""
  /// The names that the tables of the file give to their fields.
  private var ownFields: Set<String> = []
  /// The names of the tables in `helpers` that several fields or methods share, by the type of google.protobuf that
  /// each replaces.
  private var sharedHelpers: [String: String] = [:]

  /// Translates a file.
  /// - Parameters:
  ///   - file: The file.
  ///   - imported: Returns the translation of an imported file, and the path by which to include its schema, by the path in the
  ///     import; nil if the file was not found.
  public init(
    _ file: ProtoFile, imported: (String) -> (translation: ProtoTranslation, include: String)? = { _ in nil }
  ) {
    self.file = file
    notes = file.notes
    writeIncludes(imported)
    types.add(file)
    let head = file.package.isEmpty ? "" : "namespace \(file.package);\n\n"
    let includes = text
    text = ""
    for item in file.enums { write(item, []) }
    for message in file.messages { write(message, []) }
    for service in file.services { write(service) }
    if !text.isEmpty { text = head + text }
    if !includes.isEmpty { text = includes + "\n" + text }
    if mistakes.isEmpty {
      for item in missingImports {
        note("\(item.path) was not found, and nothing of it is used: its include is left out", at: item.range)
      }
    }
    types.addFields(ownFields, in: file.package)
    notes.sort { ($0.range.start, $0.text) < ($1.range.start, $1.text) }
    mistakes.sort { $0.range.start < $1.range.start }
  }

  private mutating func note(_ text: String, at range: SourceRange) { notes.append(.init(range: range, text: text)) }

  // MARK: The file

  private mutating func writeIncludes(_ imported: (String) -> (translation: ProtoTranslation, include: String)?) {
    for item in file.imports {
      guard let (translation, include) = imported(item.path) else {
        missingImports.append(item)
        continue
      }
      types.add(translation.types)
      if translation.isEmpty {
        note("nothing in \(item.path) has a counterpart: its include is left out", at: item.range)
      } else {
        text += "include \"\(include)\";\n"
      }
    }
  }

  private func comments(_ lines: [String], _ indentation: String = "") -> String {
    lines.map { "\(indentation)///\($0)\n" }.joined()
  }

  /// Returns the name in the schema of a type of the file, without the namespace.
  private func name(of path: [String]) -> String {
    let known = types.types[ProtoTypes.joined(file.package, path.joined(separator: "."))]
    return known.map { shown($0.name) } ?? path.joined(separator: "_")
  }

  // MARK: Enums

  private mutating func write(_ item: ProtoFile.Enumeration, _ outer: [String]) {
    let values = ProtoTypes.EnumValues(item)
    let kept = Set(values.values.map(\.value.range))
    for value in item.values where !kept.contains(value.range) {
      note("`\(value.name)` is another name of a number, and is left out", at: value.range)
    }
    text += comments(item.comments) + "enum \(name(of: outer + [item.name])): int {\n"
    for (value, name) in values.values {
      text += comments(value.comments, "  ") + "  \(name) = \(value.number),\n"
    }
    text += "}\n\n"
  }

  // MARK: Messages

  private mutating func write(_ message: ProtoFile.Message, _ outer: [String]) {
    let path = outer + [message.name]
    for item in message.enums { write(item, path) }
    for inner in message.messages { write(inner, path) }
    (helpers, sharedHelpers) = ("", [:])
    let names = ProtoFieldNames(message, tables: types.tableNames) { part(of: $0, path) }
    ownFields.formUnion(message.fields.filter { $0.oneof == nil }.map { names[$0.name] })
    ownFields.formUnion(message.oneofs.map { names[$0.name] })
    var fields = ""
    var written: Set<String> = []
    // The order of the numbers is that in which fields came.
    for field in message.fields.sorted(by: { $0.number < $1.number }) {
      if let name = field.oneof {
        guard written.insert(name).inserted, let oneof = message.oneofs.first(where: { $0.name == name }) else {
          continue
        }
        if let reason = names.reasons[name] {
          note("the oneof `\(name)` is called `\(names[name])`: \(reason)", at: oneof.range)
        }
        fields += write(oneof, as: names[name], message.fields.filter { $0.oneof == name }, path)
      } else {
        if let reason = names.reasons[field.name] {
          note("`\(field.name)` is called `\(names[field.name])`: \(reason)", at: field.range)
        }
        fields += write(field, as: names[field.name], path)
      }
    }
    let numbers = message.fields.map(\.number).sorted()
    if numbers != Array(1..<(numbers.count + 1)) {
      note("the numbers of fields are not kept: those of a table start at 0 and have no gaps", at: message.range)
    }
    // flatc takes a union only behind its definition.
    text += helpers + comments(message.comments) + "table \(name(of: path)) {\n\(fields)}\n\n"
  }

  private mutating func write(_ field: ProtoFile.Field, as name: String, _ path: [String]) -> String {
    let isDeprecated = field.options["deprecated"]?.text == "true"
    var attributes = isDeprecated ? ["deprecated"] : []
    func line(_ type: String, _ value: String = "") -> String {
      comments(field.comments, "  ") + "  \(name): \(type)" + (value.isEmpty ? "" : " = \(value)")
        + (attributes.isEmpty ? "" : " (\(attributes.joined(separator: ", ")))") + ";\n"
    }
    let type = self.type(field.type, path, field.range)
    if let keyType = field.keyType {
      let key = self.type(keyType, path, field.range).text
      let entry = helper(path + [field.name, "entry"], "key: \(key) (key);\n  value: \(type.element);")
      note("the map `\(field.name)` is a list of `\(entry)`, to be sorted by its key", at: field.range)
      return line("[\(entry)]")
    }
    if field.label == .repeated {
      guard type.text.hasPrefix("[") else { return line("[\(type.text)]") }
      // There are no lists of lists.
      let element = helper(path + [field.name, "element"], "value: \(type.text);")
      note("`\(field.name)` is a list of `\(element)`, since there are no lists of lists", at: field.range)
      return line("[\(element)]")
    }
    if field.label == .required {
      if type.isScalar {
        note("`\(field.name)` is not required: a number always has a value", at: field.range)
      } else if isDeprecated {
        note("`\(field.name)` is not required: it is deprecated, so that nothing can write it", at: field.range)
      } else {
        attributes.append("required")
      }
    }
    if let written = field.options["default"] {
      let value = attributes.contains("required") ? nil : type.literal(of: written)
      if value == nil { note("the default of `\(field.name)` is left out", at: field.range) }
      return line(type.text, value ?? type.values?.first ?? "")
    }
    if type.isScalar, field.label == .optional || type.isWrapped { return line(type.text, "null") }
    return line(type.text, type.values?.first ?? "")
  }

  /// Writes a oneof as a union, whose members are tables: a number or text stands in a table of its own.
  private mutating func write(
    _ oneof: ProtoFile.Oneof, as fieldName: String, _ fields: [ProtoFile.Field], _ path: [String]
  ) -> String {
    var members: Set<String> = []
    var lines: [String] = []
    var hasComments = false
    for field in fields.sorted(by: { $0.number < $1.number }) {
      let type = self.type(field.type, path, field.range)
      var member = type.text
      if type.kind != .table || members.contains(member) {
        member = helper(path + [field.name], "value: \(type.element);")
        note(
          "`\(field.name)` of the oneof stands in a table `\(member)`: members of a union are tables", at: field.range)
      }
      members.insert(member)
      if field.options["default"] != nil { note("the default of `\(field.name)` is left out", at: field.range) }
      var name = field.name
      if name == "NONE" {
        repeat { name += "_" } while fields.contains { $0.name == name }
        note("`NONE` is called `\(name)`: every union has a `NONE`", at: field.range)
      }
      hasComments = hasComments || !field.comments.isEmpty
      lines.append(comments(field.comments, "  ") + "  \(name): \(member)")
    }
    let union = types.define((path + [oneof.name]).joined(separator: "_"), in: file.package, isTable: false)
    // A byte has 255 codes besides that of `NONE`.
    let codes = lines.count > 255 ? ": ushort" : ""
    if !codes.isEmpty {
      note("the oneof `\(oneof.name)` has more than 255 fields: its union has `ushort` codes", at: oneof.range)
    }
    helpers +=
      hasComments
      ? "union \(union)\(codes) {\n\(lines.joined(separator: ",\n"))\n}\n\n"
      : "union \(union)\(codes) { \(lines.map { String($0.dropFirst(2)) }.joined(separator: ", ")) }\n\n"
    return comments(oneof.comments, "  ") + "  \(fieldName): \(union);\n"
  }

  /// Adds a table to `helpers`, for a part of the definition that is being written.
  /// - Returns: its name.
  private mutating func helper(_ path: [String], _ fields: String) -> String {
    let name = types.define(path.joined(separator: "_"), in: file.package)
    helpers += "table \(name) {\n  \(fields)\n}\n\n"
    return name
  }

  /// Returns the name of the table that replaces a type of google.protobuf in the definition that is being written.
  /// Adds the table if it is missing. A table for the whole package would be defined by each of its files.
  private mutating func sharedHelper(_ owner: [String], _ type: String, _ fields: String) -> String {
    if let known = sharedHelpers[type] { return known }
    let name = helper(owner + [type], fields)
    sharedHelpers[type] = name
    return name
  }

  // MARK: Services

  private mutating func write(_ service: ProtoFile.Service) {
    guard !service.methods.isEmpty else {
      return note("a service without methods has no counterpart, and is left out", at: service.range)
    }
    (helpers, sharedHelpers) = ("", [:])
    var methods = ""
    for method in service.methods {
      let request = table(method.request, service, method)
      let response = table(method.response, service, method)
      let streaming =
        switch (method.streamsRequest, method.streamsResponse) {
        case (false, false): ""
        case (true, false): " (streaming: \"client\")"
        case (false, true): " (streaming: \"server\")"
        case (true, true): " (streaming: \"bidi\")"
        }
      methods += comments(method.comments, "  ") + "  \(method.name)(\(request)): \(response)\(streaming);\n"
    }
    text += helpers + comments(service.comments) + "rpc_service \(service.name) {\n\(methods)}\n\n"
  }

  /// Returns the table that a method takes or returns. A type that does not become a table is wrapped in one.
  private mutating func table(_ name: String, _ service: ProtoFile.Service, _ method: ProtoFile.Method) -> String {
    let type = self.type(name, [], method.range, owner: [service.name])
    guard type.kind != .table else { return type.text }
    guard let wellKnown = wellKnownName(name, []) else {
      mistakes.append(
        ProtoFile.Mistake(range: method.range, message: "a method takes and returns messages, and not `\(name)`")
          .diagnostic)
      return type.text
    }
    let known = sharedHelpers[wellKnown] != nil
    let table = sharedHelper([service.name], wellKnown, "value: \(type.element);")
    if !known {
      note("\(wellKnown) stands in a table `\(table)`: methods take and return tables", at: method.range)
    }
    return table
  }

  // MARK: Types

  /// Returns the schema's type that replaces a type of a field or method.
  /// - Parameters:
  ///   - path: the names of the message that has the field, and of those around it.
  ///   - owner: the definition to which a table for it belongs, if that is not the message.
  private mutating func type(
    _ name: String, _ path: [String], _ range: SourceRange, owner: [String]? = nil
  ) -> ProtoFieldType {
    if let basic = ProtoFieldType.basic(name) { return basic }
    if let wellKnown = wellKnownName(name, path) {
      if wellKnown == "Empty" { return .init(sharedHelper(owner ?? path, "Empty", ""), .table) }
      let (type, text) = ProtoFieldType.wellKnown(wellKnown)
      if let text { note(text, at: range) }
      return type
    }
    if let found = resolve(name, path), let type = types.types[found] {
      let written = shown(type.name)
      if !types.isVisible(type.name, as: written, in: file.package) {
        mistakes.append(
          Diagnostic(
            ProtoCode.hiddenType, .error, "`\(found)` cannot be named here: another `\(written)` is nearer", at: range,
            advice: "rename one of the two"))
      }
      return .init(written, type.values == nil ? .table : .enumeration, values: type.values)
    }
    if let nested = nestedWellKnownName(name, path) {
      mistakes.append(
        Diagnostic(
          ProtoCode.unknownType, .error, "`\(nested)` has no counterpart: it is nested in a type of google.protobuf",
          at: range, advice: "write int32 for an enum, or bytes for a message"))
      return .init(name, .table)
    }
    let missing = missingImports.map(\.path)
    mistakes.append(
      Diagnostic(
        ProtoCode.unknownType, .error, "nothing tells what `\(name)` is", at: range,
        advice: missing.isEmpty
          ? "import the file that defines it"
          : "\(missing.joined(separator: ", ")) was not found: name the folder to look in with -I"))
    return .init(name, .table)
  }

  /// Returns the part of a field of a table that needs names of its own; nil if there is none.
  private func part(of field: ProtoFile.Field, _ path: [String]) -> ProtoFieldNames.Part? {
    if field.keyType != nil || field.label == .repeated { return .length }
    let wellKnown = wellKnownName(field.type, path).flatMap { $0 == "Empty" ? nil : ProtoFieldType.wellKnown($0).type }
    switch (ProtoFieldType.basic(field.type) ?? wellKnown)?.kind {
    case .bytes: return .length
    case .string: return .bytes
    case .boolean, .integer, .number, .enumeration, .table, nil: return nil
    }
  }

  /// Returns the name of a type of google.protobuf, without the package; nil for every other type.
  private func wellKnownName(_ name: String, _ path: [String]) -> String? {
    let package = "google.protobuf."
    // The files of the package itself define what is in it.
    guard file.package + "." != package else { return nil }
    // A type with more points is one of a package below it, such as google.protobuf.compiler.
    func isWellKnown(_ name: String) -> Bool {
      name.hasPrefix(package) && !name.dropFirst(package.count).contains(".")
    }
    let found = resolve(name, path) ?? scopes(name, path).first(where: isWellKnown)
    return found.flatMap { isWellKnown($0) ? String($0.dropFirst(package.count)) : nil }
  }

  /// Returns the whole name of a type that is nested in one of google.protobuf, whose files are not read; nil for every
  /// other type. Names of packages begin with small letters.
  private func nestedWellKnownName(_ name: String, _ path: [String]) -> String? {
    let package = "google.protobuf."
    guard file.package + "." != package else { return nil }
    return scopes(name, path).first { $0.hasPrefix(package) && $0.dropFirst(package.count).first?.isUppercase == true }
  }

  /// Returns the whole name of a type, which is looked for from the innermost message outwards; nil if there is none.
  private func resolve(_ name: String, _ path: [String]) -> String? {
    scopes(name, path).first { types.types[$0] != nil }
  }

  /// Returns the whole names that a name may stand for, from the inside to the outside.
  private func scopes(_ name: String, _ path: [String]) -> [String] {
    if name.hasPrefix(".") { return [String(name.dropFirst())] }
    let scope = file.package.split(separator: ".").map(String.init) + path
    return (0...scope.count).reversed().map { (scope[..<$0] + [name]).joined(separator: ".") }
  }

  /// Returns a name without the package of the file, which is its namespace.
  private func shown(_ name: String) -> String {
    let prefix = file.package + "."
    guard !file.package.isEmpty, name.hasPrefix(prefix), !name.dropFirst(prefix.count).contains(".") else {
      return name
    }
    return String(name.dropFirst(prefix.count))
  }
}
