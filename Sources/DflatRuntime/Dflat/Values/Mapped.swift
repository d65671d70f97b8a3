import FlatBuffersCore

/// A property wrapper for a field that stands for a Swift type:
/// `@Mapped<MappedValue<DateMapping<FieldUnits.Milliseconds, Int64>>> var created`.
///
/// It keeps the stored form. So an object that is read and written again has the same bytes, even if the value is
/// rounded.
///
/// A value that is set is converted at once: a `Date` that is read back has the precision of the field. A value that
/// the field cannot hold is kept as it is. To submit or encode the object then fails.
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

  /// Creates the wrapper of a stored form.
  @inlinable
  public init(stored: Shape.Stored) {
    content = .stored(stored)
  }

  /// Creates the wrapper of a value.
  @inlinable
  public init(_ value: Shape.Value) {
    do {
      content = .stored(try Shape.stored(for: value))
    } catch {
      // The error is reported when the value is written.
      content = .unstorable(value)
    }
  }

  /// Creates the wrapper of a value, or of the stored form `default` if the value is nil.
  @inlinable
  public init(_ value: Shape.Value?, default: Shape.Stored) {
    self = value.map { Mapped($0) } ?? Mapped(stored: `default`)
  }

  /// Creates the wrapper of a value, or of the stored form `default` if the value is nil. `default` may stand for no
  /// value.
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

  /// The wrapper itself, by which generated code reaches the stored form.
  @inlinable
  public var projectedValue: Self { self }

  /// Returns the stored form. If the field cannot hold the value, records an error that names the field in `builder`,
  /// which throws the error in `finish`.
  @inlinable
  public func stored(_ field: StaticString, in builder: inout FlatBufferBuilder) -> Shape.Stored {
    if case .stored(let stored) = content { return stored }
    note(field, in: &builder)
    return Shape.nothing
  }

  /// The stored form, or a replacement if the field cannot hold the value. `check` reports that.
  @inlinable
  public var stored: Shape.Stored {
    if case .stored(let stored) = content { stored } else { Shape.nothing }
  }

  /// Records an error that names the field in `builder`, if the field cannot hold the value.
  @inlinable
  public func check(_ field: StaticString, in builder: inout FlatBufferBuilder) {
    if case .unstorable = content { note(field, in: &builder) }
  }

  @usableFromInline
  func note(_ field: StaticString, in builder: inout FlatBufferBuilder) {
    guard case .unstorable(let value) = content else { return }
    do {
      // An app's own type may accept now what it could not store before.
      _ = try Shape.stored(for: value)
      builder.note(unstorable: "\(field)", reason: "a value that could not be stored when it was set")
    } catch {
      builder.note(unstorable: "\(field)", reason: "\(error)")
    }
  }
}

extension Mapped: CustomStringConvertible, CustomReflectable {
  /// The value as text.
  public var description: String { "\(wrappedValue)" }

  /// A mirror of the value.
  public var customMirror: Mirror { Mirror(reflecting: wrappedValue) }
}

// The `Encodable` conformances that Swift synthesizes encode the wrapper of a property.
extension Mapped: Encodable where Shape.Value: Encodable {
  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension KeyedEncodingContainer {
  /// Encodes the value of a `Mapped` as a plain property is encoded, so that an encoder's strategies for dates and
  /// similar types apply.
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
