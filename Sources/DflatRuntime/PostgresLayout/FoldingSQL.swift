/// Statements of PL/pgSQL that fold a text as `TextFolder` does, without differences of case and diacritics.
///
/// They stand in each function that folds, with the whole table. A function of their own would have to be called by a
/// name with a schema, or a restored dump would not find it.
///
/// They depend on neither the database's encoding nor its collations. `folded` is the table, `b` the text, which is
/// replaced by its folding; the other variables are for intermediate values. Any change of these texts renames the
/// functions and indexes.
enum FoldingSQL {
  /// The end of the name of a folded field or vector on disk.
  static let suffix = "__folded\(FoldingSQLTable.version)"

  /// The variables, for the section DECLARE.
  static let variables = [
    "folded CONSTANT bytea := decode('\(FoldingSQLTable.base64)', 'base64');",
    "b bytea; w bytea; parts bytea[]; k int; i int; z int; y int; l int; x int; q int; c text;",
  ]

  /// How many bytes of ASCII are folded at once. In a block with other scalars, each of them takes as long as a whole
  /// block of ASCII.
  private static let blockSize = 32
  /// How many folded bytes are collected before they become an element of an array: to append to a `bytea` copies it.
  private static let partSize = 1000

  /// Replaces `b`, which is not NULL, by its folding.
  static let folding = [
    "w := ''; parts := NULL; k := 0; i := 0; z := length(b);",
    "WHILE i < z LOOP",
    // Of ASCII without backslashes and NUL, this is the text itself.
    "  c := encode(substring(b FROM i + 1 FOR \(blockSize)), 'escape');",
    "  IF strpos(c, chr(92)) = 0 THEN",
    "    w := w || decode(lower(c COLLATE \"C\"), 'escape');",
    "    i := i + \(blockSize);",
    "  ELSE",
    "    y := least(i + \(blockSize), z);",
    "    WHILE i < y LOOP",
    // The length of the scalar at `i`, or of a byte that is not UTF-8, and the scalar, or one that does not change.
    "      x := get_byte(b, i); l := 1;",
    "      IF x >= 128 THEN",
    "        IF x BETWEEN 194 AND 223 AND i + 1 < z AND get_byte(b, i + 1) & 192 = 128 THEN",
    "          l := 2; x := ((x & 31) << 6) | (get_byte(b, i + 1) & 63);",
    "        ELSIF x BETWEEN 224 AND 239 AND i + 2 < z AND get_byte(b, i + 1) & 192 = 128",
    "          AND get_byte(b, i + 2) & 192 = 128 THEN",
    "          l := 3;",
    "          x := ((x & 15) << 12) | ((get_byte(b, i + 1) & 63) << 6) | (get_byte(b, i + 2) & 63);",
    "          IF x < 2048 THEN l := 1; x := 0; END IF;",
    "        ELSIF x BETWEEN 240 AND 244 AND i + 3 < z AND get_byte(b, i + 1) & 192 = 128",
    "          AND get_byte(b, i + 2) & 192 = 128 AND get_byte(b, i + 3) & 192 = 128 THEN",
    "          l := 4;",
    "          x := ((x & 7) << 18) | ((get_byte(b, i + 1) & 63) << 12) | ((get_byte(b, i + 2) & 63) << 6)",
    "            | (get_byte(b, i + 3) & 63);",
    "          IF x < 65536 THEN l := 1; x := 0; END IF;",
    "        ELSE x := 0;",
    "        END IF;",
    "      END IF;",
    "      q := x >> \(FoldingSQLTable.pageBits);",
    "      IF q < \(FoldingSQLTable.indexCount) THEN",
    "        q := \(FoldingSQLTable.indexCount) + 2 * ((get_byte(folded, q) << \(FoldingSQLTable.pageBits))",
    "          | (x & \(1 << FoldingSQLTable.pageBits - 1)));",
    "        q := get_byte(folded, q) | (get_byte(folded, q + 1) << 8);",
    "      ELSE q := \(FoldingSQLTable.itself);",
    "      END IF;",
    "      IF q = \(FoldingSQLTable.itself) THEN w := w || substring(b FROM i + 1 FOR l);",
    "      ELSE w := w || substring(folded FROM \(FoldingSQLTable.poolStart + 1) + (q >> 3) FOR q & 7);",
    "      END IF;",
    "      i := i + l;",
    "    END LOOP;",
    "  END IF;",
    "  IF length(w) >= \(partSize) THEN k := k + 1; parts[k] := w; w := ''; END IF;",
    "END LOOP;",
    "IF k = 0 THEN b := w;",
    "ELSE",
    "  SELECT string_agg(u.part, ''::bytea ORDER BY u.number) INTO b",
    "  FROM unnest(parts) WITH ORDINALITY AS u(part, number);",
    "  b := b || w;",
    "END IF;",
  ]
}
