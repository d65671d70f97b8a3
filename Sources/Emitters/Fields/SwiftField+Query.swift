import FBSSchema

/// The code of queries and indexes for a field.
extension SwiftField {
  /// Returns the code of a `RecordField` for the field, or for a union's type code, reached through `path`. Returns nil
  /// for a field that holds no single value.
  func recordField(path: String) -> CodeText? {
    switch field.type {
    case .scalar(let scalar): return recordField(path, storage: scalar)
    case .enumeration(let id): return recordField(path, storage: schema[id].underlyingType)
    case .string:
      let start: CodeText = "\(imported[.recordField])(\(path), .\(textStorage), at: \(slot)"
      guard case .defaultedObject(let text) = field.presence else { return "\(start))" }
      return "\(start), default: .text(\(swiftStringLiteral(text))))"
    case .union(let id): return "\(imported[.recordField])(\(path), .\(schema[id].codeStorage), at: \(slot))"
    case .structure: return field.byteCount.map { "\(imported[.recordField])(\(path), .bytes(\($0)), at: \(slot))" }
    case .table, .vector: return nil
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

  /// Returns the type of the query field for objects of type `element`, and the arguments of the call that creates it;
  /// nil for a field that queries cannot use.
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
      if let value = recordField(path: path) { return (queryType(names.model(id), element), value) }
      return ("\(names.model(id)).Fields<\(element)>", "\(holder).structure(at: \(slot))")
    case .table(let id):
      return ("\(names.model(id)).Fields<\(element)>", "\(holder).table(at: \(slot))")
    case .union(let id):
      let type: CodeText = "\(imported[.unionField])<\(names.model(id)), \(element)>"
      return (type, "\(path), at: \(slot)\(schema[id].codeSizeArgument)")
    case .vector(let item):
      return vectorQuery(of: item, element: element, path: path)
    }
  }

  /// Returns the Swift type of a vector's query field, and the arguments of the call that creates it.
  private func vectorQuery(
    of item: ElementType, element: String, path: String
  ) -> (type: CodeText, arguments: CodeText) {
    func value(_ type: String, _ storage: String) -> (type: CodeText, arguments: CodeText) {
      (
        vectorType(queryType(mapping?.valueType ?? type, element), element),
        "\(recordVector(path, ".value(\(storage))"))\(mapping?.queryArguments ?? "")"
      )
    }
    func nested(_ type: String, _ storage: String) -> (type: CodeText, arguments: CodeText) {
      (vectorType("\(type).Fields<\(element)>", element), "\(recordVector(path, storage)), { .init($0) }")
    }
    switch item {
    case .scalar(let scalar): return value(imported[scalar.swiftType], scalar.storageCase)
    case .enumeration(let id): return value(names.model(id), schema[id].underlyingType.storageCase)
    case .string: return value(imported[.string], ".string")
    case .structure(let id):
      if let count = field.byteCount { return value(names.model(id), ".bytes(\(count))") }
      return nested(names.model(id), ".structure(size: \(schema[id].size))")
    case .table(let id): return nested(names.model(id), ".table")
    case .union(let id):
      return (
        vectorType("\(imported[.unionField])<\(names.model(id)), \(element)>", element),
        recordVector(path, ".union(codeSize: \(schema[id].underlyingType.size))")
      )
    }
  }

  /// Returns the code of a `RecordVector` for a vector of single values, reached through `path`. It is the argument of
  /// the vector's index. Returns nil for other fields.
  func valueVector(path: String) -> CodeText? {
    switch field.type {
    case .vector(of: .scalar(let scalar)): recordVector(path, ".value(\(scalar.storageCase))")
    case .vector(of: .enumeration(let id)): recordVector(path, ".value(\(schema[id].underlyingType.storageCase))")
    case .vector(of: .string): recordVector(path, ".value(.string)")
    case .vector(of: .structure): field.byteCount.map { recordVector(path, ".value(.bytes(\($0)))") }
    case .vector, .scalar, .enumeration, .string, .structure, .table, .union: nil
    }
  }

  private func recordVector(_ path: String, _ storage: String) -> CodeText {
    let end: String =
      switch reference {
      case .offset: ")"
      case .offset64: ", .offset64)"
      case .vector64: ", .vector64)"
      }
    return "\(imported[.recordVector])(\(path), \(storage), at: \(slot)\(end)"
  }

  private func vectorType(_ item: CodeText, _ element: String) -> CodeText {
    "\(imported[.vectorField])<\(item), \(element)>"
  }

  private func queryType(_ value: String, _ element: String) -> CodeText {
    "\(imported[.queryExpression])<\(value), \(element)>"
  }
}
