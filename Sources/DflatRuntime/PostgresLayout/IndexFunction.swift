/// The PL/pgSQL function of an index, which reads one field, or the elements of a vector, from the bytes of a row.
///
/// It reads what `FieldReader` and `VectorReader` read, and never fails, whatever the bytes are: a field that exceeds them
/// counts as absent. Its name contains a hash of its text, so the function is never changed. A version of the schema with another
/// default for the field has another function, and another index, beside those of an older version that writes to the
/// same table.
package struct IndexFunction: Sendable {
  package let name: String
  /// The type of the result, or of the elements of the array that is the result.
  package let type: ColumnType
  /// The rest of the CREATE statement, after the name.
  private let rest: String

  /// Creates the function of an index on the values of a field.
  package init(_ field: StoredField) { self.init(StoredIndex(.field(field))) }

  /// Creates the function of an index.
  package init(_ index: StoredIndex) {
    type = index.type
    let result = type.sql + (index.isOverElements ? "[]" : "")
    var writer = IndexFunctionWriter(index)
    let body = writer.write()
    name = PostgresName.shortened("dflat_\(index.key)_\(PostgresName.hash(result + body))")
    // A cost so high that no plan calls it for each row instead of searching the index.
    rest = """
      (p bytea) RETURNS \(result)
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $dflat$
      \(body)
      $dflat$
      """
  }

  /// Returns the statement that makes the function.
  ///
  /// - Parameters:
  ///   - schema: the schema of the database that gets the function; nil for the first one in the search path.
  ///   - ifMissing: whether an existing function is no error. It has the same text, since it has the same name.
  package func create(in schema: String? = nil, ifMissing: Bool = false) -> String {
    "CREATE \(ifMissing ? "OR REPLACE " : "")FUNCTION \(PostgresName.qualified(name, in: schema))\(rest)"
  }
}

/// Writes the body of an index function.
///
/// Variables of the function: `n`, the number of bytes; `t`, `v` and `s`, the positions of the current table and its
/// vtable, and the vtable's size; `f`, the position of the current field. All are `bigint`, in which no sum of 32-bit
/// offsets overflows. A function that folds also has the variables of `FoldingSQL`. A function for the elements of a
/// vector has `a`, their array; `g`, the number of elements in it; and `h`, the position of the first one.
private struct IndexFunctionWriter {
  private let index: StoredIndex
  private var lines: [String] = []

  init(_ index: StoredIndex) {
    self.index = index
  }

  private var steps: [StoredField.Step] {
    switch index.source {
    case .field(let field): field.steps
    case .elements(let vector): vector.steps
    }
  }

  mutating func write() -> String {
    lines = []
    // Compressed bytes would be decompressed at each access. Plain fields are read by few.
    if index.isFolded || index.isOverElements { add("p := substring(p FROM 1);") }
    // A row without a root holds no object, and is in no result.
    add("IF n < 8 THEN RETURN NULL; END IF;")
    add("t := \(BufferSQL.u32("0"));")
    add("IF t = 0 OR t + 4 > n THEN RETURN NULL; END IF;")
    enterTable()
    var structOffset: Int?
    for step in steps {
      switch step {
      case .table(let slot):
        locate(slot, size: 4, orElse: "RETURN NULL")
        follow(orElse: "RETURN NULL")
        add("t := f;")
        enterTable()
      case .structure(let slot):
        // A struct within a struct is stored inline, so the offsets add up.
        if let offset = structOffset {
          structOffset = offset + slot
        } else {
          structOffset = 0
          pendingStruct = .field(slot)
        }
      case .unionTable(let slot, let code):
        requireCode(code, slot)
        locate(slot, size: 4, orElse: "RETURN NULL")
        follow(orElse: "RETURN NULL")
        add("t := f;")
        enterTable()
      case .unionStructure(let slot, let code):
        requireCode(code, slot)
        structOffset = 0
        pendingStruct = .member(slot)
      case .unionString(let slot, let code):
        requireCode(code, slot)
        locate(slot, size: 4, orElse: "RETURN NULL")
        follow(orElse: "RETURN NULL")
        addString(orElse: "RETURN NULL")
        if index.isFolded { addFolding() }
        return text
      }
    }
    switch (index.source, structOffset) {
    case (.field(let field), let structOffset?): addStructField(field, at: structOffset + field.slot)
    case (.field(let field), nil): addField(field)
    case (.elements(let vector), nil): addElements(vector)
    // Structs hold no vectors.
    case (.elements, .some): add("RETURN NULL;")
    }
    return text
  }

  private enum StructPlace {
    case field(Int)
    case member(Int)
  }
  private var pendingStruct: StructPlace?

  private var text: String {
    var variables = [
      "n bigint := length(p); t bigint; v bigint; s bigint; f bigint; o bigint; e bigint; m bigint; r double precision;"
    ]
    if index.isOverElements { variables.append("a \(index.type.sql)[] := '{}'; g int := 0; h bigint;") }
    if index.isFolded {
      variables += FoldingSQL.variables
    } else if index.isOverElements {
      variables.append("b bytea;")
    }
    return """
      DECLARE
        \(variables.joined(separator: "\n  "))
      BEGIN
        \(lines.joined(separator: "\n  "))
      END
      """
  }

  private mutating func add(_ line: String) { lines.append(line) }

  // MARK: Positions

  private mutating func enterTable() { lines += BufferSQL.enteringTable }

  /// Sets `f` to the position of a field of the table.
  private mutating func locate(_ slot: Int, size: Int, orElse otherwise: String) {
    add("f := 0;")
    add("IF \(slot + 2) <= s THEN f := \(BufferSQL.u16("v + \(slot)")); END IF;")
    add("IF f = 0 OR t + f + \(size) > n THEN \(otherwise); END IF;")
    add("f := t + f;")
  }

  private mutating func follow(orElse otherwise: String) { lines += BufferSQL.following(orElse: otherwise) }

  private mutating func requireCode(_ code: StoredField.UnionCode, _ slot: Int) {
    let size = code.size
    add("f := 0; e := 0;")
    add("IF \(slot) <= s THEN f := \(BufferSQL.u16("v + \(slot - 2)")); END IF;")
    add("IF f > 0 AND t + f + \(size) <= n THEN f := t + f; e := \(BufferSQL.unsigned("f", size: min(size, 4)));")
    if size == 8 {
      add("  o := \(BufferSQL.u32("f + 4")); ELSE o := 0; END IF;")
      add("IF e <> \(code.number & 0xffff_ffff) OR o <> \(code.number >> 32) THEN RETURN NULL; END IF;")
    } else {
      add("END IF;")
      add("IF e <> \(code.number) THEN RETURN NULL; END IF;")
    }
  }

  // MARK: Values

  private mutating func addField(_ field: StoredField) {
    // A default is folded like other texts, behind the block.
    let absent = index.isFolded ? "EXIT reading" : "RETURN \(literal(field.defaultValue))"
    switch field.storage {
    case .string:
      beginReading(field)
      locate(field.slot, size: 4, orElse: absent)
      follow(orElse: absent)
      addString(orElse: absent)
      endReading()
    case .stringOffset64:
      beginReading(field)
      locate(field.slot, size: 8, orElse: absent)
      // An offset of 2^31 or more exceeds every row.
      add("IF \(BufferSQL.u32("f + 4")) <> 0 THEN \(absent); END IF;")
      follow(orElse: absent)
      addString(orElse: absent)
      endReading()
    case .unionType, .unionType16, .unionType32, .unionType64:
      locate(field.slot, size: 1, orElse: "RETURN NULL")
      locate(field.slot - 2, size: field.storage.unionCodeSize, orElse: "RETURN NULL")
      let code = BufferSQL.unsignedValue("f", size: field.storage.unionCodeSize)
      add("RETURN NULLIF(\(code), 0);")
    default:
      locate(field.slot, size: field.storage.inlineSize, orElse: absent)
      addInline(field.storage)
    }
  }

  private mutating func addStructField(_ field: StoredField, at offset: Int) {
    let size = offset + field.storage.inlineSize
    switch pendingStruct {
    case .field(let slot)?:
      locate(slot, size: size, orElse: "RETURN NULL")
    case .member(let slot)?:
      locate(slot, size: 4, orElse: "RETURN NULL")
      follow(orElse: "RETURN NULL")
      add("IF f + \(size) > n THEN RETURN NULL; END IF;")
    case nil: break
    }
    add("f := f + \(offset);")
    addInline(field.storage)
  }

  private mutating func addString(orElse otherwise: String) {
    add("o := \(BufferSQL.u32("f"));")
    add("IF f + 4 + o > n THEN \(otherwise); END IF;")
    if index.isFolded {
      add("b := substring(p FROM (f + 5)::int FOR o::int);")
      return
    }
    add("IF o <= \(KeyForm.limit) THEN RETURN substring(p FROM (f + 5)::int FOR o::int); END IF;")
    add("RETURN substring(p FROM (f + 5)::int FOR \(KeyForm.limit))")
    add("  || sha256(substring(p FROM (f + 5)::int FOR o::int));")
  }

  /// Begins the block that sets `b` to a text. The lines after the block fold it.
  private mutating func beginReading(_ field: StoredField) {
    guard index.isFolded else { return }
    if case .text(let text)? = field.defaultValue { add("b := \(literal(bytesOf: text));") }
    add("<<reading>> BEGIN")
  }

  private mutating func endReading() {
    guard index.isFolded else { return }
    add("END;")
    add("IF b IS NULL THEN RETURN NULL; END IF;")
    addFolding()
  }

  /// Adds the lines that return the form of the folding of `b`.
  private mutating func addFolding() {
    lines += FoldingSQL.folding
    add("RETURN \(KeyForm.sql("b"));")
  }

  /// Adds the lines that return a value in the table or struct itself, at `f`.
  private mutating func addInline(_ storage: StoredField.Storage) {
    switch storage {
    case .bytes(let count): add("RETURN \(form(ofBytes: count));")
    case .bool: add("RETURN CASE WHEN \(BufferSQL.byte("f")) = 0 THEN 0 ELSE 1 END;")
    case .int8, .uint8, .int16, .uint16, .int32, .uint32, .int64, .uint64:
      add("RETURN \(BufferSQL.whole(storage, "f"));")
    case .float, .double:
      lines += BufferSQL.real(storage, ifNaN: "RETURN NULL;")
      add("RETURN r;")
    case .string, .stringOffset64, .unionType, .unionType16, .unionType32, .unionType64:
      // A struct holds neither strings nor unions.
      add("RETURN NULL;")
    }
  }

  /// Returns the SQL expression of the form of the bytes at `f`.
  private func form(ofBytes count: Int) -> String {
    func bytes(_ count: Int) -> String { "substring(p FROM (f + 1)::int FOR \(count))" }
    return count <= KeyForm.limit ? bytes(count) : "\(bytes(KeyForm.limit)) || sha256(\(bytes(count)))"
  }

  // MARK: Elements

  private mutating func addElements(_ vector: StoredVector) {
    locate(vector.slot, size: vector.reference == .offset ? 4 : 8, orElse: "RETURN a")
    // An offset of 2^31 or more exceeds every row, and so does a length.
    if vector.reference != .offset { add("IF \(BufferSQL.u32("f + 4")) <> 0 THEN RETURN a; END IF;") }
    follow(orElse: "RETURN a")
    if vector.reference == .vector64 {
      add("IF f + 8 > n OR \(BufferSQL.u32("f + 4")) <> 0 THEN RETURN a; END IF;")
    }
    let stride = vector.element == .string ? 4 : vector.element.inlineSize
    add("m := \(BufferSQL.u32("f")); h := f + \(vector.reference == .vector64 ? 8 : 4);")
    add("IF h + m * \(stride) > n THEN RETURN a; END IF;")
    add("FOR j IN 0 .. m - 1 LOOP")
    add("f := h + j::bigint * \(stride);")
    switch vector.element {
    case .bool: add("g := g + 1; a[g] := CASE WHEN \(BufferSQL.byte("f")) = 0 THEN 0 ELSE 1 END;")
    case .float, .double:
      lines += BufferSQL.real(vector.element, ifNaN: "CONTINUE;")
      add("g := g + 1; a[g] := r;")
    case .string:
      // A string that exceeds the row counts as empty.
      add("b := ''; f := f + \(BufferSQL.u32("f"));")
      add("IF f + 4 <= n THEN")
      add("o := \(BufferSQL.u32("f"));")
      add("IF f + 4 + o <= n THEN b := substring(p FROM (f + 5)::int FOR o::int); END IF;")
      add("END IF;")
      if index.isFolded { lines += FoldingSQL.folding }
      add("g := g + 1; a[g] := \(KeyForm.sql("b"));")
    case .bytes(let count): add("g := g + 1; a[g] := \(form(ofBytes: count));")
    default: add("g := g + 1; a[g] := \(BufferSQL.whole(vector.element, "f"));")
    }
    add("END LOOP;")
    add("RETURN a;")
  }

  private func literal(_ value: StoredField.Value?) -> String {
    switch value {
    case .null?, nil: "NULL"
    case .integer(let value)?: "\(value)"
    case .unsigned(let value)?: "\(value)"
    // As for a NaN in the bytes.
    case .real(let value)? where value.isNaN: "NULL"
    case .real(let value)?:
      value.isInfinite ? "'\(value < 0 ? "-" : "")Infinity'::double precision" : "'\(value)'::double precision"
    case .text(let value)?: KeyForm.sql(literal(bytesOf: value))
    }
  }

  private func literal(bytesOf text: String) -> String {
    "'\\x" + text.utf8.map { PostgresName.hexadecimal($0) }.joined() + "'::bytea"
  }
}

extension StoredField.Storage {
  /// The size of a scalar in bytes; 0 for other types.
  var scalarSize: Int {
    switch self {
    case .bool, .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float: 4
    case .int64, .uint64, .double: 8
    case .string, .stringOffset64, .unionType, .unionType16, .unionType32, .unionType64, .bytes: 0
    }
  }

  /// The size in bytes of a value that is in a table or struct itself; 0 for other types.
  fileprivate var inlineSize: Int { if case .bytes(let count) = self { count } else { scalarSize } }

  /// The size of a union's type code in bytes.
  fileprivate var unionCodeSize: Int {
    switch self {
    case .unionType16: 2
    case .unionType32: 4
    case .unionType64: 8
    default: 1
    }
  }
}
