import FBSSchema
import FlatBuffersCore

/// Reads binary schemas (.bfbs), ours and flatc's: into the text of a schema that means the same. The text is then compiled
/// like any other, so that what a hostile file claims is checked by the same rules, and findings have lines to show.
///
/// A binary schema does not hold everything: comments, and the defaults of strings and vectors, are not in it.
public enum BinarySchema {
  /// Why bytes are no binary schema.
  public struct Failure: Error, CustomStringConvertible {
    /// The reason, as part of a sentence.
    public let description: String
  }

  /// Whether bytes say that they are one.
  public static func isOne(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 8 && bytes[4..<8].elementsEqual(identifier.utf8)
  }

  /// The text of a schema. The bytes are verified first: whatever they are, nothing is read outside of them.
  /// - Throws: `Failure`
  public static func text(of bytes: [UInt8]) throws(Failure) -> String {
    let buffer = ByteBuffer(bytes)
    do {
      try buffer.verify(as: ReflectedSchema.self, fileIdentifier: identifier)
    } catch {
      if case .wrongFileIdentifier = error { throw Failure(description: "it is no binary schema (BFBS)") }
      throw Failure(description: "it is damaged: \(error)")
    }
    guard let schema = ReflectedSchema(root: buffer) else { throw Failure(description: "it is damaged") }
    // A few bytes may be referred to many times: the text of an honest schema is shorter than its binary form.
    var writer = BinarySchemaText(schema._table, limit: bytes.count * 8 + 10_000)
    return try writer.write()
  }

  private static let identifier = "BFBS"
}

// MARK: - What is verified

/// A table of FlatBuffers' reflection schema, of which is verified what is read here: what later versions add is passed over.
protocol ReflectedTable: FlatBufferTableView {
  static func verifyFields(
    of table: FlatBufferVerifier.Table, with verifier: inout FlatBufferVerifier) throws(FlatBufferError)
}

extension ReflectedTable {
  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    let table = try verifier.beginTable(at: position)
    try verifyFields(of: table, with: &verifier)
    verifier.endTable()
  }
}

struct ReflectedSchema: ReflectedTable {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verifyFields(
    of table: FlatBufferVerifier.Table, with verifier: inout FlatBufferVerifier
  ) throws(FlatBufferError) {
    try verifier.vector(of: ReflectedObject.self, in: table, at: ReflectionSlot.Schema.objects, required: true)
    try verifier.vector(of: ReflectedEnum.self, in: table, at: ReflectionSlot.Schema.enums, required: true)
    try verifier.string(in: table, at: ReflectionSlot.Schema.fileIdentifier)
    try verifier.table(of: ReflectedObject.self, in: table, at: ReflectionSlot.Schema.rootTable)
  }
}

struct ReflectedObject: ReflectedTable {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verifyFields(
    of table: FlatBufferVerifier.Table, with verifier: inout FlatBufferVerifier
  ) throws(FlatBufferError) {
    try verifier.string(in: table, at: ReflectionSlot.Object.name, required: true)
    try verifier.vector(of: ReflectedField.self, in: table, at: ReflectionSlot.Object.fields, required: true)
    try verifier.scalar(Bool.self, in: table, at: ReflectionSlot.Object.isStruct)
    try verifier.vector(of: ReflectedAttribute.self, in: table, at: ReflectionSlot.Object.attributes)
  }
}

struct ReflectedField: ReflectedTable {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verifyFields(
    of table: FlatBufferVerifier.Table, with verifier: inout FlatBufferVerifier
  ) throws(FlatBufferError) {
    try verifier.string(in: table, at: ReflectionSlot.Field.name, required: true)
    try verifier.table(of: ReflectedType.self, in: table, at: ReflectionSlot.Field.type, required: true)
    try verifier.scalar(UInt16.self, in: table, at: ReflectionSlot.Field.id)
    try verifier.scalar(Int64.self, in: table, at: ReflectionSlot.Field.defaultInteger)
    try verifier.scalar(Double.self, in: table, at: ReflectionSlot.Field.defaultReal)
    for slot in [
      ReflectionSlot.Field.isDeprecated, ReflectionSlot.Field.isRequired, ReflectionSlot.Field.isKey,
      ReflectionSlot.Field.isOptional,
    ] {
      try verifier.scalar(Bool.self, in: table, at: slot)
    }
    try verifier.vector(of: ReflectedAttribute.self, in: table, at: ReflectionSlot.Field.attributes)
  }
}

struct ReflectedType: ReflectedTable {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verifyFields(
    of table: FlatBufferVerifier.Table, with verifier: inout FlatBufferVerifier
  ) throws(FlatBufferError) {
    try verifier.scalar(Int8.self, in: table, at: ReflectionSlot.TypeInfo.base)
    try verifier.scalar(Int8.self, in: table, at: ReflectionSlot.TypeInfo.element)
    try verifier.scalar(Int32.self, in: table, at: ReflectionSlot.TypeInfo.index)
    try verifier.scalar(UInt16.self, in: table, at: ReflectionSlot.TypeInfo.fixedLength)
  }
}

struct ReflectedEnum: ReflectedTable {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verifyFields(
    of table: FlatBufferVerifier.Table, with verifier: inout FlatBufferVerifier
  ) throws(FlatBufferError) {
    try verifier.string(in: table, at: ReflectionSlot.Enum.name, required: true)
    try verifier.vector(of: ReflectedValue.self, in: table, at: ReflectionSlot.Enum.values, required: true)
    try verifier.scalar(Bool.self, in: table, at: ReflectionSlot.Enum.isUnion)
    try verifier.table(of: ReflectedType.self, in: table, at: ReflectionSlot.Enum.underlyingType, required: true)
    try verifier.vector(of: ReflectedAttribute.self, in: table, at: ReflectionSlot.Enum.attributes)
  }
}

struct ReflectedValue: ReflectedTable {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verifyFields(
    of table: FlatBufferVerifier.Table, with verifier: inout FlatBufferVerifier
  ) throws(FlatBufferError) {
    try verifier.string(in: table, at: ReflectionSlot.Value.name, required: true)
    try verifier.scalar(Int64.self, in: table, at: ReflectionSlot.Value.number)
    try verifier.table(of: ReflectedType.self, in: table, at: ReflectionSlot.Value.unionType)
  }
}

struct ReflectedAttribute: ReflectedTable {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verifyFields(
    of table: FlatBufferVerifier.Table, with verifier: inout FlatBufferVerifier
  ) throws(FlatBufferError) {
    try verifier.string(in: table, at: ReflectionSlot.Attribute.key, required: true)
    try verifier.string(in: table, at: ReflectionSlot.Attribute.value)
  }
}
