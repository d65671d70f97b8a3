extension EvolutionRule {
  /// The rules about attributes that change bytes, or how they are looked up.
  static let attributeRules: [EvolutionRule] = [
    fileIdentifier, forceAlign, hash, key, nestedFlatbuffer, offset64, shared, valueUnit, valueType,
  ]

  static let fileIdentifier = EvolutionRule(
    id: "file-identifier", level: .storage, severity: .error,
    summary: "the file identifier changed",
    explanation: """
      The four bytes are written into every finished buffer. A reader that asks for another identifier refuses them, and so \
      does one that asks for any, if they are missing.

      Put the identifier back.
      """,
    reported: Example(
      old: "table Post { id: string (primary); }\nroot_type Post;\nfile_identifier \"POST\";\n",
      new: "table Post { id: string (primary); }\nroot_type Post;\nfile_identifier \"PST2\";\n"),
    allowed: Example(
      old: "table Post { id: string (primary); }\nroot_type Post;\nfile_identifier \"POST\";\n",
      new:
        "table Post { id: string (primary); }\nroot_type Post;\nfile_identifier \"POST\";\nfile_extension \"post\";\n"))

  static let forceAlign = EvolutionRule(
    id: "force-align", level: .storage, severity: .error,
    summary: "`force_align` changed",
    explanation: """
      The alignment of a struct decides where it may stand, how large it is, and how far the structs of a vector lie apart. \
      Buffers written under another alignment are refused, or misread.

      Put the alignment back, or make a new struct. On a vector, the data reads the same, and code that relies on the \
      alignment may not: there the finding is a warning.
      """,
    reported: Example(
      old: "struct Point { x: float; y: float; }\ntable Post { at: Point; }\nroot_type Post;\n",
      new: "struct Point (force_align: 16) { x: float; y: float; }\ntable Post { at: Point; }\nroot_type Post;\n"),
    allowed: Example(
      old: "struct Point { x: float; y: float; }\ntable Post { at: Point; }\nroot_type Post;\n",
      new: "struct Point (force_align: 4) { x: float; y: float; }\ntable Post { at: Point; }\nroot_type Post;\n"))

  static let hash = EvolutionRule(
    id: "hash", level: .storage, severity: .error,
    summary: "`hash` changed",
    explanation: """
      In JSON, text for the field is hashed into its number. Under another algorithm the same text is another number, so what \
      was stored is no longer found by it. The stored numbers themselves read the same: no object shows the change.

      Keep the algorithm, or append a field for the new one.
      """,
    reported: Example(
      old: "table Post { tag: uint (hash: \"fnv1_32\"); }\nroot_type Post;\n",
      new: "table Post { tag: uint (hash: \"fnv1a_32\"); }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { tag: uint (hash: \"fnv1_32\"); }\nroot_type Post;\n",
      new: """
        table Post { tag: uint (hash: "fnv1_32"); new_tag: uint (hash: "fnv1a_32"); }
        root_type Post;

        """))

  static let key = EvolutionRule(
    id: "key", level: .storage, severity: .error,
    summary: "`key` changed",
    explanation: """
      Vectors of tables or structs are sorted by their key, so that one can be looked up by halves. Stored vectors are sorted \
      by the old key, or not at all: a look-up by the new one misses what is there. Reading the vector from its start works, \
      so that no object shows the change.

      Keep the key, and search vectors by other fields from the start.
      """,
    reported: Example(
      old: "table Tag { id: int (key); rank: int; }\ntable Post { tags: [Tag]; }\nroot_type Post;\n",
      new: "table Tag { id: int; rank: int (key); }\ntable Post { tags: [Tag]; }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Tag { id: int (key); rank: int; }\ntable Post { tags: [Tag]; }\nroot_type Post;\n",
      new: "table Tag { number: int (key); rank: int; }\ntable Post { tags: [Tag]; }\nroot_type Post;\n"))

  static let nestedFlatbuffer = EvolutionRule(
    id: "nested-flatbuffer", level: .storage, severity: .error,
    summary: "`nested_flatbuffer` or `flexbuffer` changed",
    explanation: """
      The attribute says what the bytes of a vector hold. Under another one, bytes that are stored are read as a table that \
      they are not, or refused.

      Leave it as it is, and append a vector for the new content.
      """,
    reported: Example(
      old: "table A { x: int; }\ntable Post { data: [ubyte]; }\nroot_type Post;\n",
      new: "table A { x: int; }\ntable Post { data: [ubyte] (nested_flatbuffer: \"A\"); }\nroot_type Post;\n"),
    allowed: Example(
      old: "table A { x: int; }\ntable Post { data: [ubyte] (nested_flatbuffer: \"A\"); }\nroot_type Post;\n",
      new: "table B { x: int; }\ntable Post { data: [ubyte] (nested_flatbuffer: \"B\"); }\nroot_type Post;\n"))

  static let offset64 = EvolutionRule(
    id: "offset64", level: .storage, severity: .error,
    summary: "`offset64` or `vector64` changed",
    explanation: """
      With either attribute a field's slot holds a 64-bit offset rather than one of 32 bits; with `vector64` the vector's length \
      has 64 bits, too. Stored fields are read with the wrong width: what stands beside them becomes part of an offset or a \
      length, so that they are refused, or read from elsewhere.

      Put the attribute back, or deprecate the field and append one.
      """,
    reported: Example(
      old: "table Post { data: [ubyte]; }\nroot_type Post;\n",
      new: "table Post { data: [ubyte] (offset64); }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { data: [ubyte]; }\nroot_type Post;\n",
      new: "table Post { data: [ubyte] (deprecated); large: [ubyte] (offset64); }\nroot_type Post;\n"))

  static let shared = EvolutionRule(
    id: "shared", level: .storage, severity: .warning,
    summary: "`shared` changed",
    explanation: """
      A shared string is stored once, however many fields of a buffer hold it. Buffers become smaller or larger, and are \
      other bytes for the same content, which matters to who compares or hashes them. Every reader reads both.

      Silence the finding if nothing compares the bytes.
      """,
    reported: Example(
      old: "table Post { tag: string; }\nroot_type Post;\n",
      new: "table Post { tag: string (shared); }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { tag: string (shared); }\nroot_type Post;\n",
      new: "table Post { tag: string (shared); note: string; }\nroot_type Post;\n"))

  static let valueUnit = EvolutionRule(
    id: "value-unit", level: .storage, severity: .error,
    summary: "the numbers of a field count something else",
    explanation: """
      `date`, `duration` and `decimal` say what a field's numbers count. Stored numbers stay as they are: under another unit, \
      they are other dates, durations and amounts, and nothing converts them.

      Keep the unit, deprecate the field, and append one with the new unit.

      Where texts become UUIDs or URLs, the finding is a warning: those of another form, such as a UUID with capitals, read as \
      none, and no query for a UUID finds them.
      """,
    reported: Example(
      old: "table Post { id: string (primary); created: long (date: \"s\"); }\nroot_type Post;\n",
      new: "table Post { id: string (primary); created: long (date: \"ms\"); }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); created: long (date: \"s\"); }\nroot_type Post;\n",
      new: """
        table Post {
          id: string (primary);
          created: long (date: "s", deprecated);
          created_at: long (date: "ms");
        }
        root_type Post;

        """))

  static let valueType = EvolutionRule(
    id: "value-type", level: .source, severity: .warning,
    summary: "a field stands for another type of Swift",
    explanation: """
      The property was a number or string and is a `Date`, say, or the other way round. Stored bytes are the same under both. \
      Code that uses the property stops building; and only you know whether the numbers that are stored count what the \
      attribute says.

      Change the code with the schema. If the stored numbers count something else, choose the unit that they count.
      """,
    reported: Example(
      old: "table Post { id: string (primary); created: long; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); created: long (date: \"ms\"); }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); created: long; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); created: long; edited: long (date: \"ms\"); }\nroot_type Post;\n"))
}
