import FBSSchema

/// How the serializers spell a field.
extension SwiftField {
  /// The name of the local that holds the field's offset while an object is written.
  private var offsetName: String { plainName + "Offset" }

  /// Whether two values that are not equal are written as different bytes. A NaN is not equal to itself.
  var differsAsItsBytes: Bool {
    switch field.type {
    case .scalar(let scalar): !scalar.isFloatingPoint
    case .enumeration, .string: true
    case .structure, .table, .union, .vector: false
    }
  }

  /// Whether the field's value in an object is the value in the key's column, whatever is stored.
  var showsItsKey: Bool {
    switch field.type {
    case .scalar(let scalar): !scalar.isFloatingPoint
    case .string: true
    case .enumeration, .structure, .table, .union, .vector: false
    }
  }

  var isText: Bool { if case .string = field.type { true } else { false } }

  /// Whether the value, which may be long, is taken out of its variable to be changed, and not copied.
  var isChangedInPlace: Bool {
    switch field.type {
    case .vector: true
    case .table, .union: isModelOptional
    case .scalar, .enumeration, .string, .structure: false
    }
  }

  /// Whether the field is a union without members.
  var isEmptyUnion: Bool { if case .union(let id) = field.type { schema[id].members.isEmpty } else { false } }

  /// What must be written before the table itself, if anything.
  var serializeBefore: CodeText? {
    let value = "self.\(name)"
    switch reference {
    case .offset: break
    case .offset64: return "let \(offsetName) = builder.takeOffset64()"
    case .vector64: return "let \(offsetName) = builder.takeVector64()"
    }
    switch field.type {
    case .scalar, .enumeration, .structure: return nil
    case .string: return "let \(offsetName) = builder.create(\(value))"
    case .table, .union:
      return isModelOptional
        ? "let \(offsetName) = \(value)?.to(flatBufferBuilder: &builder) ?? .null"
        : "let \(offsetName) = \(value).to(flatBufferBuilder: &builder)"
    case .vector where field.isNestedFlatBuffer:
      let write: CodeText = "builder.create(vector: \(value), alignment: \(unit.traits.nestedTables.alignment))"
      return isRequired ? "let \(offsetName) = \(write)" : "let \(offsetName) = \(value).isEmpty ? .null : \(write)"
    case .vector(let element):
      let kind =
        switch element {
        case .scalar: "numbers"
        case .enumeration: "enums"
        case .string: "strings"
        case .structure: "structs"
        case .table: "tables"
        case .union: "unions"
        }
      // An empty vector that may be absent takes no bytes.
      return "let \(offsetName) = builder.encode(\(kind): \(value)\(isRequired ? ", required: true" : ""))"
    }
  }

  /// What is written before all objects with 32-bit offsets, if anything: the field's own string or vector, or those of the
  /// tables that it holds.
  var serialize64BitObjects: String? {
    let value = "self.\(name)"
    let reach = unit.traits.offset64Reach
    switch field.type {
    case .table(let id) where reach.contains(id):
      return "\(value)\(isModelOptional ? "?" : "")._write64BitObjects(to: &builder)"
    case .union(let id) where reach.contains(id): return "\(value)?._write64BitObjects(to: &builder)"
    case .vector(.table(let id)) where reach.contains(id):
      return "for element in \(value) { element._write64BitObjects(to: &builder) }"
    case .vector(.union(let id)) where reach.contains(id):
      return "for element in \(value) { element._write64BitObjects(to: &builder) }"
    case .scalar, .enumeration, .structure, .table, .union, .string, .vector: break
    }
    let function: String
    switch reference {
    case .offset: return nil
    case .offset64: function = "encodeOffset64"
    case .vector64: function = "encodeVector64"
    }
    let kind =
      switch field.type {
      case .string: "string"
      case .vector(.structure): "structs"
      case .scalar, .enumeration, .structure, .table, .union, .vector: "numbers"
      }
    let alignment = field.isNestedFlatBuffer ? ", alignment: \(unit.traits.nestedTables.alignment)" : ""
    let required = isRequired && field.type != .string ? ", required: true" : ""
    return "builder.\(function)(\(kind): \(value)\(alignment)\(required))"
  }

  /// The arguments for the accessors' `create`.
  var createArguments: [CodeText] {
    let value = "self.\(name)"
    switch field.type {
    case .scalar: return ["\(label): \(value)"]
    case .enumeration(let id):
      return isOptional
        ? ["\(label): \(value).map { \(names.value(id))(rawValue: $0.rawValue) }"]
        : ["\(label): \(names.value(id))(rawValue: \(value).rawValue)"]
    case .structure: return ["\(label): \(value)\(isModelOptional ? "?" : "")._value"]
    case .union: return ["\(typeLabel): \(value)?._typeCode ?? 0", "\(label): \(offsetName)"]
    case .vector(.union): return ["\(typeLabel): \(offsetName).types", "\(label): \(offsetName).members"]
    case .string, .table, .vector: return ["\(label): \(offsetName)"]
    }
  }
}
