/// Types as other languages and formats call them, and what a schema has in their place.
enum ForeignTypes {
  /// What to write instead of a type.
  struct Replacement {
    let advice: String
    /// What a fix may write in place of the name, if that is all there is to do.
    let name: String?
  }

  /// What to write instead of a name that nothing defines; nil if it is no other language's type.
  static func replacement(for name: String) -> Replacement? {
    let word = name.lowercased()
    if let scalar = scalars[word] { return Replacement(advice: "write `\(scalar)`", name: scalar) }
    return advice[word].map { Replacement(advice: $0, name: nil) }
  }

  private static let scalars: [String: String] = [
    // C and C++
    "int8_t": "int8", "int16_t": "int16", "int32_t": "int32", "int64_t": "int64", "uint8_t": "uint8",
    "uint16_t": "uint16", "uint32_t": "uint32", "uint64_t": "uint64", "size_t": "uint64", "ssize_t": "int64",
    "float32_t": "float32", "float64_t": "float64", "unsigned": "uint", "signed": "int", "char": "byte",
    "uchar": "ubyte",
    // Rust, Go, C#, Swift, Java
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32",
    "u64": "uint64", "f32": "float32", "f64": "float64", "usize": "uint64", "isize": "int64", "sbyte": "byte",
    "uintptr": "uint64", "integer": "int", "boolean": "bool", "single": "float", "real": "double", "number": "double",
    // Protocol Buffers and Thrift
    "sint32": "int32", "sint64": "int64", "fixed32": "uint32", "fixed64": "uint64", "sfixed32": "int32",
    "sfixed64": "int64",
    // SQL
    "smallint": "short", "bigint": "long", "tinyint": "byte", "text": "string", "varchar": "string",
    "str": "string", "nsstring": "string", "cstring": "string", "utf8": "string",
    "bytes": "[ubyte]", "binary": "[ubyte]", "blob": "[ubyte]", "bytea": "[ubyte]", "nsdata": "[ubyte]",
    "data": "[ubyte]",
  ]

  private static let vector = "write `[T]`, where `T` is the type of the elements"
  private static let map = "there are no maps: write a vector of a table with a `key` field"
  private static let time = "write `long`, and its unit in a comment: milliseconds since 1970, for example"

  private static let advice: [String: String] = [
    "vector": vector, "vec": vector, "list": vector, "array": vector, "set": vector, "slice": vector,
    "sequence": vector,
    "repeated": vector, "nsarray": vector,
    "map": map, "dict": map, "dictionary": map, "hashmap": map, "hash": map, "nsdictionary": map,
    "date": time, "datetime": time, "time": time, "timestamp": time, "timestamptz": time, "instant": time,
    "uuid": "write `string`, or a struct of two `ulong`", "guid": "write `string`, or a struct of two `ulong`",
    "url": "write `string`", "uri": "write `string`",
    "decimal": "write `long` in the smallest unit, such as cents, or `string`",
    "money": "write `long` in the smallest unit, such as cents, or `string`",
    "any": "write a union of the tables that it may be", "variant": "write a union of the tables that it may be",
    "object": "write the name of a table", "void": "leave the field out", "null": "leave the field out",
    "complex": "write a struct of two `double`", "bit": "write `bool`",
  ]
}
