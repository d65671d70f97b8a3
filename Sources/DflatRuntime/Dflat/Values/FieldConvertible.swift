/// An app's own type for a field's property: `color: uint (swift_type: "Theme.Color")`.
///
/// ```swift
/// struct Color: FieldConvertible {
///   var red: UInt8, green: UInt8, blue: UInt8
///
///   init(stored: UInt32) {
///     (red, green, blue) = (UInt8(stored >> 16 & 0xFF), UInt8(stored >> 8 & 0xFF), UInt8(stored & 0xFF))
///   }
///
///   var stored: UInt32 { UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue) }
/// }
/// ```
///
/// A query can ask whether a field equals a value, or is one of several. If the values have the order of their stored
/// form, conform to ``OrderedFieldConvertible``: then a query can also ask for ranges.
///
/// Any thread may call both requirements, once for each access to the property.
///
/// See also: Documentation/values.md.
public protocol FieldConvertible: QueryConstant {
  /// The Swift type of the field: an integer, `Float`, `Double`, `Bool` or `String`, as the schema has it.
  associatedtype Stored: QueryValue & MappableStorage

  /// Creates the value of a stored number or text. That may be any number or text, also one that another version of the
  /// app has stored.
  init(stored: Stored)

  /// The stored form of the value. Equal values must have equal stored forms.
  ///
  /// - Throws: an error if the field cannot hold the value. To submit or encode an object with it then fails with
  ///   `FlatBufferError.unstorableValue`.
  var stored: Stored { get throws }
}

/// A `FieldConvertible` whose values are ordered as their stored forms are, so that queries can ask for ranges and
/// sort.
public protocol OrderedFieldConvertible: FieldConvertible, OrderedQueryConstant, Comparable {}

extension FieldConvertible {
  /// Returns the stored form of the value; NULL if the field cannot hold the value.
  public func _constant(perOne: Int64) -> FieldValue {
    // Not an error of the query: no object has the value. To submit such a value fails.
    (try? stored._fieldValue) ?? .null
  }

  /// Whether the field cannot hold the value. The error is of no interest to a query: no object has the value, and an
  /// object that is given it cannot be submitted, which reports the error.
  public var _isUnstorable: Bool { (try? stored) == nil }
}

/// The mapping of an app's own type.
public enum ConvertedMapping<Value: FieldConvertible>: CompleteFieldMapping {
  /// Returns the value of a stored number or text. It is never nil.
  @inlinable
  public static func value(of stored: Value.Stored) -> Value? { Value(stored: stored) }

  /// Returns the stored form of the value.
  ///
  /// - Throws: the error of the app's type.
  @inlinable
  public static func stored(for value: Value) throws -> Value.Stored { try value.stored }

  /// The value whose stored form is zero, false or the empty string.
  @inlinable
  public static var fallback: Value { Value(stored: ._zero) }
}
