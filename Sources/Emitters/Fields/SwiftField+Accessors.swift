import FBSSchema

/// How the accessors spell a field.
extension SwiftField {
  /// The type of the reader's property.
  var readerType: String {
    switch field.type {
    case .scalar(let scalar): return isOptional ? scalar.swiftName + "?" : scalar.swiftName
    case .enumeration(let id): return isOptional ? names.value(id) + "?" : names.value(id)
    case .string:
      if case .defaultedObject = field.presence { return "String" }
      return "String?"
    case .structure(let id): return names.reader(id) + "?"
    case .table(let id): return names.reader(id) + "?"
    case .union(let id): return names.reader(id) + "?"
    case .vector(let element): return "FlatBufferVector<\(readerName(element))>"
    }
  }

  private func readerName(_ element: ElementType) -> String {
    switch element {
    case .scalar(let scalar): scalar.swiftName
    case .enumeration(let id): names.value(id)
    case .string: "String"
    case .structure(let id): names.reader(id)
    case .table(let id): names.reader(id)
    case .union(let id): names.reader(id)
    }
  }

  /// Reads the field from `_table`.
  var readerRead: String {
    switch field.type {
    case .scalar:
      guard case .defaulted(let value) = field.presence else { return "_table.optionalScalar(at: \(slot))" }
      return "_table.scalar(at: \(slot), default: \(value.swiftLiteral))"
    case .enumeration(let id):
      guard case .defaulted(let value) = field.presence else {
        return "_table.optionalScalar(at: \(slot)).map { \(names.value(id))(rawValue: $0) }"
      }
      return "\(names.value(id))(rawValue: _table.scalar(at: \(slot), default: \(value.swiftLiteral)))"
    case .string:
      if case .defaultedObject(let text) = field.presence {
        return "_table.string(at: \(slot)) ?? \(swiftStringLiteral(text))"
      }
      return "_table.string(at: \(slot))"
    case .structure: return "_table.structure(at: \(slot))"
    case .table(let id): return "_table.table(at: \(slot)).map { \(names.reader(id))($0) }"
    case .union(let id): return "\(names.reader(id))(in: _table, at: \(slot))"
    case .vector: return "_table.vector(at: \(slot))"
    }
  }

  /// The parameters that `create` takes for the field.
  var createParameters: [String] {
    switch field.type {
    case .scalar(let scalar):
      guard case .defaulted(let value) = field.presence else { return ["\(parameter): \(scalar.swiftName)? = nil"] }
      return ["\(parameter): \(scalar.swiftName) = \(value.swiftLiteral)"]
    case .enumeration(let id):
      guard case .defaulted(let value) = field.presence else { return ["\(parameter): \(names.value(id))? = nil"] }
      return ["\(parameter): \(names.value(id)) = \(schema[id].swiftLiteral(value, names: names))"]
    case .structure(let id):
      return [isRequired ? "\(parameter): \(names.value(id))" : "\(parameter): \(names.value(id))? = nil"]
    case .union:
      let none = isRequired ? "" : " = .null"
      return ["\(typeLabel): UInt8\(isRequired ? "" : " = 0")", "\(parameter): Offset\(none)"]
    case .string, .table, .vector:
      return ["\(parameter): Offset\(isRequired ? "" : " = .null")"]
    }
  }

  /// The name for a union's type code, beside the one for its value.
  private var typeName: String { SwiftKeywords.escape(typeLabel) }

  /// The same as the label of an argument.
  var typeLabel: String { Namer.lowerCamelCase(field.name + "_type") }

  /// What `create` does with its parameters for the field, with the builder of this name.
  func createStatements(builder: String) -> [String] {
    switch field.type {
    case .scalar:
      guard case .defaulted(let value) = field.presence else { return ["\(builder).add(\(name), at: \(slot))"] }
      return ["\(builder).add(\(name), default: \(value.swiftLiteral), at: \(slot))"]
    case .enumeration:
      guard case .defaulted(let value) = field.presence else {
        return ["\(builder).add(\(name)?.rawValue, at: \(slot))"]
      }
      return ["\(builder).add(\(name).rawValue, default: \(value.swiftLiteral), at: \(slot))"]
    case .union:
      return ["\(builder).add(\(typeName), default: 0, at: \(slot - 2))", "\(builder).add(\(name), at: \(slot))"]
    case .string, .table, .vector, .structure:
      return ["\(builder).add(\(name), at: \(slot))"]
    }
  }

  /// Checks the field of `table` with `verifier`.
  var verifyStatement: String {
    let required = isRequired ? ", required: true" : ""
    switch field.type {
    case .scalar(let scalar): return "try verifier.scalar(\(scalar.swiftName).self, in: table, at: \(slot))"
    case .enumeration(let id):
      return "try verifier.scalar(\(schema[id].underlyingType.swiftName).self, in: table, at: \(slot))"
    case .string: return "try verifier.string(in: table, at: \(slot)\(required))"
    case .structure(let id):
      return "try verifier.structure(of: \(names.reader(id)).self, in: table, at: \(slot)\(required))"
    case .table(let id): return "try verifier.table(of: \(names.reader(id)).self, in: table, at: \(slot)\(required))"
    case .union(let id): return "try \(names.reader(id)).verify(&verifier, in: table, at: \(slot)\(required))"
    case .vector(let element):
      return "try verifier.vector(of: \(readerName(element)).self, in: table, at: \(slot)\(required))"
    }
  }
}
