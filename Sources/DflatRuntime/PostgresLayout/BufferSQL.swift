/// Expressions and statements of PL/pgSQL that read the FlatBuffer `p`, shared by all functions that do.
///
/// They use these variables of the function: `n`, the number of bytes; `t`, `v` and `s`, the positions of the current
/// table and its vtable, and the vtable's size; `f`, the position of the current field; `o`, `e` and `m` for
/// intermediate values. All are `bigint`, in which no sum of 32-bit offsets overflows. `r` is `double precision`. Any
/// change of these texts renames all index functions.
enum BufferSQL {
  // MARK: Positions

  /// Finds the vtable of the table at `t`, whose first four bytes are known to exist.
  static let enteringTable = [
    "v := t - \(i32("t"));",
    "IF v < 0 OR v + 2 > n THEN RETURN NULL; END IF;",
    "s := \(u16("v"));",
    "IF s > n - v THEN RETURN NULL; END IF;",
  ]

  /// Follows the offset at `f`, whose four bytes are known to exist. If it leads out of the bytes, executes
  /// `otherwise`.
  static func following(orElse otherwise: String) -> [String] {
    [
      "o := \(u32("f"));",
      "IF o = 0 OR f + o + 4 > n THEN \(otherwise); END IF;",
      "f := f + o;",
    ]
  }

  // MARK: Bytes, in little-endian order. Shifts are in parentheses, since `<<` and `|` have one precedence in PostgreSQL.

  static func byte(_ position: String) -> String { "get_byte(p, (\(position))::int)::bigint" }

  static func u16(_ position: String) -> String { "(\(byte(position)) | (\(byte(position + " + 1")) << 8))" }

  static func u32(_ position: String) -> String {
    "(" + (0..<4).map { "(\(byte(position + " + \($0)")) << \(8 * $0))" }.joined(separator: " | ") + ")"
  }

  static func i32(_ position: String) -> String { "((\(u32(position)) # 2147483648) - 2147483648)" }

  static func i64(_ position: String) -> String { "\(u32(position)) | (\(u32(position + " + 4")) << 32)" }

  /// Returns the SQL expression of the unsigned number of `size` bytes, at most 4, at `position`, an SQL expression.
  static func unsigned(_ position: String, size: Int) -> String {
    switch size {
    case 1: byte(position)
    case 2: u16(position)
    default: u32(position)
    }
  }

  /// Returns the SQL expression of the unsigned number of `size` bytes at `position`, an SQL expression. Its type is
  /// `numeric` for 8 bytes, otherwise `bigint`.
  static func unsignedValue(_ position: String, size: Int) -> String {
    guard size == 8 else { return unsigned(position, size: size) }
    return "(\(u32(position + " + 4"))::numeric * 4294967296 + \(u32(position)))"
  }

  /// Returns the SQL expression of the integer at `position`, an SQL expression. Its type is `numeric` for `uint64`,
  /// otherwise `bigint`.
  static func whole(_ storage: StoredField.Storage, _ position: String) -> String {
    switch storage {
    case .int8: "(\(byte(position)) # 128) - 128"
    case .int16: "(\(u16(position)) # 32768) - 32768"
    case .int32: i32(position)
    case .int64: i64(position)
    default: unsignedValue(position, size: storage.scalarSize)
    }
  }

  /// Sets `r` to the IEEE 754 number at `f`, in steps that are exact and never overflow.
  static func real(_ storage: StoredField.Storage, ifNaN: String) -> [String] {
    if storage == .float {
      ["m := \(u32("f")); e := (m >> 23) & 255;"]
        + real(mantissa: "m & 8388607", bits: 23, bias: 127, isNegative: "m >> 31 = 1", highest: 255, ifNaN: ifNaN)
    } else {
      ["o := \(u32("f + 4")); e := (o >> 20) & 2047; m := ((o & 1048575) << 32) | \(u32("f"));"]
        + real(mantissa: "m", bits: 52, bias: 1023, isNegative: "o >> 31 = 1", highest: 2047, ifNaN: ifNaN)
    }
  }

  private static func real(
    mantissa: String, bits: Int, bias: Int, isNegative: String, highest: Int, ifNaN: String
  ) -> [String] {
    let scale = "\(UInt64(1) << bits)::double precision"
    return [
      "IF e = \(highest) THEN",
      "  IF (\(mantissa)) <> 0 THEN \(ifNaN) END IF;",
      "  r := 'Infinity';",
      "ELSIF e = 0 THEN r := (\(mantissa))::double precision / \(scale) * power(2::double precision, \(1 - bias));",
      "ELSE r := (1 + (\(mantissa))::double precision / \(scale)) * power(2::double precision, e - \(bias));",
      "END IF;",
      "IF \(isNegative) THEN r := -r; END IF;",
    ]
  }
}
