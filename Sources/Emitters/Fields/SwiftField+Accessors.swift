import FBSSchema

/// The code of the accessors for a field.
extension SwiftField {
  /// The type of the reader's property.
  var readerType: CodeText {
    switch field.type {
    case .scalar(let scalar): return "\(imported[scalar.swiftType])\(isOptional ? "?" : "")"
    case .enumeration(let id): return "\(names.value(id))\(isOptional ? "?" : "")"
    case .string:
      if case .defaultedObject = field.presence { return CodeText(imported[.string]) }
      return "\(imported[.string])?"
    case .structure(let id): return "\(names.reader(id))?"
    case .table(let id): return "\(names.reader(id))?"
    case .union(let id): return "\(names.reader(id))?"
    case .vector(.union(let id)): return "\(imported[.flatBufferUnionVector])<\(names.reader(id))>"
    case .vector(let element): return "\(imported[.flatBufferVector])<\(readerName(element))>"
    }
  }

  private func readerName(_ element: ElementType) -> String {
    switch element {
    case .scalar(let scalar): imported[scalar.swiftType]
    case .enumeration(let id): names.value(id)
    case .string: imported[.string]
    case .structure(let id): names.reader(id)
    case .table(let id): names.reader(id)
    case .union(let id): names.reader(id)
    }
  }

  /// The expression that reads the field from `_table`.
  var readerRead: CodeText {
    switch field.type {
    case .scalar, .enumeration: return scalarRead(from: "_table")
    case .string:
      if case .defaultedObject(let text) = field.presence {
        return "_table.string(\(slotArgument)) ?? \(swiftStringLiteral(text))"
      }
      return "_table.string(\(slotArgument))"
    case .structure: return "_table.structure(at: \(slot))"
    case .table: return "_table.view(at: \(slot))"
    case .union: return "_table.union(at: \(slot))"
    case .vector(.union): return "_table.unionVector(at: \(slot))"
    case .vector: return "_table.vector(\(slotArgument))"
    }
  }

  /// Returns the expression that reads a scalar or enum from `source`.
  func scalarRead(from source: String) -> CodeText {
    guard case .defaulted(let value) = field.presence else {
      let read: CodeText = "\(source).optionalScalar(at: \(slot))"
      if case .enumeration(let id) = field.type { return "\(read).map { \(names.value(id))(rawValue: $0) }" }
      return read
    }
    let read: CodeText = "\(source).scalar(at: \(slot), default: \(value.swiftLiteral))"
    if case .enumeration(let id) = field.type { return "\(names.value(id))(rawValue: \(read))" }
    return read
  }

  /// The parameters that `create` takes for the field.
  var createParameters: [CodeText] {
    switch field.type {
    case .scalar(let scalar):
      let type = imported[scalar.swiftType]
      guard case .defaulted(let value) = field.presence else { return ["\(parameter): \(type)? = nil"] }
      return ["\(parameter): \(type) = \(value.swiftLiteral)"]
    case .enumeration(let id):
      guard case .defaulted(let value) = field.presence else { return ["\(parameter): \(names.value(id))? = nil"] }
      return ["\(parameter): \(names.value(id)) = \(schema[id].swiftLiteral(value, names: names))"]
    case .structure(let id):
      return [isRequired ? "\(parameter): \(names.value(id))" : "\(parameter): \(names.value(id))? = nil"]
    case .union(let id):
      let code: CodeText = "\(imported[schema[id].codeType])\(isRequired ? "" : " = 0")"
      return ["\(typeLabel): \(code)", "\(parameter): \(offsetParameter)"]
    case .vector(.union):
      return ["\(typeLabel): \(offsetParameter)", "\(parameter): \(offsetParameter)"]
    case .string, .table, .vector:
      return ["\(parameter): \(offsetParameter)"]
    }
  }

  /// The type of a parameter that is an offset, and its default.
  private var offsetParameter: CodeText { "\(imported[reference.offsetType])\(isRequired ? "" : " = .null")" }

  /// The name of the parameter with a union's type code, as an expression.
  private var typeName: String { SwiftKeywords.escape(typeLabel) }

  /// The label of the argument with a union's type code. It is the name of the union's own argument with `Type`
  /// appended.
  var typeLabel: String { Namer.name(of: "type", beside: plainName) }

  /// The expressions with which the slots of a field are filled.
  struct SlotValues {
    /// The value, or the offset of the object that the field refers to.
    let value: String
    /// The type code of a union, or the offset of a vector's type codes; unused by other fields.
    let code: String
  }

  /// The parameters of `create` for the field, in the form in which slots hold them.
  var parameterValues: SlotValues {
    if case .enumeration = field.type { return SlotValues(value: name + rawValue, code: "") }
    return SlotValues(value: name, code: typeName)
  }

  /// The suffix that gets an enum's number.
  var rawValue: String { isOptional ? "?.rawValue" : ".rawValue" }

  /// Adds the statements that fill the field's slots with `values` to `statements`, which has a list for each size, by
  /// its power of two. `builder` is the name of the builder.
  private func addSlotStatements(to statements: inout [[CodeText]], _ values: SlotValues, builder: String) {
    func add(_ value: String, size: Int, default: String? = nil, at slot: Int) {
      let constant = `default`.map { ", default: " + $0 } ?? ""
      statements[size.trailingZeroBitCount].append("\(builder).add(\(value)\(constant), at: \(slot))")
    }
    switch field.type {
    case .scalar(let scalar):
      add(values.value, size: scalar.size, default: defaultLiteral, at: slot)
    case .enumeration(let id):
      add(values.value, size: schema[id].underlyingType.size, default: defaultLiteral, at: slot)
    case .union(let id):
      add(values.code, size: schema[id].underlyingType.size, default: "0", at: slot - 2)
      add(values.value, size: 4, at: slot)
    case .vector(.union):
      add(values.code, size: 4, at: slot - 2)
      add(values.value, size: 4, at: slot)
    case .string, .vector:
      add(values.value, size: reference.sortedSize, at: slot)
    case .table, .structure:
      add(values.value, size: 4, at: slot)
    }
  }

  /// The default of a scalar or enum as a literal; nil for an optional one.
  private var defaultLiteral: String? {
    guard case .defaulted(let value) = field.presence else { return nil }
    return value.swiftLiteral
  }

  /// Writes the statements that write a table whose slots hold `values` of `fields`.
  ///
  /// The slots are filled in the order of C++: large ones first, which loses the least room to alignment; among those
  /// of one size the last field first, since a buffer is written from its end.
  static func writeTable(
    _ fields: [SwiftField], slotCount: Int, _ values: KeyPath<SwiftField, SlotValues>, builder: String,
    to writer: inout CodeWriter
  ) {
    var statements = [[CodeText]](repeating: [], count: 4)
    for field in fields.sorted(by: { $0.field.id < $1.field.id }) {
      field.addSlotStatements(to: &statements, field[keyPath: values], builder: builder)
    }
    writer.line("\(builder).startTable(fieldCount: \(slotCount))")
    for sameSize in statements.reversed() {
      for statement in sameSize.reversed() { writer.line(statement) }
    }
    writer.line("return \(builder).endTable()")
  }

  /// The statement that checks the field with `verifier`.
  var verifyStatement: CodeText {
    let required = isRequired ? ", required: true" : ""
    switch field.type {
    case .scalar(let scalar): return "verifier.checkScalar(size: \(scalar.size), at: \(slot))"
    case .enumeration(let id):
      return "verifier.checkScalar(size: \(schema[id].underlyingType.size), at: \(slot))"
    case .string: return "verifier.checkString(\(slotArgument)\(required))"
    case .structure(let id):
      let layout: CodeText = "size: \(schema[id].size), alignment: \(schema[id].alignment)"
      return "verifier.checkStruct(\(layout), at: \(slot)\(required))"
    case .table(let id): return "verifier.checkTable(\(names.reader(id)).self, at: \(slot)\(required))"
    case .union(let id): return "verifier.checkUnion(\(names.reader(id)).self, at: \(slot)\(required))"
    case .vector where nestedRoot != nil:
      return "verifier.checkNestedBuffer(of: \(nestedRoot ?? "").self, \(slotArgument)\(required))"
    case .vector(.scalar(let scalar)): return vectorCheck(stride: scalar.size, required)
    case .vector(.enumeration(let id)): return vectorCheck(stride: schema[id].underlyingType.size, required)
    case .vector(.structure(let id)): return vectorCheck(stride: schema[id].size, required)
    case .vector(.string): return "verifier.checkStrings(at: \(slot)\(required))"
    case .vector(.table(let id)): return "verifier.checkTables(\(names.reader(id)).self, at: \(slot)\(required))"
    case .vector(.union(let id)): return "verifier.checkUnions(\(names.reader(id)).self, at: \(slot)\(required))"
    }
  }

  /// Returns the statement that checks a vector whose elements have `stride` bytes and hold no offsets.
  private func vectorCheck(stride: Int, _ required: String) -> CodeText {
    "verifier.checkVector(stride: \(stride), \(slotArgument)\(required))"
  }

  // MARK: Keys and nested FlatBuffers

  /// The reader of the root table of the FlatBuffer that is nested in the field; nil if there is none.
  var nestedRoot: String? { nestedTable.map(names.reader) }

  /// Whether vectors of the table are sorted by the field.
  var isKey: Bool { field.declaration.has("key") }

  /// The protocol to which a reader with this key conforms.
  var keyProtocol: ImportedType {
    switch field.type {
    case .string: .flatBufferStringKeyed
    case .structure: .flatBufferCompositeKeyed
    case .scalar, .enumeration, .table, .union, .vector: .flatBufferScalarKeyed
    }
  }

  /// Returns the members by which a reader with this key conforms to `keyProtocol`.
  func keyMembers(of reader: String) -> [CodeText] {
    switch field.type {
    case .scalar(let scalar):
      let type = imported[scalar.swiftType]
      return ["public static func key(of element: \(reader)) -> \(type) { element.\(name) }"]
    case .enumeration(let id):
      let type = imported[schema[id].underlyingType.swiftType]
      return ["public static func key(of element: \(reader)) -> \(type) { element.\(name).rawValue }"]
    case .structure(let id):
      let size = schema[id].size
      let structure: CodeText = "element._table.structure(at: \(slot), size: \(size))"
      let parameters: CodeText = "key: \(names.value(id)), to writer: inout \(imported[.flatBufferStructWriter])"
      return schema.keyLayout(of: .structure(id), at: 0, byteSize: size, imported) + [
        "public static func keyStructure(of element: \(reader)) -> \(imported[.flatBufferStruct])? { \(structure) }",
        "public static func write(\(parameters)) { writer.set(key, at: 0) }",
      ]
    case .string, .table, .union, .vector:
      let slot: CodeText = "public static var keySlot: \(imported[.vTableOffset]) { \(slot) }"
      return reference == .offset64 ? [slot, "public static var keyHasOffset64: \(imported[.bool]) { true }"] : [slot]
    }
  }
}
