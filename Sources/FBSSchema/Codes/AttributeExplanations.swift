import FBSDiagnostics
import FBSParser

extension Explanation {
  /// The explanations of the codes about attributes.
  static let attributes: [Explanation] = [
    Explanation(
      .unknownAttribute,
      """
      An attribute is one of FlatBuffers' own, one of the store's (`primary`, `indexed`, `unique`, `v`, `codable`), or \
      declared with `attribute` above its first use, in the file or in one that it includes. Otherwise a slip of the \
      pen would have no effect, and nobody would notice.

      What databases and other languages have is answered with what a schema has: `index` is `indexed`, `primary_key` is \
      `primary`, `optional` is the default `null`, and `default` is a value behind the type. Nothing counts up, and there \
      are no references: the app sets such values itself.
      """,
      wrong: "table Post { title: string (depricated); }",
      right: "table Post { title: string (deprecated); }"),
    Explanation(
      .wrongAttributeValue,
      """
      An attribute's value is a whole number or a string, as the attribute asks: `id` and `force_align` take a number, \
      `v`, `hash` and `nested_flatbuffer` a string, and most take none. `indexed` and `unique` stand alone or with \
      `"folded"`. The message says what is allowed.
      """,
      wrong: "struct Point (force_align: 3) { x: float; y: float; }",
      right: "struct Point (force_align: 8) { x: float; y: float; }"),
    Explanation(
      .misplacedAttribute,
      """
      The attribute asks for something that what it stands on cannot do. A number is never absent, so it cannot be \
      `required`; a vector cannot be a `key`, and a table has one `key` at most; a struct's field cannot be \
      `deprecated`, since structs never change.
      """,
      wrong: "table Post { priority: int (required); }",
      right: "table Post { title: string (required); }"),
    Explanation(
      .idleAttribute,
      """
      The attribute is valid and does nothing here: it belongs on another kind of definition, or something else has its \
      effect already, or no root type leads to the table it stands in. It may be in the wrong place. Remove it, or move \
      it to where it works.

      An attribute that the schema declares itself does nothing for a store, even if its name means an index or key \
      elsewhere, such as `index` or `primary_key`. Give it a value if another program reads it, or write the store's \
      attribute beside it.
      """,
      wrong: "table Post (bit_flags) { title: string; }",
      right: """
        enum Flags: ubyte (bit_flags) { Read, Starred }
        table Post { flags: Flags; }
        """),
    Explanation(
      .duplicateAttribute,
      """
      An attribute was written twice on one thing. The last one counts, as it does for flatc; readers may go by the \
      first.
      """,
      wrong: "table Post { title: string (id: 1, id: 0); }",
      right: "table Post { title: string (id: 0); }"),
    Explanation(
      .wrongIDs,
      """
      An id is the place of a field in the data. If one field of a table has an id, all have, and together they are 0, \
      1, 2 and so on without a gap: a gap would be a place that nobody may use, which `deprecated` says better. A field \
      of a union type takes two, and its id is the second of them.
      """,
      wrong: """
        table Post {
          title: string (id: 0);
          text: string (id: 2);
        }
        """,
      right: """
        table Post {
          title: string (id: 0);
          text: string (id: 1);
        }
        """),
    Explanation(
      .contradictoryAttributes,
      """
      Two attributes exclude each other. A deprecated field is gone from every API, so it cannot be written or looked \
      up any more: it cannot be `required`, `key`, `primary`, `indexed` or `unique` as well. For a field of the primary \
      key there is no way back: make a new root table instead.
      """,
      wrong: "table Post { title: string (required, deprecated); }",
      right: "table Post { title: string (deprecated); }"),
  ]

  /// The explanations of the codes about a store's rules.
  static let store: [Explanation] = [
    Explanation(
      .cannotIndex,
      """
      An index holds one value for each object: a number, a bool, an enum, a string, or a struct that is one array of \
      `ubyte`; for a union, which member it holds. Of a vector of such values, it holds every element. An array, any other \
      struct, or a table has no single value, and neither have the elements of a vector of these or of unions. Index one of \
      the fields inside, or move what is searched for into a field of its own.

      A folded index, `(indexed: "folded")`, holds texts without differences of case and diacritics, so it stands on \
      strings and vectors of strings. Those that stand for another type, such as a UUID, are no texts for queries.

      The index of a vector is not `unique`: an element may stand in several objects, or no tag could be used twice. Give \
      values that belong to one object alone a root table of their own, with the value as its primary key.
      """,
      wrong: """
        table Post {
          title: string (primary);
          comments: [Comment] (indexed);
        }
        table Comment { author: string; text: string; }
        root_type Post;
        """,
      right: """
        table Post {
          title: string (primary);
          comments: [Comment];
          authors: [string] (indexed);
        }
        table Comment { author: string; text: string; }
        root_type Post;
        """),
    Explanation(
      .missingPrimaryKey,
      """
      A store finds, updates and deletes objects by their primary key, so a root table marks one field or more as \
      `(primary)`. Choose what never changes during an object's life. If the schema is not for a store, leave out the \
      emitters that need one: `--emit accessors`.
      """,
      wrong: """
        table Post { title: string; }
        root_type Post;
        """,
      right: """
        table Post { title: string (primary); }
        root_type Post;
        """),
    Explanation(
      .wrongPrimaryKey,
      """
      A primary key is made of numbers, bools, enums and strings that are always there, and of structs that are one array \
      of `ubyte`. A vector, any other struct, a table or a union has no single value, and an optional field may have none.
      """,
      wrong: """
        table Post {
          title: string (primary);
          tags: [string] (primary);
        }
        root_type Post;
        """,
      right: """
        table Post {
          title: string (primary);
          author: string (primary);
          tags: [string];
        }
        root_type Post;
        """),
    Explanation(
      .recursiveIndex,
      """
      Every way from the root table to an indexed field is an index of its own. If a table on the way contains itself, \
      there is no end to the ways. Take the index off, or keep the indexed field outside the circle.
      """,
      wrong: """
        table Post {
          title: string (primary);
          tree: Node;
        }
        table Node {
          left: Node;
          weight: int (indexed);
        }
        root_type Post;
        """,
      right: """
        table Post {
          title: string (primary);
          tree: Node;
          weight: int (indexed);
        }
        table Node {
          left: Node;
        }
        root_type Post;
        """),
    Explanation(
      .duplicateTableName,
      """
      Each root table has a table in SQLite, named after it in small letters, with its version if it has one. Two root \
      tables of one run with one name would write into each other's rows. The namespace is part of the name.
      """,
      wrong: Example(
        """
        table post { title: string (primary); }
        root_type post;
        """,
        beside: [
          .init(
            "other.fbs",
            """
            table Post { title: string (primary); }
            root_type Post;
            """)
        ]),
      right: Example(
        """
        table Page { title: string (primary); }
        root_type Page;
        """,
        beside: [
          .init(
            "other.fbs",
            """
            table Post { title: string (primary); }
            root_type Post;
            """)
        ])),
    Explanation(
      .wrongVersion,
      """
      A root table's version is part of its table's name in SQLite, so it is made of letters, digits, `_` and `.`. \
      Another version is another table: use it when old data is not to be read again.
      """,
      wrong: """
        table Post (v: "2-beta") { title: string (primary); }
        root_type Post;
        """,
      right: """
        table Post (v: "2.1") { title: string (primary); }
        root_type Post;
        """),
  ]
}
