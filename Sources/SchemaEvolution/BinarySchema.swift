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
    var writer = BinarySchemaWriter(schema._table, limit: bytes.count * 8 + 10_000)
    return try writer.write()
  }

  private static let identifier = "BFBS"
}

// MARK: - What is verified

/// The slots of FlatBuffers' reflection schema that are read here.
enum Reflected {
  enum Schema {
    static let objects: VTableOffset = 4
    static let enums: VTableOffset = 6
    static let identifier: VTableOffset = 8
    static let root: VTableOffset = 12
  }
  enum Object {
    static let name: VTableOffset = 4
    static let fields: VTableOffset = 6
    static let isStruct: VTableOffset = 8
    static let attributes: VTableOffset = 14
  }
  enum Field {
    static let name: VTableOffset = 4
    static let type: VTableOffset = 6
    static let id: VTableOffset = 8
    static let integer: VTableOffset = 12
    static let real: VTableOffset = 14
    static let isDeprecated: VTableOffset = 16
    static let isRequired: VTableOffset = 18
    static let isKey: VTableOffset = 20
    static let attributes: VTableOffset = 22
    static let isOptional: VTableOffset = 26
  }
  enum TypeInfo {
    static let base: VTableOffset = 4
    static let element: VTableOffset = 6
    static let index: VTableOffset = 8
    static let length: VTableOffset = 10
  }
  enum Enum {
    static let name: VTableOffset = 4
    static let values: VTableOffset = 6
    static let isUnion: VTableOffset = 8
    static let type: VTableOffset = 10
    static let attributes: VTableOffset = 12
  }
  enum Value {
    static let name: VTableOffset = 4
    static let number: VTableOffset = 6
    static let type: VTableOffset = 10
  }
  enum Attribute {
    static let key: VTableOffset = 4
    static let value: VTableOffset = 6
  }
}

struct ReflectedSchema: FlatBufferTableView {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    let table = try verifier.beginTable(at: position)
    try verifier.vector(of: ReflectedObject.self, in: table, at: Reflected.Schema.objects, required: true)
    try verifier.vector(of: ReflectedEnum.self, in: table, at: Reflected.Schema.enums, required: true)
    try verifier.string(in: table, at: Reflected.Schema.identifier)
    try verifier.table(of: ReflectedObject.self, in: table, at: Reflected.Schema.root)
    verifier.endTable()
  }
}

struct ReflectedObject: FlatBufferTableView {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    let table = try verifier.beginTable(at: position)
    try verifier.string(in: table, at: Reflected.Object.name, required: true)
    try verifier.vector(of: ReflectedField.self, in: table, at: Reflected.Object.fields, required: true)
    try verifier.scalar(Bool.self, in: table, at: Reflected.Object.isStruct)
    try verifier.vector(of: ReflectedAttribute.self, in: table, at: Reflected.Object.attributes)
    verifier.endTable()
  }
}

struct ReflectedField: FlatBufferTableView {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    let table = try verifier.beginTable(at: position)
    try verifier.string(in: table, at: Reflected.Field.name, required: true)
    try verifier.table(of: ReflectedType.self, in: table, at: Reflected.Field.type, required: true)
    try verifier.scalar(UInt16.self, in: table, at: Reflected.Field.id)
    try verifier.scalar(Int64.self, in: table, at: Reflected.Field.integer)
    try verifier.scalar(Double.self, in: table, at: Reflected.Field.real)
    for slot in [
      Reflected.Field.isDeprecated, Reflected.Field.isRequired, Reflected.Field.isKey, Reflected.Field.isOptional,
    ] {
      try verifier.scalar(Bool.self, in: table, at: slot)
    }
    try verifier.vector(of: ReflectedAttribute.self, in: table, at: Reflected.Field.attributes)
    verifier.endTable()
  }
}

struct ReflectedType: FlatBufferTableView {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    let table = try verifier.beginTable(at: position)
    try verifier.scalar(Int8.self, in: table, at: Reflected.TypeInfo.base)
    try verifier.scalar(Int8.self, in: table, at: Reflected.TypeInfo.element)
    try verifier.scalar(Int32.self, in: table, at: Reflected.TypeInfo.index)
    try verifier.scalar(UInt16.self, in: table, at: Reflected.TypeInfo.length)
    verifier.endTable()
  }
}

struct ReflectedEnum: FlatBufferTableView {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    let table = try verifier.beginTable(at: position)
    try verifier.string(in: table, at: Reflected.Enum.name, required: true)
    try verifier.vector(of: ReflectedValue.self, in: table, at: Reflected.Enum.values, required: true)
    try verifier.scalar(Bool.self, in: table, at: Reflected.Enum.isUnion)
    try verifier.table(of: ReflectedType.self, in: table, at: Reflected.Enum.type, required: true)
    try verifier.vector(of: ReflectedAttribute.self, in: table, at: Reflected.Enum.attributes)
    verifier.endTable()
  }
}

struct ReflectedValue: FlatBufferTableView {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    let table = try verifier.beginTable(at: position)
    try verifier.string(in: table, at: Reflected.Value.name, required: true)
    try verifier.scalar(Int64.self, in: table, at: Reflected.Value.number)
    try verifier.table(of: ReflectedType.self, in: table, at: Reflected.Value.type)
    verifier.endTable()
  }
}

struct ReflectedAttribute: FlatBufferTableView {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verify(_ verifier: inout FlatBufferVerifier, at position: Int) throws(FlatBufferError) {
    let table = try verifier.beginTable(at: position)
    try verifier.string(in: table, at: Reflected.Attribute.key, required: true)
    try verifier.string(in: table, at: Reflected.Attribute.value)
    verifier.endTable()
  }
}
