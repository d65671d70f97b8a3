/// A type of the app that a field is read and written as: `color: uint (swift_type: "Theme.Color")`.
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
/// A query can ask whether a field equals a value, or is one of several. Where the order of the values is the order of what is
/// stored, conform to ``OrderedFieldConvertible``: then it can also ask for ranges.
///
/// Both requirements may be called on any thread, and often: for each access to the property.
public protocol FieldConvertible: QueryConstant {
  /// The Swift type of the field: an integer, `Float`, `Double`, `Bool` or `String`, as the schema has it.
  associatedtype Stored: QueryValue & MappableStorage

  /// The value that is stored as `stored`. Any number or text may be stored, also by another version of the app.
  init(stored: Stored)

  /// What is stored for the value. Equal values are stored alike.
  ///
  /// - Throws: an error if the field cannot hold the value. To submit an object with it fails then with
  ///   `FlatBufferError.unstorableValue`.
  var stored: Stored { get throws }
}

/// A `FieldConvertible` whose values have the order of what is stored for them, so that queries can ask for ranges and sort by it.
public protocol OrderedFieldConvertible: FieldConvertible, OrderedQueryConstant, Comparable {}

extension FieldConvertible {
  /// What is stored for the value; NULL, which equals nothing, if the field cannot hold it.
  public func _constant(perOne: Int64) -> FieldValue {
    // The error is no error of the query, which finds nothing: no object has the value. Whoever submits one gets the error.
    (try? stored._fieldValue) ?? .null
  }
}

/// The mapping of a type of the app.
public enum ConvertedMapping<Value: FieldConvertible>: CompleteFieldMapping {
  /// The value.
  @inlinable
  public static func value(of stored: Value.Stored) -> Value? { Value(stored: stored) }

  /// What is stored for the value.
  ///
  /// - Throws: an error of the type.
  @inlinable
  public static func stored(for value: Value) throws -> Value.Stored { try value.stored }

  /// The value of zero, false or the empty string.
  @inlinable
  public static var fallback: Value { Value(stored: ._zero) }
}
