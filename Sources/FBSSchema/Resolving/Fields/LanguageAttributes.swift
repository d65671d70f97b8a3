/// The kind of declaration that an attribute stands on.
package enum AttributePlace: String {
  case table, structure, enumeration, union, field, structField, enumValue, unionMember, service, method

  /// The kind as part of a sentence.
  var text: String {
    switch self {
    case .table: "a table"
    case .structure: "a struct"
    case .enumeration: "an enum"
    case .union: "a union"
    case .field: "a table's field"
    case .structField: "a struct's field"
    case .enumValue: "an enum's value"
    case .unionMember: "a union's member"
    case .service: "a service"
    case .method: "a method"
    }
  }
}

/// The rule for one of the language's own attributes.
struct AttributeRule {
  /// The kind of value that the attribute takes.
  enum ValueRule: Equatable {
    case none, string, any
    /// No value, or one of these strings.
    case optional([String])
  }

  let places: [AttributePlace]
  let value: ValueRule

  private static let types: [AttributePlace] = [.table, .structure, .enumeration, .union]
  private static let anywhere: [AttributePlace] =
    types + [.field, .structField, .enumValue, .unionMember, .service, .method]

  /// Returns the attributes of the language that mean something on a place, by name, each with whether it takes a string.
  static func names(on place: AttributePlace) -> [(name: String, takesString: Bool)] {
    known.filter { $0.value.places.contains(place) }.sorted { $0.key < $1.key }
      .map { ($0.key, $0.value.value == .string) }
  }

  /// The attributes that need no declaration. Those for C++ and C# mean nothing here and are kept for plug-ins.
  static let known: [String: AttributeRule] = {
    var rules: [String: AttributeRule] = [
      "id": .init(places: [.field], value: .any),
      "deprecated": .init(places: [.field, .structField], value: .any),
      "required": .init(places: [.field, .structField], value: .any),
      "key": .init(places: [.field, .structField], value: .any),
      "hash": .init(places: [.field, .structField], value: .string),
      "force_align": .init(places: [.structure, .field], value: .any),
      "bit_flags": .init(places: [.enumeration], value: .any),
      "nested_flatbuffer": .init(places: [.field, .structField], value: .string),
      "flexbuffer": .init(places: [.field, .structField], value: .any),
      "shared": .init(places: [.field, .structField], value: .any),
      "csharp_partial": .init(places: [.table, .structure], value: .any),
      "streaming": .init(places: [.method], value: .any),
      "idempotent": .init(places: [.method], value: .any),
      "original_order": .init(places: [.table], value: .any),
      "private": .init(places: types, value: .any),
      "offset64": .init(places: [.field, .structField], value: .any),
      "vector64": .init(places: [.field, .structField], value: .any),
      "primary": .init(places: [.field], value: .none),
      "indexed": .init(places: [.field, .structField], value: .optional([Attribute.folded])),
      "unique": .init(places: [.field, .structField], value: .optional([Attribute.folded])),
      "v": .init(places: [.table], value: .string),
      "codable": .init(places: types, value: .none),
      "swift_name": .init(
        places: types + [.field, .structField, .enumValue, .unionMember], value: .string),
    ]
    for name in ValueMapping.attributeNames { rules[name] = .init(places: [.field, .structField], value: .any) }
    for name in [
      "native_inline", "native_default", "native_custom_alloc", "native_type", "native_type_pack_name", "cpp_type",
      "cpp_ptr_type", "cpp_ptr_type_get", "cpp_str_type", "cpp_str_flex_ctor",
    ] {
      rules[name] = .init(places: anywhere, value: .any)
    }
    return rules
  }()
}

extension AttributePlace {
  /// The attributes of the language that mean something here, by name, each with whether it takes a string.
  package var attributes: [(name: String, takesString: Bool)] { AttributeRule.names(on: self) }
}

extension BuiltinType {
  /// The names of the number types, bool and string, as schemas write them.
  static var allNames: [String] { names.map(\.name) }
}

extension Schema {
  /// The names of the types that need no definition: those of numbers, bool and string.
  package static var builtinTypeNames: [String] { BuiltinType.allNames }
}
