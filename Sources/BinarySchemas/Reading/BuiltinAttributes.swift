import FlatBuffersCore

extension BinarySchema {
  /// Whether a binary schema holds the attributes of the FlatBuffers language, such as `hash`.
  ///
  /// flatc leaves these attributes out unless it is given `--bfbs-builtins`. It always writes attributes that a schema
  /// declares, such as `primary`. dflatc writes all attributes.
  public enum BuiltinAttributes: Sendable {
    /// At least one of the attributes is there, so that none was left out.
    case held
    /// None of the attributes is there, and nothing shows that one was left out: perhaps the schema has none.
    case unknown
    /// The attributes were left out: a field is required, say, without the attribute that makes it so.
    case omitted

    /// The attributes that the binary schema may lack although its source has them. Attributes that show in a layout or
    /// a flag, such as `force_align` of a struct or `required`, are not among them.
    public var unknownNames: Set<String> {
      switch self {
      case .held: []
      case .unknown, .omitted:
        ["bit_flags", "flexbuffer", "force_align", "hash", "nested_flatbuffer", "shared", "streaming"]
      }
    }

    /// The attributes that flatc takes without a declaration, in its version 2.0.8.
    static let names: Set<String> = [
      "bit_flags", "cpp_ptr_type", "cpp_ptr_type_get", "cpp_str_flex_ctor", "cpp_str_type", "cpp_type",
      "csharp_partial", "deprecated", "flexbuffer", "force_align", "hash", "id", "idempotent", "key",
      "native_custom_alloc", "native_default", "native_inline", "native_type", "native_type_pack_name",
      "nested_flatbuffer", "original_order", "private", "required", "shared", "streaming",
    ]

    /// The attributes that newer versions of flatc take without a declaration. Each is also a flag of its field. For
    /// older versions, they are attributes like any other that a schema declares.
    static let namesOfWidths: Set<String> = ["offset64", "vector64"]

    /// Checks all attributes of a verified schema until one shows that they are held.
    init(of schema: FlatBufferTable) {
      func tables(_ table: FlatBufferTable, _ slot: VTableOffset) -> FlatBufferVector<FlatBufferTable> {
        table.vector(of: FlatBufferTable.self, at: slot)
      }
      func hasAny(_ names: Set<String>, _ table: FlatBufferTable, _ slot: VTableOffset) -> Bool {
        tables(table, slot).contains { names.contains($0.string(at: ReflectionSlot.Attribute.key) ?? "") }
      }
      var isOmitted = false
      for object in tables(schema, ReflectionSlot.Schema.objects) {
        if hasAny(Self.names, object, ReflectionSlot.Object.attributes) {
          self = .held
          return
        }
        for field in tables(object, ReflectionSlot.Object.fields) {
          let hasWideOffset = field.scalar(at: ReflectionSlot.Field.hasWideOffset, default: false)
          if hasAny(Self.names, field, ReflectionSlot.Field.attributes)
            || hasWideOffset && hasAny(Self.namesOfWidths, field, ReflectionSlot.Field.attributes)
          {
            self = .held
            return
          }
          isOmitted =
            isOmitted || hasWideOffset || field.scalar(at: ReflectionSlot.Field.isDeprecated, default: false)
            || field.scalar(at: ReflectionSlot.Field.isRequired, default: false)
            || field.scalar(at: ReflectionSlot.Field.isKey, default: false)
        }
      }
      for definition in tables(schema, ReflectionSlot.Schema.enums)
      where hasAny(Self.names, definition, ReflectionSlot.Enum.attributes) {
        self = .held
        return
      }
      for service in tables(schema, ReflectionSlot.Schema.services) {
        for call in tables(service, ReflectionSlot.Service.calls)
        where hasAny(Self.names, call, ReflectionSlot.Call.attributes) {
          self = .held
          return
        }
      }
      self = isOmitted ? .omitted : .unknown
    }
  }
}
