/// The PL/pgSQL function of an index, which reads one field from the bytes of a row.
///
/// It reads what `FieldReader` reads, and never fails, whatever the bytes are: a field that exceeds them counts as
/// absent. Its name contains a hash of its text, so the function is never changed. A version of the schema with another
/// default for the field has another function, and another index, beside those of an older version that writes to the
/// same table.
package struct IndexFunction: Sendable {
  package let name: String
  /// The type of the result.
  package let type: ColumnType
  /// The rest of the CREATE statement, after the name.
  private let rest: String

  package init(_ field: StoredField) {
    type = ColumnType(field.storage)
    var writer = IndexFunctionWriter(field)
    let body = writer.write()
    name = PostgresName.shortened("dflat_\(field.key)_\(PostgresName.hash(type.sql + body))")
    // A cost so high that no plan calls it for each row instead of searching the index.
    rest = """
      (p bytea) RETURNS \(type.sql)
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $dflat$
      \(body)
      $dflat$
      """
  }

  /// Returns the statement that makes the function.
  ///
  /// - Parameter ifMissing: whether an existing function is no error. It has the same text, since it has the same name.
  package func create(ifMissing: Bool = false) -> String {
    "CREATE \(ifMissing ? "OR REPLACE " : "")FUNCTION \(PostgresName.quoted(name))\(rest)"
  }
}

/// Writes the body of an index function.
///
/// Variables of the function: `n`, the number of bytes; `t`, `v` and `s`, the positions of the current table and its
/// vtable, and the vtable's size; `f`, the position of the current field. All are `bigint`, in which no sum of 32-bit
/// offsets overflows.
private struct IndexFunctionWriter {
  private let field: StoredField
  private var lines: [String] = []

  init(_ field: StoredField) {
    self.field = field
  }

  mutating func write() -> String {
    lines = []
    // A row without a root holds no object, and is in no result.
    add("IF n < 8 THEN RETURN NULL; END IF;")
    add("t := \(BufferSQL.u32("0"));")
    add("IF t = 0 OR t + 4 > n THEN RETURN NULL; END IF;")
    enterTable()
    var structOffset: Int?
    for step in field.steps {
      switch step {
      case .table(let slot):
        locate(slot, size: 4, orReturn: "NULL")
        follow(orReturn: "NULL")
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
        locate(slot, size: 4, orReturn: "NULL")
        follow(orReturn: "NULL")
        add("t := f;")
        enterTable()
      case .unionStructure(let slot, let code):
        requireCode(code, slot)
        structOffset = 0
        pendingStruct = .member(slot)
      case .unionString(let slot, let code):
        requireCode(code, slot)
        locate(slot, size: 4, orReturn: "NULL")
        follow(orReturn: "NULL")
        addString(orReturn: "NULL")
        return text
      }
    }
    if let structOffset {
      addStructField(at: structOffset + field.slot)
    } else {
      addField()
    }
    return text
  }

  private enum StructPlace {
    case field(Int)
    case member(Int)
  }
  private var pendingStruct: StructPlace?

  private var text: String {
    """
    DECLARE
      n bigint := length(p); t bigint; v bigint; s bigint; f bigint; o bigint; e bigint; m bigint; r double precision;
    BEGIN
      \(lines.joined(separator: "\n  "))
    END
    """
  }

  private mutating func add(_ line: String) { lines.append(line) }

  // MARK: Positions

  private mutating func enterTable() { lines += BufferSQL.enteringTable }

  /// Sets `f` to the position of a field of the table.
  private mutating func locate(_ slot: Int, size: Int, orReturn absent: String) {
    add("f := 0;")
    add("IF \(slot + 2) <= s THEN f := \(BufferSQL.u16("v + \(slot)")); END IF;")
    add("IF f = 0 OR t + f + \(size) > n THEN RETURN \(absent); END IF;")
    add("f := t + f;")
  }

  private mutating func follow(orReturn absent: String) { lines += BufferSQL.following(orReturn: absent) }

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

  private mutating func addField() {
    let absent = literal(field.defaultValue)
    switch field.storage {
    case .string:
      locate(field.slot, size: 4, orReturn: absent)
      follow(orReturn: absent)
      addString(orReturn: absent)
    case .stringOffset64:
      locate(field.slot, size: 8, orReturn: absent)
      // An offset of 2^31 or more exceeds every row.
      add("IF \(BufferSQL.u32("f + 4")) <> 0 THEN RETURN \(absent); END IF;")
      follow(orReturn: absent)
      addString(orReturn: absent)
    case .unionType, .unionType16, .unionType32, .unionType64:
      locate(field.slot, size: 1, orReturn: "NULL")
      locate(field.slot - 2, size: field.storage.unionCodeSize, orReturn: "NULL")
      let code = BufferSQL.unsignedValue("f", size: field.storage.unionCodeSize)
      add("RETURN NULLIF(\(code), 0);")
    default:
      locate(field.slot, size: field.storage.scalarSize, orReturn: absent)
      addScalar()
    }
  }

  private mutating func addStructField(at offset: Int) {
    let size = offset + field.storage.scalarSize
    switch pendingStruct {
    case .field(let slot)?:
      locate(slot, size: size, orReturn: "NULL")
    case .member(let slot)?:
      locate(slot, size: 4, orReturn: "NULL")
      follow(orReturn: "NULL")
      add("IF f + \(size) > n THEN RETURN NULL; END IF;")
    case nil: break
    }
    add("f := f + \(offset);")
    addScalar()
  }

  private mutating func addString(orReturn absent: String) {
    add("o := \(BufferSQL.u32("f"));")
    add("IF f + 4 + o > n THEN RETURN \(absent); END IF;")
    add("IF o <= \(KeyForm.limit) THEN RETURN substring(p FROM (f + 5)::int FOR o::int); END IF;")
    add("RETURN substring(p FROM (f + 5)::int FOR \(KeyForm.limit))")
    add("  || sha256(substring(p FROM (f + 5)::int FOR o::int));")
  }

  private mutating func addScalar() {
    switch field.storage {
    case .bool: add("RETURN CASE WHEN \(BufferSQL.byte("f")) = 0 THEN 0 ELSE 1 END;")
    case .int8, .uint8, .int16, .uint16, .int32, .uint32, .int64, .uint64:
      add("RETURN \(BufferSQL.whole(field.storage, "f"));")
    case .float, .double:
      lines += BufferSQL.real(field.storage, ifNaN: "RETURN NULL;")
      add("RETURN r;")
    case .string, .stringOffset64, .unionType, .unionType16, .unionType32, .unionType64:
      // A struct holds neither strings nor unions.
      add("RETURN NULL;")
    }
  }

  private func literal(_ value: StoredField.Value?) -> String {
    switch value {
    case .null?, nil: "NULL"
    case .integer(let value)?: "\(value)"
    case .unsigned(let value)?: "\(value)"
    case .real(let value)?:
      value.isInfinite ? "'\(value < 0 ? "-" : "")Infinity'::double precision" : "'\(value)'::double precision"
    case .text(let value)?:
      KeyForm.sql("'\\x" + value.utf8.map { PostgresName.hexadecimal($0) }.joined() + "'::bytea")
    }
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
    case .string, .stringOffset64, .unionType, .unionType16, .unionType32, .unionType64: 0
    }
  }

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
