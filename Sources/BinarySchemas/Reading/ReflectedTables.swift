import FlatBuffersCore

/// A table of FlatBuffers' reflection schema. Only the parts that are read here are verified, so that additions of
/// later versions are ignored.
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
    try verifier.string(in: table, at: ReflectionSlot.Schema.fileExtension)
    try verifier.table(of: ReflectedName.self, in: table, at: ReflectionSlot.Schema.rootTable)
    try verifier.scalar(UInt64.self, in: table, at: ReflectionSlot.Schema.advancedFeatures)
    try verifier.vector(of: ReflectedService.self, in: table, at: ReflectionSlot.Schema.services)
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
    try verifier.scalar(Int32.self, in: table, at: ReflectionSlot.Object.alignment)
    try verifier.scalar(Int32.self, in: table, at: ReflectionSlot.Object.size)
    try verifier.vector(of: ReflectedAttribute.self, in: table, at: ReflectionSlot.Object.attributes)
    try verifier.vector(of: String.self, in: table, at: ReflectionSlot.Object.documentation)
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
    try verifier.scalar(UInt16.self, in: table, at: ReflectionSlot.Field.offset)
    try verifier.scalar(Int64.self, in: table, at: ReflectionSlot.Field.defaultInteger)
    try verifier.scalar(Double.self, in: table, at: ReflectionSlot.Field.defaultReal)
    for slot in [
      ReflectionSlot.Field.isDeprecated, ReflectionSlot.Field.isRequired, ReflectionSlot.Field.isKey,
      ReflectionSlot.Field.isOptional, ReflectionSlot.Field.hasWideOffset,
    ] {
      try verifier.scalar(Bool.self, in: table, at: slot)
    }
    try verifier.vector(of: ReflectedAttribute.self, in: table, at: ReflectionSlot.Field.attributes)
    try verifier.vector(of: String.self, in: table, at: ReflectionSlot.Field.documentation)
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
    try verifier.vector(of: String.self, in: table, at: ReflectionSlot.Enum.documentation)
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
    try verifier.vector(of: String.self, in: table, at: ReflectionSlot.Value.documentation)
    try verifier.vector(of: ReflectedAttribute.self, in: table, at: ReflectionSlot.Value.attributes)
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

/// The name of a struct or table that another table refers to. Its fields are read where the schema lists its objects.
struct ReflectedName: ReflectedTable {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verifyFields(
    of table: FlatBufferVerifier.Table, with verifier: inout FlatBufferVerifier
  ) throws(FlatBufferError) {
    try verifier.string(in: table, at: ReflectionSlot.Object.name, required: true)
  }
}

struct ReflectedService: ReflectedTable {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verifyFields(
    of table: FlatBufferVerifier.Table, with verifier: inout FlatBufferVerifier
  ) throws(FlatBufferError) {
    try verifier.string(in: table, at: ReflectionSlot.Service.name, required: true)
    try verifier.vector(of: ReflectedCall.self, in: table, at: ReflectionSlot.Service.calls)
    try verifier.vector(of: ReflectedAttribute.self, in: table, at: ReflectionSlot.Service.attributes)
    try verifier.vector(of: String.self, in: table, at: ReflectionSlot.Service.documentation)
  }
}

struct ReflectedCall: ReflectedTable {
  let _table: FlatBufferTable
  init(_ table: FlatBufferTable) { _table = table }

  static func verifyFields(
    of table: FlatBufferVerifier.Table, with verifier: inout FlatBufferVerifier
  ) throws(FlatBufferError) {
    try verifier.string(in: table, at: ReflectionSlot.Call.name, required: true)
    try verifier.table(of: ReflectedName.self, in: table, at: ReflectionSlot.Call.request, required: true)
    try verifier.table(of: ReflectedName.self, in: table, at: ReflectionSlot.Call.response, required: true)
    try verifier.vector(of: ReflectedAttribute.self, in: table, at: ReflectionSlot.Call.attributes)
    try verifier.vector(of: String.self, in: table, at: ReflectionSlot.Call.documentation)
  }
}
