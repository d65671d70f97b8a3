import FlatBuffersCore
import Foundation

/// The conversion between the values of a type and their stored form. There is one for each family of types.
public protocol DictionaryCoding: Sendable {
  /// The type of the values.
  associatedtype Value: Equatable

  /// Returns the stored form of a value.
  ///
  /// - Throws: the error of the encoder.
  static func stored(_ value: Value) throws -> StoredDictionaryValue

  /// Returns the value of a stored form.
  ///
  /// - Throws: `UnreadableDictionaryValue` if the stored form is of another type or damaged.
  static func value(_ stored: StoredDictionaryValue) throws -> Value

  /// Returns whether two values are the same to the dictionary, so that the second one is neither stored nor told.
  static func _isSame(_ lhs: Value, _ rhs: Value) -> Bool
}

extension DictionaryCoding {
  /// Returns whether two values are equal.
  public static func _isSame(_ lhs: Value, _ rhs: Value) -> Bool { lhs == rhs }

  /// Returns whether two values, or none, are the same to the dictionary.
  static func isSame(_ lhs: Value?, _ rhs: Value?) -> Bool {
    guard let lhs, let rhs else { return lhs == nil && rhs == nil }
    return _isSame(lhs, rhs)
  }
}

/// The reason why a stored value cannot be read as the requested type.
public enum UnreadableDictionaryValue: Error, Sendable {
  /// The value was stored as another type, which the associated value names.
  case otherType(String)
  /// The value is a FlatBuffer of another version of the type. The associated value is the stored version; nil if none
  /// is stored.
  case otherVersion(String?)
  /// The bytes are damaged, or do not encode such a value. The associated value says what is wrong.
  case damaged(String)
}

/// A type whose values are stored as a number, a Boolean value or a string.
///
/// To store values of another type in this way, let the type conform to this protocol.
public protocol DictionaryPrimitive: Codable, Equatable, Sendable {
  /// The stored form of this value.
  var _stored: StoredDictionaryValue { get }

  /// Creates the value of a stored form; nil if it was stored as another type.
  init?(_stored: StoredDictionaryValue)
}

extension Bool: DictionaryPrimitive {
  /// The stored form of the value.
  @inlinable
  public var _stored: StoredDictionaryValue { .bool(self) }

  /// Creates the value of a stored form; nil if it was stored as another type.
  @inlinable
  public init?(_stored: StoredDictionaryValue) {
    guard case .bool(let value) = _stored else { return nil }
    self = value
  }
}

extension Int: DictionaryPrimitive {
  /// The stored form of the value.
  @inlinable
  public var _stored: StoredDictionaryValue { .integer(Int64(self)) }

  /// Creates the value of a stored form; nil if it was stored as another type.
  @inlinable
  public init?(_stored: StoredDictionaryValue) {
    guard case .integer(let value) = _stored else { return nil }
    self.init(exactly: value)
  }
}

extension UInt: DictionaryPrimitive {
  /// The stored form of the value.
  @inlinable
  public var _stored: StoredDictionaryValue { .unsigned(UInt64(self)) }

  /// Creates the value of a stored form; nil if it was stored as another type.
  @inlinable
  public init?(_stored: StoredDictionaryValue) {
    guard case .unsigned(let value) = _stored else { return nil }
    self.init(exactly: value)
  }
}

extension Float: DictionaryPrimitive {
  /// The stored form of the value.
  @inlinable
  public var _stored: StoredDictionaryValue { .float(self) }

  /// Creates the value of a stored form; nil if it was stored as another type.
  @inlinable
  public init?(_stored: StoredDictionaryValue) {
    guard case .float(let value) = _stored else { return nil }
    self = value
  }
}

extension Double: DictionaryPrimitive {
  /// The stored form of the value.
  @inlinable
  public var _stored: StoredDictionaryValue { .double(self) }

  /// Creates the value of a stored form; nil if it was stored as another type.
  @inlinable
  public init?(_stored: StoredDictionaryValue) {
    guard case .double(let value) = _stored else { return nil }
    self = value
  }
}

extension String: DictionaryPrimitive {
  /// The stored form of the value.
  @inlinable
  public var _stored: StoredDictionaryValue { .string(self) }

  /// Creates the value of a stored form; nil if it was stored as another type.
  @inlinable
  public init?(_stored: StoredDictionaryValue) {
    guard case .string(let value) = _stored else { return nil }
    self = value
  }
}

/// The coding of numbers, Boolean values and strings, which are stored as they are.
public enum PrimitiveCoding<Value: DictionaryPrimitive>: DictionaryCoding {
  /// Returns the stored form of a value.
  public static func stored(_ value: Value) -> StoredDictionaryValue { value._stored }

  /// Returns the value of a stored form.
  public static func value(_ stored: StoredDictionaryValue) throws -> Value {
    if let value = Value(_stored: stored) { return value }
    throw UnreadableDictionaryValue(stored)
  }

  /// Returns whether two values have the same bytes: -0.0 is not 0.0, and an é of one Unicode scalar is not one of two.
  public static func _isSame(_ lhs: Value, _ rhs: Value) -> Bool { lhs._stored.isIdentical(to: rhs._stored) }
}

/// The coding of `Codable` values, which are stored as binary property lists.
///
/// In generic code, where Swift knows no more than that a type is `Codable`, the type may be a `DictionaryPrimitive`.
/// Its values are then stored as such.
public enum PropertyListCoding<Value: Codable & Equatable>: DictionaryCoding {
  /// Returns the stored form of a value.
  public static func stored(_ value: Value) throws -> StoredDictionaryValue {
    if let value = value as? any DictionaryPrimitive { return value._stored }
    let encoded = EncodedDictionaryValue(.propertyList, Array(try data(value)))
    encoded.keep(value)
    return .encoded(encoded)
  }

  /// Returns whether two values are equal, or, if they are numbers or strings, have the same bytes.
  public static func _isSame(_ lhs: Value, _ rhs: Value) -> Bool {
    if let lhs = lhs as? any DictionaryPrimitive, let rhs = rhs as? any DictionaryPrimitive {
      return lhs._stored.isIdentical(to: rhs._stored)
    }
    return lhs == rhs
  }

  private static func data(_ value: Value) throws -> Data {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    do {
      return try encoder.encode(value)
    } catch {
      // Foundation refuses to encode a number, string or date that is not part of an array or dictionary, such as an
      // enum with raw values. It does write and read such a property list. If the value itself is at fault, encoding
      // it in an array throws, too.
      guard
        let array = try PropertyListSerialization.propertyList(from: encoder.encode([value]), format: nil) as? [Any],
        let only = array.first
      else { throw error }
      return try PropertyListSerialization.data(fromPropertyList: only, format: .binary, options: 0)
    }
  }

  /// Returns the value of a stored form.
  public static func value(_ stored: StoredDictionaryValue) throws -> Value {
    if let type = Value.self as? any DictionaryPrimitive.Type, let value = type.init(_stored: stored) as? Value {
      return value
    }
    guard case .encoded(let encoded) = stored, case .propertyList = encoded.kind else {
      throw UnreadableDictionaryValue(stored)
    }
    if let value = encoded.decoded(as: Value.self) { return value }
    let value: Value
    do {
      value = try PropertyListDecoder().decode(Value.self, from: Data(encoded.bytes))
    } catch {
      throw UnreadableDictionaryValue.damaged("\(error)")
    }
    encoded.keep(value)
    return value
  }
}

/// The coding of FlatBuffers values, which are stored as finished buffers with the version of their type.
public enum FlatBufferCoding<Value: FlatBuffersCodable & Equatable>: DictionaryCoding {
  /// Returns the stored form of a value.
  public static func stored(_ value: Value) throws -> StoredDictionaryValue {
    var builder = FlatBufferBuilder()
    let root = value.to(flatBufferBuilder: &builder)
    try builder.finish(root, fileIdentifier: Value._fileIdentifier)
    let bytes = builder.withFinishedBytes { Array($0) }
    let encoded = EncodedDictionaryValue(.flatBuffer(version: Value.flatBuffersSchemaVersion), bytes)
    encoded.keep(value)
    return .encoded(encoded)
  }

  /// Returns the value of a stored form.
  public static func value(_ stored: StoredDictionaryValue) throws -> Value {
    guard case .encoded(let encoded) = stored, case .flatBuffer(let version) = encoded.kind else {
      throw UnreadableDictionaryValue(stored)
    }
    guard version == Value.flatBuffersSchemaVersion else { throw UnreadableDictionaryValue.otherVersion(version) }
    if let value = encoded.decoded(as: Value.self) { return value }
    let buffer = ByteBuffer(encoded.bytes)
    guard Value.verify(byteBuffer: buffer), let value = Value._complete(byteBuffer: buffer) else {
      throw UnreadableDictionaryValue.damaged("its bytes are not a well-formed FlatBuffer of \(Value.self)")
    }
    encoded.keep(value)
    return value
  }
}

extension UnreadableDictionaryValue {
  /// Converts an error that a coding has thrown.
  init(_ error: any Error) {
    self = error as? UnreadableDictionaryValue ?? .damaged("\(error)")
  }

  /// Describes a stored value that belongs to another family of types than the requested one, or is damaged.
  init(_ stored: StoredDictionaryValue) {
    if case .damaged = stored {
      self = .damaged("its row holds no value that this version can read")
    } else {
      self = .otherType(stored.kindName)
    }
  }
}
