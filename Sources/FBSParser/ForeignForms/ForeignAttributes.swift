/// The names that other languages and databases have for the attributes of a schema.
package enum ForeignAttributes {
  /// The meaning of a name.
  package enum Meaning: Equatable {
    /// The attribute of the schema language with the same meaning.
    case attribute(String)
    /// The field may be absent. A schema says so with the default `null`.
    case optional
    /// A default. A schema writes it behind the type.
    case defaultValue
    /// A schema has no such attribute. The text says what to do instead.
    case nothing(advice: String)
  }

  /// The names of the attributes that need no declaration.
  package static let ofLanguage: Set<String> = [
    "id", "deprecated", "required", "key", "hash", "force_align", "bit_flags", "nested_flatbuffer", "flexbuffer",
    "shared", "csharp_partial", "streaming", "idempotent", "original_order", "private", "offset64", "vector64",
    "primary", "indexed", "unique", "v", "codable", "swift_name", "date", "duration", "uuid", "decimal", "url",
    "swift_type", "native_inline", "native_default", "native_custom_alloc", "native_type", "native_type_pack_name",
    "cpp_type", "cpp_ptr_type", "cpp_ptr_type_get", "cpp_str_type", "cpp_str_flex_ctor",
  ]

  /// Returns what a name means in other languages and databases, if it is no attribute of the schema language; nil if
  /// that is unknown.
  ///
  /// Letter case, underscores, hyphens and blanks make no difference: `PRIMARY KEY` is `primary_key`.
  package static func meaning(of name: String) -> Meaning? {
    let word = name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
    if let attribute = attributes[word] { return .attribute(attribute) }
    if optionals.contains(word) { return .optional }
    if defaults.contains(word) { return .defaultValue }
    return advice[word].map { .nothing(advice: $0) }
  }

  /// Returns `primary`, `indexed` or `unique` if a declared attribute was probably meant to be it: its name makes a key
  /// or an index in other languages and databases, or is a slip. Returns nil for all other names, which a schema may
  /// declare for other programs.
  package static func storeAttribute(resembling name: String) -> String? {
    let word = name.lowercased().filter { $0 != "_" && $0 != "-" }
    if let attribute = attributes[word], storeAttributes.contains(attribute) { return attribute }
    return slips[word]
  }

  private static let storeAttributes = ["primary", "indexed", "unique"]

  /// Names at a distance of one slip from the store's attributes.
  private static let slips = [
    "primry": "primary", "primay": "primary", "priamry": "primary", "prmary": "primary", "indexd": "indexed",
    "indxed": "indexed", "idnexed": "indexed", "uniqe": "unique", "uniqu": "unique", "uinque": "unique",
  ]

  private static let attributes = [
    "primary": "primary", "primarykey": "primary", "pk": "primary", "pkey": "primary", "isprimary": "primary",
    "index": "indexed", "indexes": "indexed", "indices": "indexed", "idx": "indexed", "dbindex": "indexed",
    "isindexed": "indexed", "indexed": "indexed", "createindex": "indexed",
    "unique": "unique", "uniquekey": "unique", "uniqueindex": "unique", "isunique": "unique", "uniq": "unique",
    "required": "required", "notnull": "required", "nonnull": "required", "notnil": "required",
    "mandatory": "required",
    "deprecated": "deprecated", "obsolete": "deprecated",
    "bitflags": "bit_flags", "flags": "bit_flags", "bitfield": "bit_flags", "bitmask": "bit_flags",
    "optionset": "bit_flags",
    "align": "force_align", "alignment": "force_align", "aligned": "force_align", "forcealign": "force_align",
    "nestedflatbuffer": "nested_flatbuffer", "nested": "nested_flatbuffer",
    "fieldid": "id", "fieldnumber": "id", "ordinal": "id",
    "encodable": "codable", "decodable": "codable",
    "swiftname": "swift_name", "version": "v",
  ]

  private static let optionals: Set<String> = [
    "optional", "nullable", "null", "isoptional", "maybe", "nilable", "canbenull",
  ]
  private static let defaults: Set<String> = ["default", "defaultvalue", "initial"]

  private static let advice: [String: String] = {
    let counter = "nothing counts up: the app sets the value, such as a UUID in a string"
    let reference =
      "there are no references: store the other object's primary key in this field, and mark it `(indexed)`"
    let check = "values are not checked by the schema: the app does it before it stores them"
    let comment = "write a line `/// ...` above it"
    return [
      "autoincrement": counter, "autoinc": counter, "serial": counter, "identity": counter, "generated": counter,
      "sequence": counter, "autogenerate": counter,
      "references": reference, "reference": reference, "foreignkey": reference, "fk": reference, "foreign": reference,
      "belongsto": reference, "hasone": reference, "hasmany": reference, "relation": reference,
      "cascade": reference, "ondelete": reference, "onetomany": reference, "manytoone": reference,
      "check": check, "min": check, "max": check, "minlength": check, "maxlength": check, "pattern": check,
      "regex": check, "validate": check, "email": check, "positive": check,
      "comment": comment, "doc": comment, "description": comment,
      "array": "a vector is written `[T]`", "repeated": "a vector is written `[T]`",
      "list": "a vector is written `[T]`",
      "unsigned": "write an unsigned type, such as `uint`",
    ]
  }()
}
