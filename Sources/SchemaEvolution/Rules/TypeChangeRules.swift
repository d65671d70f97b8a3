extension EvolutionRule {
  /// The rules about structs, enums, unions, and types as a whole.
  static let typeRules: [EvolutionRule] = [
    structLayout, enumValue, enumRenamed, enumType, unionMember, typeRemoved, typeKind, typeRenamed, codable,
  ]

  static let structLayout = EvolutionRule(
    id: "struct-layout", level: .storage, severity: .error,
    summary: "the layout of a struct changed",
    explanation: """
      A struct is a run of bytes without any description: its fields have fixed places, and a vector of structs is one after \
      another. Nothing may be added, removed, moved or changed, not even at the end. Only names may.

      Make a new struct, deprecate the fields that hold the old one, and append fields of the new one. If a type may grow, \
      make it a table.

      A field in bytes that were padding before does not change what is there: the finding is a warning, since those bytes \
      need not be zero.
      """,
    reported: Example(
      old: "struct Point { x: float; y: float; }\ntable Post { at: Point; }\nroot_type Post;\n",
      new: "struct Point { x: float; y: float; z: float; }\ntable Post { at: Point; }\nroot_type Post;\n"),
    allowed: Example(
      old: "struct Point { x: float; y: float; }\ntable Post { at: Point; }\nroot_type Post;\n",
      new: """
        struct Point { x: float; y: float; }
        struct Place { x: float; y: float; z: float; }
        table Post { at: Point (deprecated); place: Place; }
        root_type Post;

        """))

  static let enumValue = EvolutionRule(
    id: "enum-value", level: .storage, severity: .error,
    summary: "a value's number changed, or a value is gone",
    explanation: """
      Stored objects hold the numbers of enum values. A number without a value reads as something unknown, and a number that \
      belongs to another value now reads as that.

      Keep every value with its number, also those that are no longer used. New values take new numbers: write the numbers \
      out, or append at the end.
      """,
    reported: Example(
      old: "enum Color: byte { red, green }\ntable Post { color: Color; }\nroot_type Post;\n",
      new: "enum Color: byte { red, blue, green }\ntable Post { color: Color; }\nroot_type Post;\n"),
    allowed: Example(
      old: "enum Color: byte { red, green }\ntable Post { color: Color; }\nroot_type Post;\n",
      new: "enum Color: byte { red, green, blue }\ntable Post { color: Color; }\nroot_type Post;\n"))

  static let enumRenamed = EvolutionRule(
    id: "enum-renamed", level: .source, severity: .warning,
    summary: "an enum's value, or a union's member, has another name",
    explanation: """
      Stored objects hold numbers and not names: the data is safe. Code that uses the old name stops building, and JSON that \
      was written with it is no longer understood. The same is true of one of several names of a number that is removed. One \
      that is no longer the first of them is an alias in Swift, which a `switch` over all cases may not name.

      Rename it in the code in the same change. While code changes, a new name may stand after the old one, with its number.
      """,
    reported: Example(
      old: "enum Color: byte { red, green }\ntable Post { color: Color; }\nroot_type Post;\n",
      new: "enum Color: byte { red, lime }\ntable Post { color: Color; }\nroot_type Post;\n"),
    allowed: Example(
      old: "enum Color: byte { red, green }\ntable Post { color: Color; }\nroot_type Post;\n",
      new: "enum Color: byte { red = 0, green = 1 }\ntable Post { color: Color; }\nroot_type Post;\n"))

  static let enumType = EvolutionRule(
    id: "enum-type", level: .storage, severity: .error,
    summary: "the type of an enum's numbers, or `bit_flags`, changed",
    explanation: """
      Every field of the enum changes its width or sign with it. With `bit_flags`, the number of a value is a bit rather than \
      its place, and fields hold sets of values.

      Make a new enum, deprecate the fields of the old one, and append fields of the new one.
      """,
    reported: Example(
      old: "enum Color: byte { red, green }\ntable Post { color: Color; }\nroot_type Post;\n",
      new: "enum Color: int { red, green }\ntable Post { color: Color; }\nroot_type Post;\n"),
    allowed: Example(
      old: "enum Color: byte { red, green }\ntable Post { color: Color; }\nroot_type Post;\n",
      new: """
        enum Color: byte { red, green }
        enum Tint: int { red, green }
        table Post { color: Color (deprecated); tint: Tint; }
        root_type Post;

        """))

  static let unionMember = EvolutionRule(
    id: "union-member", level: .storage, severity: .error,
    summary: "a union's member is gone, has another type code, or is another type",
    explanation: """
      Stored objects hold the type code of the member. Without a member of that code the value cannot be read; with another \
      member it is read as a type that it is not.

      Keep every member with its code, also those that are no longer used, and append new ones at the end.
      """,
    reported: Example(
      old: "table A {}\ntable B {}\nunion U { A, B }\ntable Post { u: U; }\nroot_type Post;\n",
      new: "table A {}\ntable B {}\nunion U { B, A }\ntable Post { u: U; }\nroot_type Post;\n"),
    allowed: Example(
      old: "table A {}\ntable B {}\nunion U { A }\ntable Post { u: U; }\nroot_type Post;\n",
      new: "table A {}\ntable B {}\nunion U { A, B }\ntable Post { u: U; }\nroot_type Post;\n"))

  static let typeRemoved = EvolutionRule(
    id: "type-removed", level: .storage, severity: .error,
    summary: "a type that stored objects hold is gone",
    explanation: """
      Some field, union or root of the old version leads to the type, so stored objects may hold it, and nothing in the new \
      version can read it.

      Keep the type as long as a field leads to it, also a deprecated one. A type that has another name is a rename, and not \
      gone. Nor is a type gone that moved to another file, or that only a file defines which is no longer included.

      If nothing in the given files holds the type, it is a warning: a file that holds it needs it, and is checked itself.
      """,
    reported: Example(
      old: "table Note { text: string; }\ntable Post { id: string (primary); note: Note; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Note { text: string; }\ntable Post { id: string (primary); note: Note; }\nroot_type Post;\n",
      new: """
        table Note { text: string; }
        table Post { id: string (primary); note: Note (deprecated); }
        root_type Post;

        """))

  static let typeKind = EvolutionRule(
    id: "type-kind", level: .storage, severity: .error,
    summary: "a name now means another kind of type",
    explanation: """
      A struct lies in the object that holds it, a table is referred to, an enum is a number, and a union is two fields. What \
      was stored as one kind is no valid other.

      Give the new type a name of its own, deprecate the fields of the old one, and append fields of the new one.
      """,
    reported: Example(
      old: "struct Point { x: float; }\ntable Post { at: Point; }\nroot_type Post;\n",
      new: "table Point { x: float; }\ntable Post { at: Point; }\nroot_type Post;\n"),
    allowed: Example(
      old: "struct Point { x: float; }\ntable Post { at: Point; }\nroot_type Post;\n",
      new: """
        struct Point { x: float; }
        table Place { x: float; }
        table Post { at: Point (deprecated); place: Place; }
        root_type Post;

        """))

  static let typeRenamed = EvolutionRule(
    id: "type-renamed", level: .source, severity: .warning,
    summary: "a type has another name",
    explanation: """
      Stored objects do not hold the names of types: what a field holds is known by the way that leads to it. The data is \
      safe; code that uses the old name stops building. A type in another namespace has another name in Swift, too; one that \
      only moved to another file is not reported.

      Rename it in the code in the same change.
      """,
    reported: Example(
      old: "table Note { text: string; }\ntable Post { note: Note; }\nroot_type Post;\n",
      new: "table Remark { text: string; }\ntable Post { note: Remark; }\nroot_type Post;\n"),
    allowed: Example(
      old: [("post.fbs", "table Note { text: string; }\ntable Post { note: Note; }\nroot_type Post;\n")],
      new: [
        ("post.fbs", "include \"note.fbs\";\ntable Post { note: Note; }\nroot_type Post;\n"),
        ("note.fbs", "table Note { text: string; }\n"),
      ]))

  static let codable = EvolutionRule(
    id: "codable", level: .source, severity: .warning,
    summary: "a type is `codable` no more",
    explanation: """
      The Swift type, and all that it holds, was `Codable`. Stored objects do not depend on that and are safe; code that \
      encodes or decodes such values stops building.

      Put the attribute back, or take that code away in the same change.
      """,
    reported: Example(
      old: "table Post (codable) { id: string (primary); }\nroot_type Post;\n",
      new: "table Post { id: string (primary); }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Note (codable) { x: int; }\ntable Post { id: string (primary); note: Note; }\nroot_type Post;\n",
      new: "table Note { x: int; }\ntable Post (codable) { id: string (primary); note: Note; }\nroot_type Post;\n"))
}
