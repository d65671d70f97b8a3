/// A type of another module that generated code names.
///
/// A schema may define a type or namespace of the same name, which shadows it. So no emitter writes such a name itself:
/// `ImportedTypeNames` spells it.
package enum ImportedType: String, CaseIterable, Sendable {
  // Of Swift.
  case array = "Array"
  case bool = "Bool"
  case caseIterable = "CaseIterable"
  case codable = "Codable"
  case codingKey = "CodingKey"
  case customReflectable = "CustomReflectable"
  case decoder = "Decoder"
  case double = "Double"
  case encoder = "Encoder"
  case equatable = "Equatable"
  case float = "Float"
  case hashable = "Hashable"
  case int = "Int"
  case int16 = "Int16"
  case int32 = "Int32"
  case int64 = "Int64"
  case int8 = "Int8"
  case mirror = "Mirror"
  case optionSet = "OptionSet"
  case optional = "Optional"
  case sendable = "Sendable"
  case string = "String"
  case uint16 = "UInt16"
  case uint32 = "UInt32"
  case uint64 = "UInt64"
  case uint8 = "UInt8"

  // Of Dflat.
  case atom = "Atom"
  case dflatFriendlyValue = "DflatFriendlyValue"
  case fieldDecoder = "FieldDecoder"
  case fieldPath = "FieldPath"
  case fixedBytes = "FixedBytes"
  case flatBufferStructDecodable = "FlatBufferStructDecodable"
  case flatBufferStructEncodable = "FlatBufferStructEncodable"
  case flatBufferTableDecodable = "FlatBufferTableDecodable"
  case flatBufferUnionDecodable = "FlatBufferUnionDecodable"
  case flatBuffersDecodable = "FlatBuffersDecodable"
  case flatBuffersEncodable = "FlatBuffersEncodable"
  case flatBuffersOffset64Encodable = "FlatBuffersOffset64Encodable"
  case flatBuffersUnionEncodable = "FlatBuffersUnionEncodable"
  case generatedAtom = "GeneratedAtom"
  case generatedChangeRequest = "GeneratedChangeRequest"
  case identifiableAtom = "IdentifiableAtom"
  case indirect = "Indirect"
  case infallibleFlatBuffersEncodable = "InfallibleFlatBuffersEncodable"
  case nestedFields = "NestedFields"
  case objectBuilder = "ObjectBuilder"
  case queryExpression = "QueryExpression"
  case recordChange = "RecordChange"
  case recordDescription = "RecordDescription"
  case recordField = "RecordField"
  case recordIndex = "RecordIndex"
  case recordVector = "RecordVector"
  case unionField = "UnionField"
  case vectorField = "VectorField"

  // Of Swift, Foundation and Dflat, for fields that stand for other types.
  case convertedMapping = "ConvertedMapping"
  case date = "Date"
  case dateMapping = "DateMapping"
  case decimal = "Decimal"
  case decimalMapping = "DecimalMapping"
  case decimalPlaces = "DecimalPlaces"
  case duration = "Duration"
  case durationMapping = "DurationMapping"
  case fieldUnits = "FieldUnits"
  case fractionalDateMapping = "FractionalDateMapping"
  case fractionalDurationMapping = "FractionalDurationMapping"
  case mapped = "Mapped"
  case mappedArray = "MappedArray"
  case mappedOptional = "MappedOptional"
  case mappedValue = "MappedValue"
  case url = "URL"
  case urlMapping = "URLMapping"
  case uuid = "UUID"
  case uuidMapping = "UUIDMapping"

  // Of FlatBuffersCore.
  case byteBuffer = "ByteBuffer"
  case flatBufferBuilder = "FlatBufferBuilder"
  case flatBufferCompositeKeyed = "FlatBufferCompositeKeyed"
  case flatBufferCompositeKeyedValue = "FlatBufferCompositeKeyedValue"
  case flatBufferEditableElement = "FlatBufferEditableElement"
  case flatBufferEnumValue = "FlatBufferEnumValue"
  case flatBufferError = "FlatBufferError"
  case flatBufferKeyLayout = "FlatBufferKeyLayout"
  case flatBufferScalarKeyed = "FlatBufferScalarKeyed"
  case flatBufferStringKeyed = "FlatBufferStringKeyed"
  case flatBufferStruct = "FlatBufferStruct"
  case flatBufferStructEditor = "FlatBufferStructEditor"
  case flatBufferStructEditorView = "FlatBufferStructEditorView"
  case flatBufferStructView = "FlatBufferStructView"
  case flatBufferStructWritable = "FlatBufferStructWritable"
  case flatBufferStructWriter = "FlatBufferStructWriter"
  case flatBufferTable = "FlatBufferTable"
  case flatBufferTableEditor = "FlatBufferTableEditor"
  case flatBufferTableEditorView = "FlatBufferTableEditorView"
  case flatBufferTableView = "FlatBufferTableView"
  case flatBufferUnionEditorView = "FlatBufferUnionEditorView"
  case flatBufferUnionMember = "FlatBufferUnionMember"
  case flatBufferUnionMemberEditor = "FlatBufferUnionMemberEditor"
  case flatBufferUnionVector = "FlatBufferUnionVector"
  case flatBufferUnionVectorEditor = "FlatBufferUnionVectorEditor"
  case flatBufferUnionView = "FlatBufferUnionView"
  case flatBufferVector = "FlatBufferVector"
  case flatBufferVectorEditor = "FlatBufferVectorEditor"
  case flatBufferVerifier = "FlatBufferVerifier"
  case offset = "Offset"
  case offset64 = "Offset64"
  case vTableOffset = "VTableOffset"
  case vector64Offset = "Vector64Offset"

  /// The module that declares the type.
  package var module: String {
    switch self {
    case .array, .bool, .caseIterable, .codable, .codingKey, .customReflectable, .decoder, .double, .encoder,
      .equatable, .float, .hashable, .int, .int16, .int32, .int64, .int8, .mirror, .optionSet, .optional, .sendable,
      .string, .uint16, .uint32, .uint64, .uint8, .duration:
      "Swift"
    case .date, .decimal, .url, .uuid:
      "Foundation"
    case .atom, .dflatFriendlyValue, .fieldDecoder, .fieldPath, .fixedBytes, .flatBufferStructDecodable,
      .flatBufferStructEncodable, .flatBufferTableDecodable, .flatBufferUnionDecodable, .flatBuffersDecodable,
      .flatBuffersEncodable, .flatBuffersOffset64Encodable, .flatBuffersUnionEncodable, .generatedAtom,
      .generatedChangeRequest, .identifiableAtom, .indirect, .infallibleFlatBuffersEncodable, .nestedFields,
      .objectBuilder, .queryExpression, .recordChange, .recordDescription, .recordField, .recordIndex, .recordVector,
      .unionField, .vectorField, .convertedMapping, .dateMapping, .decimalMapping, .decimalPlaces, .durationMapping,
      .fieldUnits,
      .fractionalDateMapping, .fractionalDurationMapping, .mapped, .mappedArray, .mappedOptional, .mappedValue,
      .urlMapping, .uuidMapping:
      "Dflat"
    case .byteBuffer, .flatBufferBuilder, .flatBufferCompositeKeyed, .flatBufferCompositeKeyedValue,
      .flatBufferEditableElement, .flatBufferEnumValue, .flatBufferError, .flatBufferKeyLayout, .flatBufferScalarKeyed,
      .flatBufferStringKeyed, .flatBufferStruct, .flatBufferStructEditor, .flatBufferStructEditorView,
      .flatBufferStructView, .flatBufferStructWritable, .flatBufferStructWriter, .flatBufferTable,
      .flatBufferTableEditor, .flatBufferTableEditorView, .flatBufferTableView, .flatBufferUnionEditorView,
      .flatBufferUnionMember, .flatBufferUnionMemberEditor, .flatBufferUnionVector, .flatBufferUnionVectorEditor,
      .flatBufferUnionView, .flatBufferVector, .flatBufferVectorEditor, .flatBufferVerifier, .offset, .offset64,
      .vTableOffset, .vector64Offset:
      "FlatBuffersCore"
    }
  }

  /// The types that appear only in the code of schemas with mapped fields.
  package static let ofMappings: Set<ImportedType> = [
    .convertedMapping, .date, .dateMapping, .decimal, .decimalMapping, .decimalPlaces, .duration, .durationMapping,
    .fieldUnits, .fractionalDateMapping, .fractionalDurationMapping, .mapped, .mappedArray, .mappedOptional,
    .mappedValue, .url, .urlMapping, .uuid, .uuidMapping,
  ]
}
