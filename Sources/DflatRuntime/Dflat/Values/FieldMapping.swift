import FlatBuffersCore

/// How the numbers or strings of a field stand for the values of a Swift type. A schema asks for one with `(date: "ms")`,
/// `(uuid)` and their like.
public protocol FieldMapping: NonisolatedByDefault {
  /// What a FlatBuffer holds: a number, a bool or a string.
  associatedtype Stored: Hashable & Sendable
  /// What the data model has.
  associatedtype Value: Hashable & Sendable

  /// The value that is stored as `stored`; nil if none is.
  static func value(of stored: Stored) -> Value?

  /// What is stored for `value`.
  ///
  /// - Throws: `UnstorableValue`, or an error of a type of the app, if the field cannot hold the value.
  static func stored(for value: Value) throws -> Stored
}

/// A mapping for fields that always have a value.
public protocol CompleteFieldMapping: FieldMapping {
  /// The value of a field whose stored number or string stands for none.
  static var fallback: Value { get }
}

/// A value that a field of a schema cannot hold, such as a date beyond the range of the field's numbers.
public struct UnstorableValue: Error, Hashable, Sendable, CustomStringConvertible {
  /// Why the field cannot hold the value: a part of a sentence.
  public let reason: String

  /// An error with the reason, which is a part of a sentence: "a Decimal with more than 2 places".
  public init(reason: String) { self.reason = reason }

  /// The reason.
  public var description: String { reason }
}

/// What a property of the data model makes of a `FieldMapping`: one value, an optional one, or an array.
public protocol MappedShape: NonisolatedByDefault {
  /// What a FlatBuffer holds.
  associatedtype Stored: Hashable & Sendable
  /// What the property has.
  associatedtype Value: Hashable & Sendable

  /// The property's value, of what is stored.
  static func value(of stored: Stored) -> Value

  /// What is stored for the property's value.
  ///
  /// - Throws: an error if the field cannot hold it.
  static func stored(for value: Value) throws -> Stored

  /// Something that can be written in place of a value that cannot be stored.
  static var nothing: Stored { get }
}

/// The shape of a property that always has a value.
public enum MappedValue<Mapping: CompleteFieldMapping>: MappedShape where Mapping.Stored: MappableStorage {
  /// The property's value.
  @inlinable
  public static func value(of stored: Mapping.Stored) -> Mapping.Value {
    Mapping.value(of: stored) ?? Mapping.fallback
  }

  /// What is stored.
  ///
  /// - Throws: an error if the field cannot hold the value.
  @inlinable
  public static func stored(for value: Mapping.Value) throws -> Mapping.Stored {
    try Mapping.stored(for: value)
  }

  /// Something to write in place of what cannot be stored.
  @inlinable
  public static var nothing: Mapping.Stored { ._zero }
}

/// The shape of a property that may be nil.
public enum MappedOptional<Mapping: FieldMapping>: MappedShape {
  /// The property's value.
  @inlinable
  public static func value(of stored: Mapping.Stored?) -> Mapping.Value? {
    stored.flatMap { Mapping.value(of: $0) }
  }

  /// What is stored.
  ///
  /// - Throws: an error if the field cannot hold the value.
  @inlinable
  public static func stored(for value: Mapping.Value?) throws -> Mapping.Stored? {
    try value.map { try Mapping.stored(for: $0) }
  }

  /// Something to write in place of what cannot be stored.
  @inlinable
  public static var nothing: Mapping.Stored? { nil }
}

/// The shape of a property with the elements of a vector. Those that stand for no value are left out.
public enum MappedArray<Mapping: FieldMapping>: MappedShape {
  /// The property's value.
  @inlinable
  public static func value(of stored: [Mapping.Stored]) -> [Mapping.Value] {
    stored.compactMap { Mapping.value(of: $0) }
  }

  /// What is stored.
  ///
  /// - Throws: an error if the field cannot hold the value.
  @inlinable
  public static func stored(for value: [Mapping.Value]) throws -> [Mapping.Stored] {
    try value.map { try Mapping.stored(for: $0) }
  }

  /// Something to write in place of what cannot be stored.
  @inlinable
  public static var nothing: [Mapping.Stored] { [] }
}

/// A type of a FlatBuffer's field that a mapping can have.
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
