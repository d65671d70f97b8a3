/// The PL/pgSQL function that returns a part of a FlatBuffer as JSON. The columns of views are made from its result.
///
/// It interprets a layout, so one function serves all types. Its name contains a hash of its text, like that of an
/// index function, so it is never changed. It never fails, whatever the bytes are: values that exceed them count as
/// absent.
///
/// Its parameters are the bytes `p`, the position `f` of a value, the value's kind `k`, the definitions `l` to which
/// kinds refer by number (see `BufferLayout`), and `h`, the greatest depth of nested tables.
package struct JSONFunction: Sendable {
  /// The name, qualified by the schema of the database.
  package let name: String
  private let statement: String

  /// Creates the function for a schema of the database.
  ///
  /// - Parameter schema: the schema of the database. The function calls itself by its qualified name, since anybody may
  ///   set the search path.
  package init(schema: String) {
    let text = Self.text
    let name = PostgresName.qualified("dflat_json_\(PostgresName.hash(text))", in: schema)
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    statement = "FUNCTION \(name)" + parts.joined(separator: name)
    self.name = name
  }

  /// The statement that makes the function.
  package var create: String { "CREATE OR REPLACE \(statement)" }

  /// The function with its parameter types, as GRANT names it.
  package var signature: String { "\(name)(bytea, bigint, jsonb, jsonb, int)" }

  /// Returns the SQL expression of the JSON of a row's object, whose table is definition 0.
  func object(by layout: BufferLayout) -> String {
    let root = BufferLayout.json(.offset(to: .table(0), size: 4))
    // Uncompressed once: else the server would uncompress all of the bytes at each look into them.
    return "\(name)(substring(p FROM 1), 0, '\(root)', '\(layout.json)', \(Self.depth))"
  }

  /// The greatest depth of nested tables, as in the runtime's verifier.
  private static let depth = 64

  /// A pattern of the hexadecimal digits of UTF-8 without NUL, which is what a PostgreSQL `text` can hold.
  /// https://www.rfc-editor.org/rfc/rfc3629#section-4
  private static let textDigits = "^(?:\(characters.joined(separator: "|")))*$"
  private static let characters = [
    "0[1-9a-f]", "[1-7].", "(?:c[2-9a-f]|d.)[89ab].", "e0[ab].[89ab].", "e[1-9abcef][89ab].[89ab].", "ed[89].[89ab].",
    "f0[9ab].[89ab].[89ab].", "f[123][89ab].[89ab].[89ab].", "f48.[89ab].[89ab].",
  ]

  private static func lines(_ lines: [String], indentedBy count: Int) -> String {
    lines.joined(separator: "\n" + String(repeating: " ", count: count))
  }

  private static func whole(_ storage: StoredField.Storage) -> String {
    let read =
      storage == .uint64
      ? "w := \(BufferSQL.i64("f")); j := to_jsonb(\(BufferSQL.whole(storage, "f")));"
      : "w := \(BufferSQL.whole(storage, "f"));"
    return "WHEN '\(storage.numberName)' THEN IF f + \(storage.scalarSize) > n THEN RETURN NULL; END IF; \(read)"
  }

  private static func real(_ storage: StoredField.Storage, _ result: String) -> String {
    """
    WHEN '\(storage.numberName)' THEN
        IF f + \(storage.scalarSize) > n THEN RETURN NULL; END IF;
        \(lines(BufferSQL.real(storage, ifNaN: "RETURN '\"nan\"'::jsonb;"), indentedBy: 4))
        IF abs(r) = 'Infinity' THEN RETURN to_jsonb(CASE WHEN r < 0 THEN '-inf' ELSE 'inf' END); END IF;
        RETURN to_jsonb(\(result));
    """
  }

  /// The CREATE statement from the parameters on; `@` stands for the function's name.
  private static var text: String {
    let wholes: [StoredField.Storage] = [.int8, .uint8, .int16, .uint16, .int32, .uint32, .int64, .uint64]
    return """
      (p bytea, f bigint, k jsonb, l jsonb, h int) RETURNS jsonb
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $dflat$
      DECLARE
        n bigint := length(p); t bigint; v bigint; s bigint; a bigint; o bigint; e bigint; m bigint; w bigint; c bigint;
        r double precision; i int; j jsonb; x jsonb; y jsonb; d jsonb; b bytea; u text;
      BEGIN
        IF k ? 'r' THEN
          IF f + (k->>'r')::int > n THEN RETURN NULL; END IF;
          IF k->>'r' = '8' THEN IF \(BufferSQL.u32("f + 4")) <> 0 THEN RETURN NULL; END IF; END IF;
          \(lines(BufferSQL.following(orElse: "RETURN NULL"), indentedBy: 4))
        END IF;
        CASE k->>'k'
        WHEN 'bool' THEN
          IF f + 1 > n THEN RETURN NULL; END IF;
          RETURN to_jsonb(\(BufferSQL.byte("f")) <> 0);
        \(lines(wholes.map(whole), indentedBy: 2))
        \(real(.float, "r::real"))
        \(real(.double, "r"))
        WHEN 'string', 'bytes', 'nested', 'vector' THEN
          IF k ? 'c' THEN c := (k->>'c')::int;
          ELSE
            c := \(BufferSQL.u32("f"));
            f := f + 4;
            IF k ? 'q' THEN
              IF f + 4 > n THEN RETURN NULL; END IF;
              IF \(BufferSQL.u32("f")) <> 0 THEN RETURN NULL; END IF;
              f := f + 4;
            END IF;
          END IF;
          i := COALESCE((k->>'z')::int, 1);
          IF f + c * i > n THEN RETURN NULL; END IF;
          IF k->>'k' = 'vector' THEN
            SELECT COALESCE(jsonb_agg(COALESCE(@(p, f + i * g, k->'of', l, h), 'null') ORDER BY g), '[]')
            INTO j FROM generate_series(0, c - 1) AS g;
            RETURN j;
          END IF;
          b := substring(p FROM (f + 1)::int FOR c::int);
          IF k->>'k' = 'nested' THEN
            RETURN @(b, 0, jsonb_build_object('k', 'table', 'r', 4, 't', k->'t'), l, h);
          END IF;
          u := encode(b, 'hex');
          IF k->>'k' = 'string' AND u ~ '\(textDigits)' THEN RETURN to_jsonb(convert_from(b, 'UTF8')); END IF;
          RETURN to_jsonb(chr(92) || 'x' || u);
        WHEN 'struct' THEN
          IF f + (k->>'z')::int > n THEN RETURN NULL; END IF;
          j := '{}';
          FOR d IN SELECT * FROM jsonb_array_elements(l->((k->>'t')::int)) LOOP
            j := j || jsonb_build_object(d->>'n', @(p, f + (d->>'s')::int, d->'v', l, h));
          END LOOP;
          RETURN j;
        WHEN 'table' THEN
          IF h = 0 OR f + 4 > n THEN RETURN NULL; END IF;
          h := h - 1;
          t := f;
          \(lines(BufferSQL.enteringTable, indentedBy: 4))
          j := '{}';
          FOR d IN SELECT * FROM jsonb_array_elements(l->((k->>'t')::int)) LOOP
            i := (d->>'s')::int; a := 0; x := NULL;
            IF i + 2 <= s THEN a := \(BufferSQL.u16("v + i")); END IF;
            IF d ? 'z' THEN j := j || jsonb_build_object(d->>'n' || '_type', '[]'::jsonb); END IF;
            IF a > 0 AND d ? 'v' THEN x := @(p, t + a, d->'v', l, h);
            ELSIF a > 0 THEN
              -- The type codes stand in the slot before that of a union.
              e := \(BufferSQL.u16("v + i - 2"));
              IF e > 0 THEN y := @(p, t + e, d->'c', l, h); ELSE y := NULL; END IF;
              IF d ? 'z' THEN
                f := t + a;
                IF f + 4 > n THEN y := NULL; ELSE o := \(BufferSQL.u32("f")); f := f + o; END IF;
                IF f + 4 > n OR o = 0 THEN y := NULL; ELSE c := \(BufferSQL.u32("f")); END IF;
                IF y IS NOT NULL AND c <= jsonb_array_length(y) AND f + 4 + 4 * c <= n THEN
                  SELECT COALESCE(jsonb_agg(COALESCE(@(p, f + 4 + 4 * g, d->'m'->(y->>g), l, h), 'null') ORDER BY g), '[]'),
                    COALESCE(jsonb_agg(COALESCE(d->'e'->(y->>g), y->g) ORDER BY g), '[]')
                  INTO x, y FROM generate_series(0, c::int - 1) AS g;
                  j := j || jsonb_build_object(d->>'n' || '_type', y);
                END IF;
              ELSIF y IS NOT NULL AND y <> '0' THEN
                u := y #>> '{}';
                j := j || jsonb_build_object(d->>'n' || '_type', COALESCE(d->'e'->u, y));
                x := @(p, t + a, d->'m'->u, l, h);
              END IF;
            END IF;
            x := COALESCE(x, d->'d');
            IF x IS NOT NULL THEN j := j || jsonb_build_object(d->>'n', x); END IF;
          END LOOP;
          RETURN j;
        END CASE;
        j := COALESCE(j, to_jsonb(w));
        IF k ? 'e' THEN
          x := k->'e'->(j #>> '{}');
          IF x IS NOT NULL THEN RETURN x; END IF;
          IF k ? 'b' THEN
            SELECT to_jsonb(string_agg(g.q->>1, ' ' ORDER BY g.z)), bit_or((g.q->>0)::bigint) INTO x, m
            FROM jsonb_array_elements(k->'b') WITH ORDINALITY AS g (q, z) WHERE (g.q->>0)::bigint & w <> 0;
            IF m = w THEN RETURN x; END IF;
          END IF;
        END IF;
        RETURN j;
      END
      $dflat$
      """
  }
}
