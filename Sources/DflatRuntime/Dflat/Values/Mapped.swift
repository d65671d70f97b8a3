import FlatBuffersCore

/// A property wrapper for a field that stands for a Swift type. It keeps what is stored, so that an object that is read and written
/// again has the same bytes, whatever the value may round: `@Mapped<MappedValue<DateMapping<FieldUnits.Milliseconds, Int64>>> var created`.
///
/// A value that is set is stored at once, as far as the field can hold it: a `Date` that is read back has the precision of the
/// field. What the field cannot hold is kept as it is, until it is submitted or encoded, which fails.
@propertyWrapper
public struct Mapped<Shape: MappedShape>: Hashable, Sendable {
  @usableFromInline
  enum Content: Hashable, Sendable {
    case stored(Shape.Stored)
    /// A value that the field cannot hold.
    case unstorable(Shape.Value)
  }

  @usableFromInline
  var content: Content

  /// Keeps what is stored.
  @inlinable
  public init(stored: Shape.Stored) {
    content = .stored(stored)
  }

  /// Keeps what is stored for `value`.
  @inlinable
  public init(_ value: Shape.Value) {
    do {
      content = .stored(try Shape.stored(for: value))
    } catch {
      // Told when the value is written.
      content = .unstorable(value)
    }
  }

  /// Keeps what is stored for `value`; `default` if that is nil.
  @inlinable
  public init(_ value: Shape.Value?, default: Shape.Stored) {
    self = value.map { Mapped($0) } ?? Mapped(stored: `default`)
  }

  /// Keeps what is stored for `value`; `default`, which may stand for no value, if that is nil.
  @inlinable
  public init<Mapping>(_ value: Mapping.Value?, default: Mapping.Stored) where Shape == MappedOptional<Mapping> {
    self = value.map { Mapped($0) } ?? Mapped(stored: `default`)
  }

  /// The value.
  @inlinable
  public var wrappedValue: Shape.Value {
    get {
      switch content {
      case .stored(let stored): Shape.value(of: stored)
      case .unstorable(let value): value
      }
    }
    set { self = Mapped(newValue) }
  }

  /// The wrapper, by which generated code reaches what is stored.
  @inlinable
  public var projectedValue: Self { self }

  /// What is stored. If the field cannot hold the value, `builder` notes an error that names the field, and `finish` will throw it.
  @inlinable
  public func stored(_ field: StaticString, in builder: inout FlatBufferBuilder) -> Shape.Stored {
    if case .stored(let stored) = content { return stored }
    note(field, in: &builder)
    return Shape.nothing
  }

  /// What is stored; something in its place if the field cannot hold the value, which `check` tells.
  @inlinable
  public var stored: Shape.Stored {
    if case .stored(let stored) = content { stored } else { Shape.nothing }
  }

  /// Has `builder` note an error that names the field, if the field cannot hold the value.
  @inlinable
  public func check(_ field: StaticString, in builder: inout FlatBufferBuilder) {
    if case .unstorable = content { note(field, in: &builder) }
  }

  @usableFromInline
  func note(_ field: StaticString, in builder: inout FlatBufferBuilder) {
    guard case .unstorable(let value) = content else { return }
    do {
      // What it could not store before, a type of the app might now.
      _ = try Shape.stored(for: value)
      builder.note(unstorable: "\(field)", reason: "a value that could not be stored when it was set")
    } catch {
      builder.note(unstorable: "\(field)", reason: "\(error)")
    }
  }
}

extension Mapped: CustomStringConvertible, CustomReflectable {
  /// The value as a text.
  public var description: String { "\(wrappedValue)" }

  /// A mirror of the value.
  public var customMirror: Mirror { Mirror(reflecting: wrappedValue) }
}

// The `Encodable` conformances that Swift makes encode a property's wrapper.
extension Mapped: Encodable where Shape.Value: Encodable {
  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension KeyedEncodingContainer {
  /// Encodes the value of a `Mapped` as a plain property is encoded, so that the strategies of an encoder for dates and their like
  /// apply.
  ///
  /// - Throws: any error of encoding the value.
  public mutating func encode<Shape: MappedShape>(_ value: Mapped<Shape>, forKey key: Key) throws
  where Shape.Value: Encodable {
    try encode(value.wrappedValue, forKey: key)
  }

  /// Encodes the value of a `Mapped` as a plain optional property is encoded: a nil is omitted.
  ///
  /// - Throws: any error of encoding the value.
  public mutating func encode<Mapping: FieldMapping>(_ value: Mapped<MappedOptional<Mapping>>, forKey key: Key) throws
  where Mapping.Value: Encodable {
    try encodeIfPresent(value.wrappedValue, forKey: key)
  }
}
