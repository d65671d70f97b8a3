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
    case .vector(.union(let id)): return "FlatBufferUnionVector<\(names.reader(id))>"
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

  /// Reads a scalar or enum from `source`.
  func scalarRead(from source: String) -> String {
    guard case .defaulted(let value) = field.presence else {
      let read = "\(source).optionalScalar(at: \(slot))"
      if case .enumeration(let id) = field.type { return "\(read).map { \(names.value(id))(rawValue: $0) }" }
      return read
    }
    let read = "\(source).scalar(at: \(slot), default: \(value.swiftLiteral))"
    if case .enumeration(let id) = field.type { return "\(names.value(id))(rawValue: \(read))" }
    return read
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
    case .union(let id):
      let none = isRequired ? "" : " = .null"
      return ["\(typeLabel): \(schema[id].codeType)\(isRequired ? "" : " = 0")", "\(parameter): Offset\(none)"]
    case .vector(.union):
      let none = isRequired ? "" : " = .null"
      return ["\(typeLabel): Offset\(none)", "\(parameter): Offset\(none)"]
    case .string, .table, .vector:
      return ["\(parameter): \(reference.offsetType)\(isRequired ? "" : " = .null")"]
    }
  }

  /// The name for a union's type code, beside the one for its value.
  private var typeName: String { SwiftKeywords.escape(typeLabel) }

  /// The same as the label of an argument.
  var typeLabel: String { Namer.name(of: "type", besideField: field.name, swiftName: plainName) }

  /// A statement of `create`, and the size by which it is put in order.
  typealias CreateStatement = (size: Int, text: String)

  /// What `create` does with its parameters for the field, with the builder of this name.
  func createStatements(builder: String) -> [CreateStatement] {
    let plain = "\(builder).add(\(name), at: \(slot))"
    switch field.type {
    case .scalar(let scalar):
      guard case .defaulted(let value) = field.presence else { return [(scalar.size, plain)] }
      return [(scalar.size, "\(builder).add(\(name), default: \(value.swiftLiteral), at: \(slot))")]
    case .enumeration(let id):
      let size = schema[id].underlyingType.size
      guard case .defaulted(let value) = field.presence else {
        return [(size, "\(builder).add(\(name)?.rawValue, at: \(slot))")]
      }
      return [(size, "\(builder).add(\(name).rawValue, default: \(value.swiftLiteral), at: \(slot))")]
    case .union(let id):
      return [(schema[id].underlyingType.size, "\(builder).add(\(typeName), default: 0, at: \(slot - 2))"), (4, plain)]
    case .vector(.union):
      return [(4, "\(builder).add(\(typeName), at: \(slot - 2))"), (4, plain)]
    case .string, .vector:
      return [(reference.sortedSize, plain)]
    case .table, .structure:
      return [(4, plain)]
    }
  }

  /// The statements of `create` for `fields` in the order in which C++ has them: large ones first, so that as little room
  /// as can be is lost to alignment, and of one size the last field first, since a buffer is written from its end.
  static func createStatements(_ fields: [SwiftField], builder: String) -> [String] {
    let byID = fields.sorted { $0.field.id < $1.field.id }
    let statements = byID.flatMap { $0.createStatements(builder: builder) }
    return [8, 4, 2, 1].flatMap { size in statements.reversed().filter { $0.size == size }.map(\.text) }
  }

  /// Checks the field of `table` with `verifier`.
  var verifyStatement: String {
    let required = isRequired ? ", required: true" : ""
    switch field.type {
    case .scalar(let scalar): return "try verifier.scalar(\(scalar.swiftName).self, in: table, at: \(slot))"
    case .enumeration(let id):
      return "try verifier.scalar(\(schema[id].underlyingType.swiftName).self, in: table, at: \(slot))"
    case .string: return "try verifier.string(in: table, \(slotArgument)\(required))"
    case .structure(let id):
      return "try verifier.structure(of: \(names.reader(id)).self, in: table, at: \(slot)\(required))"
    case .table(let id): return "try verifier.table(of: \(names.reader(id)).self, in: table, at: \(slot)\(required))"
    case .union(let id): return "try verifier.union(of: \(names.reader(id)).self, in: table, at: \(slot)\(required))"
    case .vector(.union(let id)):
      return "try verifier.unionVector(of: \(names.reader(id)).self, in: table, at: \(slot)\(required))"
    case .vector where nestedRoot != nil:
      return "try verifier.nestedBuffer(of: \(nestedRoot ?? "").self, in: table, \(slotArgument)\(required))"
    case .vector(let element):
      return "try verifier.vector(of: \(readerName(element)).self, in: table, \(slotArgument)\(required))"
    }
  }

  // MARK: Keys and nested FlatBuffers

  /// The reader of the root table of the FlatBuffer that is nested in the field; nil where none is.
  var nestedRoot: String? { nestedTable.map(names.reader) }

  /// Whether vectors of the table are sorted by the field.
  var isKey: Bool { field.declaration.attribute("key") != nil }

  /// The protocol that a reader with this key conforms to.
  var keyProtocol: String {
    switch field.type {
    case .string: "FlatBufferStringKeyed"
    case .structure: "FlatBufferCompositeKeyed"
    case .scalar, .enumeration, .table, .union, .vector: "FlatBufferScalarKeyed"
    }
  }

  /// The members by which a reader with this key conforms to it.
  func keyMembers(of reader: String) -> [String] {
    switch field.type {
    case .scalar(let scalar):
      return ["public static func key(of element: \(reader)) -> \(scalar.swiftName) { element.\(name) }"]
    case .enumeration(let id):
      return [
        "public static func key(of element: \(reader)) -> \(schema[id].underlyingType.swiftName) "
          + "{ element.\(name).rawValue }"
      ]
    case .structure(let id):
      let size = schema[id].size
      return [
        "public static let keyLayout = \(schema.keyLayout(of: .structure(id), at: 0, byteSize: size))",
        "public static func keyStructure(of element: \(reader)) -> FlatBufferStruct? "
          + "{ element._table.structure(at: \(slot), size: \(size)) }",
        "public static func write(key: \(names.value(id)), to writer: inout FlatBufferStructWriter) "
          + "{ writer.set(key, at: 0) }",
      ]
    case .string, .table, .union, .vector:
      let slot = "public static var keySlot: VTableOffset { \(slot) }"
      return reference == .offset64 ? [slot, "public static var keyHasOffset64: Bool { true }"] : [slot]
    }
  }
}
