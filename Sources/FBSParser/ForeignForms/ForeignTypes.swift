/// Types as other languages and formats call them, and what a schema has in their place.
package enum ForeignTypes {
  /// The advice for a type's name of another language.
  package struct Replacement {
    /// The instruction to the user, such as "write `int`".
    package let advice: String
    /// The name that a fix writes instead; nil if more has to be changed than the name.
    package let name: String?
  }

  /// The names of the types that the language has, with which no definition may be confused.
  static let builtin: Set<String> = [
    "bool", "byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "int8", "uint8",
    "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64", "string",
  ]

  /// Returns whether a word is a type of the schema language or of another one, whatever its letter case.
  static func isType(_ word: String) -> Bool {
    let word = word.lowercased()
    return builtin.contains(word) || scalars[word] != nil || advice[word] != nil
  }

  /// Returns whether a word is a number or bool, in the schema language or in another one.
  static func isNumber(_ word: String) -> Bool {
    let word = word.lowercased()
    let name = builtin.contains(word) ? word : scalars[word] ?? "string"
    return name != "string" && !name.hasPrefix("[")
  }

  /// Returns the schema's name of a type that C or SQL write as two words, such as `unsigned int`; nil if the two words
  /// are none.
  static func compound(_ first: String, _ second: String) -> String? {
    compounds["\(first.lowercased()) \(second.lowercased())"]
  }

  private static let compounds = [
    "unsigned int": "uint", "unsigned long": "ulong", "unsigned short": "ushort", "unsigned char": "ubyte",
    "signed int": "int", "signed long": "long", "signed short": "short", "signed char": "byte", "long long": "long",
    "long int": "long", "short int": "short", "long double": "double", "double precision": "double",
    "character varying": "string", "int unsigned": "uint", "bigint unsigned": "ulong",
  ]

  /// Returns the advice for a name that nothing defines; nil if it is not the name of another language's type.
  package static func replacement(for name: String) -> Replacement? {
    let word = name.lowercased()
    if builtin.contains(word), word != name { return Replacement(advice: "write `\(word)`", name: word) }
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
  private static let time = "write `long (date: \"ms\")`, which counts milliseconds since 1970"

  private static let advice: [String: String] = [
    "vector": vector, "vec": vector, "list": vector, "array": vector, "set": vector, "slice": vector,
    "sequence": vector,
    "repeated": vector, "nsarray": vector,
    "map": map, "dict": map, "dictionary": map, "hashmap": map, "hash": map, "nsdictionary": map,
    "date": time, "datetime": time, "time": time, "timestamp": time, "timestamptz": time, "instant": time,
    "duration": "write `long (duration: \"ms\")`, which counts milliseconds",
    "uuid": "write `string (uuid)`", "guid": "write `string (uuid)`",
    "url": "write `string (url)`", "uri": "write `string (url)`",
    "decimal": "write `long (decimal: \"2\")`, which counts hundredths",
    "money": "write `long (decimal: \"2\")`, which counts hundredths",
    "any": "write a union of the tables that it may be", "variant": "write a union of the tables that it may be",
    "object": "write the name of a table", "void": "leave the field out", "null": "leave the field out",
    "id": "write `string`, or `ulong` for numbers that the app gives",
    "serial": "write `long`: nothing counts it up, so the app sets it",
    "bigserial": "write `long`: nothing counts it up, so the app sets it",
    "json": "write a table, or `[ubyte] (flexbuffer)` for what has no schema",
    "jsonb": "write a table, or `[ubyte] (flexbuffer)` for what has no schema",
    "unknown": "write a union of the tables that it may be",
    "tuple": "write a struct or a table", "pair": "write a struct or a table",
    "complex": "write a struct of two `double`", "bit": "write `bool`",
  ]
}
