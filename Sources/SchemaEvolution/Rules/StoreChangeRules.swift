extension EvolutionRule {
  /// The rules about the tables, keys and indexes of a store.
  static let storeRules: [EvolutionRule] = [
    primaryKey, tableRenamed, tableCollision, rootType, uniqueAdded, indexAdded, indexRemoved, versionRequired,
  ]

  static let primaryKey = EvolutionRule(
    id: "primary-key", level: .storage, severity: .error,
    summary: "the primary key changed",
    explanation: """
      The columns of the primary key are made with the store's table, and every object is found by them. A table with other \
      columns cannot be read, and cannot be changed: this is the one thing, beyond FlatBuffers' own rules, that may never \
      change. That holds for adding and removing fields of the key, for their order and for their types.

      Put the key back. If it must change, give the table a new version, `(v: "2")`: it then has a new, empty table, and the \
      app copies what it needs.
      """,
    reported: Example(
      old: "table Post { id: string (primary); title: string; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); title: string (primary); }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); title: string; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); title: string (unique); }\nroot_type Post;\n"))

  static let tableRenamed = EvolutionRule(
    id: "table-renamed", level: .storage, severity: .error,
    summary: "the root table has another name on disk",
    explanation: """
      The store's table is named after the root table: its namespace and name in small letters, and its version `v`. Under \
      another name there is a new, empty table, and the objects stored so far stay behind, unseen.

      Put the name, the namespace and the version back. The names of other tables, and capitals, may change.
      """,
    reported: Example(
      old: "table Post { id: string (primary); }\nroot_type Post;\n",
      new: "table Article { id: string (primary); }\nroot_type Article;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); }\nroot_type Post;\n",
      new: "table POST { id: string (primary); }\nroot_type POST;\n"))

  static let tableCollision = EvolutionRule(
    id: "table-collision", level: .storage, severity: .error,
    summary: "two root tables have one name on disk",
    explanation: """
      The store's tables are named after root tables in small letters, and SQLite does not tell small letters from capitals. \
      Two root tables of one name would write their objects into one table, and read each other's.

      Rename one of them, move it to another namespace, or give it a version: `(v: "1")`.
      """,
    reported: Example(
      old: [("post.fbs", "table Post { id: string (primary); }\nroot_type Post;\n")],
      new: [
        ("post.fbs", "table Post { id: string (primary); }\nroot_type Post;\n"),
        ("posts.fbs", "table POST { id: int (primary); }\nroot_type POST;\n"),
      ]),
    allowed: Example(
      old: [("post.fbs", "table Post { id: string (primary); }\nroot_type Post;\n")],
      new: [
        ("post.fbs", "table Post { id: string (primary); }\nroot_type Post;\n"),
        ("posts.fbs", "table Posts { id: int (primary); }\nroot_type Posts;\n"),
      ]))

  static let rootType = EvolutionRule(
    id: "root-type", level: .storage, severity: .error,
    summary: "`root_type` is gone, or names another table",
    explanation: """
      The root type says which table an object is. With another one, stored objects are read as a table that they are not, and \
      the store looks for them in another place.

      Put the root type back. For objects of another kind, write another file with a root type of its own.
      """,
    reported: Example(
      old: "table Post { id: string (primary); }\ntable Note { id: string (primary); }\nroot_type Post;\n",
      new: "table Post { id: string (primary); }\ntable Note { id: string (primary); }\nroot_type Note;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); }\nroot_type Post;\n",
      new: "root_type Post;\ntable Post { id: string (primary); }\n"))

  static let uniqueAdded = EvolutionRule(
    id: "unique-added", level: .storage, severity: .warning,
    summary: "`unique` on a field whose stored data may violate it",
    explanation: """
      Objects that were stored before may hold the same value twice. The index then cannot be completed, which the workspace \
      reports to its error handler, and refuses no duplicate until the app has repaired those. On a field that is already \
      indexed, the index in existing files stays one that allows duplicates.

      `unique: "folded"` refuses texts that differ in case and diacritics alone, such as `Café` and `cafe`: stored objects may \
      hold both, also if the field is `unique` already.

      If you know that the values are unique, silence the finding where it is. Otherwise append a new field for the unique \
      value: strings and optional scalars that are absent do not collide.
      """,
    reported: Example(
      old: "table Post { id: string (primary); slug: string; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); slug: string (unique); }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); title: string; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); title: string; slug: string (unique); }\nroot_type Post;\n"))

  static let indexAdded = EvolutionRule(
    id: "index-added", level: .storage, severity: .note,
    summary: "an index was added",
    explanation: """
      This is allowed. The store makes the index when it first opens the table, and fills it in the background; queries are \
      right meanwhile, and slower.

      An index of folded texts, or of the elements of a vector, is one beside that of the values: the finding names it as it \
      is on disk, such as `f4__folded15` or `f6__elements`. 15 is the version of Unicode by which dflat folds texts. A version of \
      dflat that folds by another one makes an index of another name.
      """,
    reported: Example(
      old: "table Post { id: string (primary); title: string; }\nroot_type Post;\n",
      new: "table Post { id: string (primary); title: string (indexed); }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); title: string (indexed); }\nroot_type Post;\n",
      new: "table Post { id: string (primary); name: string (indexed); }\nroot_type Post;\n"))

  static let indexRemoved = EvolutionRule(
    id: "index-removed", level: .storage, severity: .note,
    summary: "an index was removed",
    explanation: """
      This is allowed. Queries on the field look at every object from now on. The first write of this version drops the index \
      from the file; a version of the app that has it makes it anew, in the background.

      `unique` that becomes `indexed` is reported here as a warning. The index is made anew at the first write, and allows \
      duplicates from then on; with some stored, versions of the app that still say `unique` leave theirs unused, and tell \
      the error handler.

      `indexed` that becomes `indexed: "folded"` is one index that is removed and another one that is added: it answers \
      queries by `title.folded`, and no longer those by `title`. Both may stand on one field: `(indexed, unique: "folded")`.
      """,
    reported: Example(
      old: "table Post { id: string (primary); title: string (indexed); }\nroot_type Post;\n",
      new: "table Post { id: string (primary); title: string; }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post { id: string (primary); title: string (indexed); }\nroot_type Post;\n",
      new: "table Post { id: string (primary); title: string (indexed); likes: int; }\nroot_type Post;\n"))

  static let versionRequired = EvolutionRule(
    id: "version-required", level: .storage, severity: .warning,
    summary: "changes that stored objects do not survive, under a new version",
    explanation: """
      The root table has a new `v`, and so a new, empty table in the store. What changed under it would have broken stored \
      objects; as it is, they are left in the table of the old version on purpose, and this finding stands for all the others \
      of the table.

      Have the app copy what it needs from the old version's table, which a schema with the old `v` still reads. If nothing \
      but `v` changed, take it back: see table-renamed.
      """,
    reported: Example(
      old: "table Post (v: \"1\") { id: string (primary); likes: int; }\nroot_type Post;\n",
      new: "table Post (v: \"2\") { id: string (primary); likes: long; }\nroot_type Post;\n"),
    allowed: Example(
      old: "table Post (v: \"1\") { id: string (primary); likes: int; }\nroot_type Post;\n",
      new: "table Post (v: \"1\") { id: string (primary); likes: int; exact: long; }\nroot_type Post;\n"))
}
