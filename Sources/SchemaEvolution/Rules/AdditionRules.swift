extension EvolutionRule {
  /// The rules about additions, which an older version of the app does not know, and drops when it changes an object.
  static let additionRules: [EvolutionRule] = [fieldAdded, enumValueAdded, unionMemberAdded]

  /// The part that the explanations of these rules share: when additions matter, and what to do.
  private static let remedy = """
    Where only one version of the app writes a file, nothing need be done. It matters where an older one may write it after \
    the new one has: an app and its extension or its helper that are updated one after the other, several apps of one group, \
    and an update that is taken back. Then first release a version that has the addition in its schema and does not store \
    it yet, and store it when no older version writes any more. Or keep the new data in objects of a root table of their \
    own, which an older version does not touch.
    """

  static let fieldAdded = EvolutionRule(
    id: "field-added", level: .storage, severity: .note,
    summary: "fields were appended, which an older version drops when it changes an object",
    explanation: """
      This is allowed: stored objects read as absent in the new fields, and older versions of the app read the rest of the \
      objects that have them. But a change request stores the whole object anew, as the version that makes it knows it. An \
      older version that changes an object, or upserts it, stores it without the new fields. Objects that it only reads or \
      deletes, and all others, stay as they are.

      \(remedy)
      """,
    reported: Example(
      old: "table Post { id: string (primary); title: string; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); title: string; likes: int; }\nroot_type Post;\n"),
    allowed: Example(
      old: [("post.fbs", "table Post { id: string (primary); title: string; }\nroot_type Post;\n")],
      new: [
        ("post.fbs", "table Post { id: string (primary); title: string; }\nroot_type Post;\n"),
        ("likes.fbs", "table Likes { post: string (primary); count: int; }\nroot_type Likes;\n"),
      ]))

  static let enumValueAdded = EvolutionRule(
    id: "enum-value-added", level: .storage, severity: .note,
    summary: "an enum has new values, which an older version replaces when it changes an object",
    explanation: """
      This is allowed. An older version of the app reads a value that it does not know as the default of the field, as \
      absent in an optional one, and in vectors and structs as the value 0, or the first that there is. When it changes \
      such an object, or upserts it, it stores what it has read: the finding says what that is, for each field that both \
      versions have. A field of the primary key takes the object to another key; one that is `unique` may make the change \
      fail.

      Sets of bits (`bit_flags`) are not reported: bits that a version does not know are kept.

      \(remedy)
      """,
    reported: Example(
      old: "enum Color: byte { red, green }\ntable Post { id: string (primary); color: Color; }\nroot_type Post;\n",
      new:
        "enum Color: byte { red, green, blue }\ntable Post { id: string (primary); color: Color; }\nroot_type Post;\n"),
    allowed: Example(
      old: """
        enum Colors: ubyte (bit_flags) { red, green }
        table Post { id: string (primary); colors: Colors; }
        root_type Post;

        """,
      new: """
        enum Colors: ubyte (bit_flags) { red, green, blue }
        table Post { id: string (primary); colors: Colors; }
        root_type Post;

        """))

  static let unionMemberAdded = EvolutionRule(
    id: "union-member-added", level: .storage, severity: .note,
    summary: "a union has new members, which an older version drops when it changes an object",
    explanation: """
      This is allowed. An older version of the app reads a member that it does not know as absent, and leaves it out of a \
      vector of the union. When it changes such an object, or upserts it, it stores what it has read: a field holds nothing \
      then, and a vector lacks the elements. The finding names each field that both versions have.

      \(remedy)
      """,
    reported: Example(
      old: """
        table Text { text: string; }
        union Content { Text }
        table Post { id: string (primary); contents: [Content]; }
        root_type Post;

        """,
      new: """
        table Text { text: string; }
        table Image { url: string; }
        union Content { Text, Image }
        table Post { id: string (primary); contents: [Content]; }
        root_type Post;

        """),
    allowed: Example(
      old: [
        (
          "post.fbs",
          """
          table Text { text: string; }
          union Content { Text }
          table Post { id: string (primary); contents: [Content]; }
          root_type Post;

          """
        )
      ],
      new: [
        (
          "post.fbs",
          """
          table Text { text: string; }
          union Content { Text }
          table Post { id: string (primary); contents: [Content]; }
          root_type Post;

          """
        ),
        ("image.fbs", "table Image { id: string (primary); post: string (indexed); url: string; }\nroot_type Image;\n"),
      ]))
}
