import FlatBuffersCore

/// The conversion between the stored form of a field and a Swift type. A schema asks for one with `(date: "ms")`,
/// `(uuid)` and similar attributes.
public protocol FieldMapping: NonisolatedByDefault {
  /// The type of the stored form: a number, a `Bool` or a `String`.
  associatedtype Stored: Hashable & Sendable
  /// The type of the values in the data model.
  associatedtype Value: Hashable & Sendable

  /// Returns the value of a stored form; nil if it stands for no value.
  static func value(of stored: Stored) -> Value?

  /// Returns the stored form of a value.
  ///
  /// - Throws: `UnstorableValue`, or the error of an app's own type, if the field cannot hold the value.
  static func stored(for value: Value) throws -> Stored
}

/// A mapping for fields that always have a value.
public protocol CompleteFieldMapping: FieldMapping {
  /// The value of a field whose stored form stands for no value.
  static var fallback: Value { get }
}

/// A value that a field of a schema cannot hold, such as a date beyond the range of the field's numbers.
public struct UnstorableValue: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason why the field cannot hold the value, as a part of a sentence.
  public let reason: String

  /// Creates an error. The reason is a part of a sentence: "a Decimal with more than 2 places".
  public init(reason: String) { self.reason = reason }

  /// The reason why the field cannot hold the value.
  public var description: String { reason }
}

/// The shape of a mapped property: one value, an optional value, or an array.
public protocol MappedShape: NonisolatedByDefault {
  /// The type of the stored form.
  associatedtype Stored: Hashable & Sendable
  /// The type of the property.
  associatedtype Value: Hashable & Sendable

  /// Returns the property's value of a stored form.
  static func value(of stored: Stored) -> Value

  /// Returns the stored form of the property's value.
  ///
  /// - Throws: an error if the field cannot hold the value.
  static func stored(for value: Value) throws -> Stored

  /// The stored form that is written in place of a value that cannot be stored.
  static var nothing: Stored { get }
}

/// The shape of a property that always has a value.
public enum MappedValue<Mapping: CompleteFieldMapping>: MappedShape where Mapping.Stored: MappableStorage {
  /// Returns the property's value of a stored form.
  @inlinable
  public static func value(of stored: Mapping.Stored) -> Mapping.Value {
    Mapping.value(of: stored) ?? Mapping.fallback
  }

  /// Returns the stored form of the property's value.
  ///
  /// - Throws: an error if the field cannot hold the value.
  @inlinable
  public static func stored(for value: Mapping.Value) throws -> Mapping.Stored {
    try Mapping.stored(for: value)
  }

  /// The stored form that is written in place of a value that cannot be stored.
  @inlinable
  public static var nothing: Mapping.Stored { ._zero }
}

/// The shape of a property that may be nil.
public enum MappedOptional<Mapping: FieldMapping>: MappedShape {
  /// Returns the property's value of a stored form; nil if the field is absent, or its stored form stands for no value.
  @inlinable
  public static func value(of stored: Mapping.Stored?) -> Mapping.Value? {
    stored.flatMap { Mapping.value(of: $0) }
  }

  /// Returns the stored form of the property's value; nil for nil.
  ///
  /// - Throws: an error if the field cannot hold the value.
  @inlinable
  public static func stored(for value: Mapping.Value?) throws -> Mapping.Stored? {
    try value.map { try Mapping.stored(for: $0) }
  }

  /// The stored form that is written in place of a value that cannot be stored: nil, so that the field is absent.
  @inlinable
  public static var nothing: Mapping.Stored? { nil }
}

/// The shape of an array property. Elements of the vector that stand for no value are left out.
public enum MappedArray<Mapping: FieldMapping>: MappedShape {
  /// Returns the property's value of a stored form.
  @inlinable
  public static func value(of stored: [Mapping.Stored]) -> [Mapping.Value] {
    stored.compactMap { Mapping.value(of: $0) }
  }

  /// Returns the stored form of the property's value.
  ///
  /// - Throws: an error if the field cannot hold the value.
  @inlinable
  public static func stored(for value: [Mapping.Value]) throws -> [Mapping.Stored] {
    try value.map { try Mapping.stored(for: $0) }
  }

  /// The stored form that is written in place of a value that cannot be stored.
  @inlinable
  public static var nothing: [Mapping.Stored] { [] }
}

/// A type of a FlatBuffer's field that can be the stored form of a mapping.
public protocol MappableStorage: Hashable, Sendable {
  /// 0, false or the empty string.
  static var _zero: Self { get }
}

extension MappableStorage where Self: AdditiveArithmetic {
  /// 0.
  @inlinable public static var _zero: Self { .zero }
}

extension Int8: MappableStorage {}
extension UInt8: MappableStorage {}
extension Int16: MappableStorage {}
extension UInt16: MappableStorage {}
extension Int32: MappableStorage {}
extension UInt32: MappableStorage {}
extension Int64: MappableStorage {}
extension UInt64: MappableStorage {}
extension Float: MappableStorage {}
extension Double: MappableStorage {}

extension Bool: MappableStorage {
  /// False.
  @inlinable public static var _zero: Bool { false }
}

extension String: MappableStorage {
  /// The empty string.
  @inlinable public static var _zero: String { "" }
}
