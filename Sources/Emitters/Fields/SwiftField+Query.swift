import FBSSchema

/// The code of queries and indexes for a field.
extension SwiftField {
  /// Returns the field as a `RecordField` reached through `path`, or a union's type; nil for a field that holds no
  /// single value.
  func recordField(path: String) -> CodeText? {
    switch field.type {
    case .scalar(let scalar): return recordField(path, storage: scalar)
    case .enumeration(let id): return recordField(path, storage: schema[id].underlyingType)
    case .string:
      let start: CodeText = "\(imported[.recordField])(\(path), .\(textStorage), at: \(slot)"
      guard case .defaultedObject(let text) = field.presence else { return "\(start))" }
      return "\(start), default: .text(\(swiftStringLiteral(text))))"
    case .union(let id): return "\(imported[.recordField])(\(path), .\(schema[id].codeStorage), at: \(slot))"
    case .structure, .table, .vector: return nil
    }
  }

  /// The `FieldStorage` of a string.
  private var textStorage: String { reference == .offset64 ? "stringOffset64" : "string" }

  private func recordField(_ path: String, storage: ScalarType) -> CodeText {
    let start: CodeText = "\(imported[.recordField])(\(path), \(storage.storageCase), at: \(slot)"
    guard case .defaulted(let value) = field.presence else { return "\(start))" }
    let literal = value.swiftLiteral
    let constant: CodeText =
      switch value {
      case .bool(let isTrue): ".integer(\(isTrue ? 1 : 0))"
      case .integer: storage.isFloatingPoint ? ".real(\(literal))" : ".integer(\(literal))"
      case .unsigned: ".unsigned(\(literal))"
      case .real: ".real(\(literal))"
      }
    return "\(start), default: \(constant))"
  }

  /// Returns the type of the query field for an `element`, and its arguments; nil for a vector, which has no single
  /// value to compare.
  func query(element: String, path: String) -> (type: CodeText, arguments: CodeText)? {
    let holder = path == ".root" ? "\(imported[.fieldPath]).root" : path
    if let mapping, !isVector {
      return recordField(path: path).map {
        (queryType(mapping.valueType, element), "\($0)\(mapping.queryArguments)")
      }
    }
    switch field.type {
    case .scalar(let scalar):
      return recordField(path: path).map { (queryType(imported[scalar.swiftType], element), $0) }
    case .enumeration(let id):
      return recordField(path: path).map { (queryType(names.model(id), element), $0) }
    case .string:
      return recordField(path: path).map { (queryType(imported[.string], element), $0) }
    case .structure(let id):
      return ("\(names.model(id)).Fields<\(element)>", "\(holder).structure(at: \(slot))")
    case .table(let id):
      return ("\(names.model(id)).Fields<\(element)>", "\(holder).table(at: \(slot))")
    case .union(let id):
      let type: CodeText = "\(imported[.unionField])<\(names.model(id)), \(element)>"
      return (type, "\(path), at: \(slot)\(schema[id].codeSizeArgument)")
    case .vector:
      return nil
    }
  }

  private func queryType(_ value: String, _ element: String) -> CodeText {
    "\(imported[.queryExpression])<\(value), \(element)>"
  }
}
