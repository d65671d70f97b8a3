extension EvolutionRule {
  /// The rules about fields of tables.
  static let fieldRules: [EvolutionRule] = [
    fieldRemoved, fieldInserted, fieldType, fieldDefault, fieldOptional, fieldRequired, fieldUndeprecated, fieldRenamed,
    idChanged,
  ]

  static let fieldRemoved = EvolutionRule(
    id: "field-removed", level: .storage, severity: .error,
    summary: "a field is gone rather than deprecated",
    explanation: """
      What was stored in the field can no longer be read. Worse, its slot is free: the fields after it move into it, or the \
      next field that is appended does, and reads the old field's bytes as its own.

      Mark the field as deprecated instead. It then has no accessor, and its slot stays taken.
      """,
    reported: Example(
      old: "table Post { id: string (primary); likes: int; title: string; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); title: string; }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); likes: int; title: string; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); likes: int (deprecated); title: string; }\nroot_type Post;\n"))

  static let fieldInserted = EvolutionRule(
    id: "field-inserted", level: .storage, severity: .error,
    summary: "a field is not at the end",
    explanation: """
      Objects know their fields by number, which is the order of the text. A field that stands before others, or that was \
      moved, changes their numbers: each then reads the bytes of another.

      Append new fields at the end of the table. Where the order of the text matters, give every field an explicit id.
      """,
    reported: Example(
      old: "table Post { id: string (primary); title: string; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); likes: int; title: string; }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); title: string; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); title: string; likes: int; }\nroot_type Post;\n"))

  static let fieldType = EvolutionRule(
    id: "field-type", level: .storage, severity: .error,
    summary: "a field's type changed",
    explanation: """
      The bytes that are stored are of the old type, and nothing in them says so. Read as the new one they are other \
      numbers, other text, or no valid object at all. That holds for the elements of vectors, the length of arrays, for \
      scalars of another width or sign, and for a struct that became a table.

      A bool and an enum whose values are 0 and 1 in one byte are stored alike: where the one becomes the other, it is a \
      warning.

      Deprecate the field, and append one of the new type under another name.
      """,
    reported: Example(
      old: "table Post { id: string (primary); likes: int; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); likes: long; }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); likes: int; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); likes: int (deprecated); like_count: long; }\nroot_type Post;\n"))

  static let fieldDefault = EvolutionRule(
    id: "field-default", level: .storage, severity: .error,
    summary: "a default changed",
    explanation: """
      A field that holds its default is not stored at all: reading it gives the default of whoever reads. Objects that were \
      stored with the old default now read as the new one.

      Keep the default in the schema, and set the new one where objects are made.
      """,
    reported: Example(
      old: "table Post { id: string (primary); priority: int = 0; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); priority: int = 5; }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); priority: int = 0; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); priority: int; }\nroot_type Post;\n"))

  static let fieldOptional = EvolutionRule(
    id: "field-optional", level: .storage, severity: .error,
    summary: "a scalar became optional, or stopped being so",
    explanation: """
      A scalar with a default is not stored when it holds the default; an optional one (`= null`) is not stored when there \
      is none. So an absent field that meant the default now means nothing, or the other way round.

      Deprecate the field, and append another.
      """,
    reported: Example(
      old: "table Post { id: string (primary); likes: int; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); likes: int = null; }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); likes: int; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); likes: int; exact_likes: int = null; }\nroot_type Post;\n"))

  static let fieldRequired = EvolutionRule(
    id: "field-required", level: .storage, severity: .error,
    summary: "`required` was added or removed",
    explanation: """
      An object without a required field is refused as a whole. If `required` is added, objects stored without the field are \
      refused; if it is removed, older versions of the app refuse what newer ones write. An appended field cannot be \
      required either, since no stored object has it.

      Leave `required` as it is, and check for the field in code.
      """,
    reported: Example(
      old: "table Post { id: string (primary); title: string; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); title: string (required); }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); title: string; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); title: string; subtitle: string; }\nroot_type Post;\n"))

  static let fieldUndeprecated = EvolutionRule(
    id: "field-undeprecated", level: .storage, severity: .error,
    summary: "`deprecated` was taken back",
    explanation: """
      Objects from before the field was deprecated still hold its bytes. They would come back, years old, beside those that \
      were written without it; a new meaning for the slot would read them as something they are not.

      Leave the field deprecated, and append a new one.
      """,
    reported: Example(
      old: "table Post { id: string (primary); likes: int (deprecated); }\nroot_type Post;\n",
      new: "table Post { id: string (primary); likes: int; }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); likes: int (deprecated); }\nroot_type Post;\n",
      new: "table Post { id: string (primary); likes: int (deprecated); like_count: int; }\nroot_type Post;\n"))

  static let fieldRenamed = EvolutionRule(
    id: "field-renamed", level: .source, severity: .warning,
    summary: "a field has another name",
    explanation: """
      Stored objects do not hold the names of fields: the data is safe. Code that uses the old name stops building, and JSON \
      that was written with it is no longer understood.

      Rename it in the code in the same change.
      """,
    reported: Example(
      old: "table Post { id: string (primary); likes: int; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); like_count: int; }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); likes: int; }\nroot_type Post;\n",
      new: "table Post {\n  id: string (primary);\n  /// How many people like it.\n  likes: int;\n}\nroot_type Post;\n")
  )

  static let idChanged = EvolutionRule(
    id: "id-changed", level: .storage, severity: .error,
    summary: "an explicit id changed",
    explanation: """
      The id is the number by which stored objects know the field. With another one it reads the bytes of another field, or \
      none.

      Put the old id back. New fields take the next free one.
      """,
    reported: Example(
      old: "table Post { a: int (id: 0); b: int (id: 1); }\nroot_type Post;\n",
      new: "table Post { a: int (id: 1); b: int (id: 0); }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { a: int (id: 0); b: int (id: 1); }\nroot_type Post;\n",
      new: "table Post { b: int (id: 1); a: int (id: 0); c: int (id: 2); }\nroot_type Post;\n"))
}
