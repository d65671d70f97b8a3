import FBSSchema

/// The code of the serializers for a field.
extension SwiftField {
  /// The name of the local variable that holds the field's offset while an object is written.
  private var offsetName: String { plainName + Self.offsetSuffix }

  /// The suffix of the local variable that holds a field's offset.
  static let offsetSuffix = "Offset"

  /// Whether unequal values are always written as different bytes. NaN is an exception: it is not equal to itself.
  var differsAsItsBytes: Bool {
    switch field.type {
    case .scalar(let scalar): !scalar.isFloatingPoint
    case .enumeration: true
    // A URL that is nil and one of an empty text are unequal, and written alike.
    case .string: !field.writesNilAsText
    // A struct may have fewer bytes in Swift, and is padded with zeros.
    case .structure: mapping != nil
    case .table, .union, .vector: false
    }
  }

  /// Whether an object's value of the field always equals the value in the key's column. Not so for numbers that the
  /// Swift type cannot show, such as an enum's number without a case.
  var showsItsKey: Bool {
    switch field.type {
    case .scalar(let scalar): !scalar.isFloatingPoint
    case .string: true
    case .structure: field.byteCount != nil
    case .enumeration, .table, .union, .vector: false
    }
  }

  var isText: Bool { if case .string = field.type { true } else { false } }

  /// Whether the value, which may be long, is moved out of its variable to be changed, instead of being copied.
  var isChangedInPlace: Bool {
    switch field.type {
    case .vector: wrapper == nil
    case .table, .union: isModelOptional
    case .scalar, .enumeration, .string, .structure: false
    }
  }

  /// The expression for the field's value in the form in which it is written. It occurs in a method of the object whose
  /// variable `builder` is the buffer's builder.
  private var writtenValue: String {
    guard let mapping, wrapper != nil else { return "self.\(name)" }
    let wrapper = "self.\(isOfRoot ? "_values." : "")$\(plainName)"
    let stored =
      mapping.canFail
      ? "\(wrapper).stored(\(swiftStringLiteral(qualifiedName)), in: &builder)" : "\(wrapper).stored"
    return field.writesNilAsText ? "(\(stored) ?? \"\")" : stored
  }

  /// The statement that checks whether the structs in the field can be written; nil if they always can.
  var checkOfStructs: CodeText? {
    switch field.type {
    case .structure(let id) where unit.traits.encodingFailures.canRefuse(id):
      return "self.\(name)\(isModelOptional ? "?" : "")._check(in: &builder)"
    case .vector(.structure(let id)) where unit.traits.encodingFailures.canRefuse(id):
      return "for element in self.\(name) { element._check(in: &builder) }"
    default: return nil
    }
  }

  /// Returns the stored value of an object's field, as one side of a comparison.
  func storedValue(of object: String) -> String {
    wrapper == nil ? "\(object).\(name)" : "\(object)._values.$\(plainName).stored"
  }

  /// Whether the field is a union without members.
  var isEmptyUnion: Bool { if case .union(let id) = field.type { schema[id].members.isEmpty } else { false } }

  /// The expression that writes what the field's slot refers to, and returns its offset; nil for a field that holds its
  /// value.
  private var serializedReference: CodeText? {
    let value = writtenValue
    switch reference {
    case .offset: break
    case .offset64: return "builder.takeOffset64()"
    case .vector64: return "builder.takeVector64()"
    }
    switch field.type {
    case .scalar, .enumeration, .structure: return nil
    case .string: return "builder.create(\(value))"
    case .table, .union:
      return isModelOptional ? "builder.encode(\(value))" : "\(value).to(flatBufferBuilder: &builder)"
    case .vector where field.isNestedFlatBuffer:
      let write: CodeText = "builder.create(vector: \(value)\(alignmentArgument))"
      return isRequired ? write : "\(value).isEmpty ? .null : \(write)"
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
      // An empty optional vector takes no bytes.
      return "builder.encode(\(kind): \(value)\(alignmentArgument)\(isRequired ? ", required: true" : ""))"
    }
  }

  /// The argument for the alignment of a vector's elements; empty if their type decides it.
  private var alignmentArgument: String {
    let ofBuffer = field.isNestedFlatBuffer ? unit.traits.nestedAlignments.alignment(ofBufferIn: field) : 1
    let alignment = max(field.elementAlignment ?? 1, ofBuffer)
    return alignment > 1 ? ", alignment: \(alignment)" : ""
  }

  /// The statement that writes what the field's slot refers to, and keeps its offset in a local variable; nil for a
  /// field that holds its value.
  var serializeBefore: CodeText? { serializedReference.map { "let \(offsetName) = \($0)" } }

  /// The values of an object's fields, in the form in which slots hold them. What they refer to has been written, with
  /// its offset in a local variable.
  var objectValues: SlotValues {
    let value = writtenValue
    switch field.type {
    case .scalar: return SlotValues(value: value, code: "")
    case .enumeration: return SlotValues(value: value + rawValue, code: "")
    case .structure(let id): return SlotValues(value: structValue(id), code: "")
    case .union: return SlotValues(value: offsetName, code: value + "._typeCode")
    case .vector(.union): return SlotValues(value: offsetName + ".members", code: offsetName + ".types")
    case .string, .table, .vector: return SlotValues(value: offsetName, code: "")
    }
  }

  /// Returns the expression for the accessors' value to write for a struct, or for a mapped value such as a `UUID`.
  private func structValue(_ id: StructID) -> String {
    guard mapping != nil else { return writtenValue + (isModelOptional ? "?._value" : "._value") }
    return isModelOptional
      ? "\(writtenValue).map { \(unit.structOfBytes(id, "$0")) }" : unit.structOfBytes(id, writtenValue)
  }

  /// Whether the field is a vector of unions, which is written with one call, but gives `create` two arguments.
  var isUnionVector: Bool { if case .vector(.union) = field.type { true } else { false } }

  /// The statement that writes the field's objects with 64-bit offsets: its own string or vector, or those within the
  /// tables that it holds. Nil if there are none. They are written before all other objects.
  var serialize64BitObjects: String? {
    let value = writtenValue
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
    let required = isRequired && field.type != .string ? ", required: true" : ""
    return "builder.\(function)(\(kind): \(value)\(alignmentArgument)\(required))"
  }

  /// Returns the arguments for the accessors' `create`. Swift evaluates them in order, and all of them before the call
  /// gets the builder. So what the table refers to is written before the table, in the order of the fields.
  ///
  /// - Parameter isWritten: whether what the field refers to has been written, with its offset in a local variable.
  func createArguments(isWritten: Bool) -> [CodeText] {
    let value = writtenValue
    switch field.type {
    case .scalar: return ["\(label): \(value)"]
    case .enumeration(let id):
      return isOptional
        ? ["\(label): \(value).map { \(names.value(id))(rawValue: $0.rawValue) }"]
        : ["\(label): \(names.value(id))(rawValue: \(value).rawValue)"]
    case .structure(let id): return ["\(label): \(structValue(id))"]
    case .vector(.union): return ["\(typeLabel): \(offsetName).types", "\(label): \(offsetName).members"]
    case .union, .string, .table, .vector: break
    }
    let reference: CodeText = isWritten ? CodeText(offsetName) : serializedReference ?? ".null"
    let argument: CodeText = "\(label): \(reference)"
    if case .union = field.type { return ["\(typeLabel): \(value)._typeCode", argument] }
    return [argument]
  }
}

extension EmissionUnit {
  /// Returns the expression that makes the accessors' value of a struct from a `UUID`, which is the expression `value`.
  /// The struct's only field is an array of bytes.
  func structOfBytes(_ id: StructID, _ value: String) -> String {
    let label = SwiftKeywords.escapeLabel(names.plain(schema[id].fields[0]))
    return "\(names.value(id))(\(label): \(value)._bytes)"
  }
}
