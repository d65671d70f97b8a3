import FlatBuffersCore
import Foundation

/// How the values of a type are stored in the dictionary. There is one for each family of types.
public protocol DictionaryCoding: Sendable {
  /// The type of the values.
  associatedtype Value: Equatable

  /// The stored form of a value.
  ///
  /// - Throws: what keeps the value from being encoded.
  static func stored(_ value: Value) throws -> StoredDictionaryValue

  /// The value of a stored form.
  ///
  /// - Throws: `UnreadableDictionaryValue` if it is not one of these values.
  static func value(_ stored: StoredDictionaryValue) throws -> Value

  /// Whether two values are the same to the dictionary, so that the second one need not be stored nor told.
  static func _isSame(_ lhs: Value, _ rhs: Value) -> Bool
}

extension DictionaryCoding {
  /// Whether two values are equal.
  public static func _isSame(_ lhs: Value, _ rhs: Value) -> Bool { lhs == rhs }

  /// Whether two values, or none, are the same to the dictionary.
  static func isSame(_ lhs: Value?, _ rhs: Value?) -> Bool {
    guard let lhs, let rhs else { return lhs == nil && rhs == nil }
    return _isSame(lhs, rhs)
  }
}

/// Why a stored value is not one of the type that it is read as.
public enum UnreadableDictionaryValue: Error, Sendable {
  /// It was stored as something else, which the associated value describes.
  case otherType(String)
  /// It is a FlatBuffer of another version of the type.
  case otherVersion(String?)
  /// Its bytes are damaged, or not such a value. The associated value says what is wrong.
  case damaged(String)
}

/// A type whose values are stored as they are: a number, a Boolean value or a string.
///
/// To store another one, conform it to this protocol.
public protocol DictionaryPrimitive: Codable, Equatable, Sendable {
  /// The stored form of this value.
  var _stored: StoredDictionaryValue { get }

  /// The value of a stored form; nil if it is of another type.
  init?(_stored: StoredDictionaryValue)
}

extension Bool: DictionaryPrimitive {
  /// The value as it is stored.
  @inlinable
  public var _stored: StoredDictionaryValue { .bool(self) }

  /// The value, if it was stored as this type.
  @inlinable
  public init?(_stored: StoredDictionaryValue) {
    guard case .bool(let value) = _stored else { return nil }
    self = value
  }
}

extension Int: DictionaryPrimitive {
  /// The value as it is stored.
  @inlinable
  public var _stored: StoredDictionaryValue { .integer(Int64(self)) }

  /// The value, if it was stored as this type.
  @inlinable
  public init?(_stored: StoredDictionaryValue) {
    guard case .integer(let value) = _stored else { return nil }
    self.init(exactly: value)
  }
}

extension UInt: DictionaryPrimitive {
  /// The value as it is stored.
  @inlinable
  public var _stored: StoredDictionaryValue { .unsigned(UInt64(self)) }

  /// The value, if it was stored as this type.
  @inlinable
  public init?(_stored: StoredDictionaryValue) {
    guard case .unsigned(let value) = _stored else { return nil }
    self.init(exactly: value)
  }
}

extension Float: DictionaryPrimitive {
  /// The value as it is stored.
  @inlinable
  public var _stored: StoredDictionaryValue { .float(self) }

  /// The value, if it was stored as this type.
  @inlinable
  public init?(_stored: StoredDictionaryValue) {
    guard case .float(let value) = _stored else { return nil }
    self = value
  }
}

extension Double: DictionaryPrimitive {
  /// The value as it is stored.
  @inlinable
  public var _stored: StoredDictionaryValue { .double(self) }

  /// The value, if it was stored as this type.
  @inlinable
  public init?(_stored: StoredDictionaryValue) {
    guard case .double(let value) = _stored else { return nil }
    self = value
  }
}

extension String: DictionaryPrimitive {
  /// The value as it is stored.
  @inlinable
  public var _stored: StoredDictionaryValue { .string(self) }

  /// The value, if it was stored as this type.
  @inlinable
  public init?(_stored: StoredDictionaryValue) {
    guard case .string(let value) = _stored else { return nil }
    self = value
  }
}

/// Stores numbers, Boolean values and strings as they are.
public enum PrimitiveCoding<Value: DictionaryPrimitive>: DictionaryCoding {
  /// The stored form of a value.
  public static func stored(_ value: Value) -> StoredDictionaryValue { value._stored }

  /// The value of a stored form.
  public static func value(_ stored: StoredDictionaryValue) throws -> Value {
    if let value = Value(_stored: stored) { return value }
    throw UnreadableDictionaryValue(stored)
  }

  /// Whether two values have the same bytes: -0.0 is not 0.0, and an é of one Unicode scalar is not one of two.
  public static func _isSame(_ lhs: Value, _ rhs: Value) -> Bool { lhs._stored.isIdentical(to: rhs._stored) }
}

/// Stores `Codable` values as binary property lists.
///
/// In generic code, of which Swift knows no more than that a type is `Codable`, it may be a number, too, which is
/// stored as such.
public enum PropertyListCoding<Value: Codable & Equatable>: DictionaryCoding {
  /// The stored form of a value.
  public static func stored(_ value: Value) throws -> StoredDictionaryValue {
    if let value = value as? any DictionaryPrimitive { return value._stored }
    let encoded = EncodedDictionaryValue(.propertyList, Array(try data(value)))
    encoded.keep(value)
    return .encoded(encoded)
  }

  /// Whether two values are equal, or, if they are numbers or strings, have the same bytes.
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
      // Foundation refuses a number, a string or a date that is not part of something, such as an enum with raw values;
      // though it writes and reads such a property list. What else is wrong with the value is wrong in an array, too.
      guard
        let array = try PropertyListSerialization.propertyList(from: encoder.encode([value]), format: nil) as? [Any],
        let only = array.first
      else { throw error }
      return try PropertyListSerialization.data(fromPropertyList: only, format: .binary, options: 0)
    }
  }

  /// The value of a stored form.
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

/// Stores FlatBuffers values as finished buffers, with the version of their type.
public enum FlatBufferCoding<Value: FlatBuffersCodable & Equatable>: DictionaryCoding {
  /// The stored form of a value.
  public static func stored(_ value: Value) throws -> StoredDictionaryValue {
    var builder = FlatBufferBuilder()
    let root = value.to(flatBufferBuilder: &builder)
    try builder.finish(root, fileIdentifier: Value._fileIdentifier)
    let bytes = builder.withFinishedBytes { Array($0) }
    let encoded = EncodedDictionaryValue(.flatBuffer(version: Value.flatBuffersSchemaVersion), bytes)
    encoded.keep(value)
    return .encoded(encoded)
  }

  /// The value of a stored form.
  public static func value(_ stored: StoredDictionaryValue) throws -> Value {
    guard case .encoded(let encoded) = stored, case .flatBuffer(let version) = encoded.kind else {
      throw UnreadableDictionaryValue(stored)
    }
    guard version == Value.flatBuffersSchemaVersion else { throw UnreadableDictionaryValue.otherVersion(version) }
    if let value = encoded.decoded(as: Value.self) { return value }
    let buffer = ByteBuffer(encoded.bytes)
    guard Value.verify(byteBuffer: buffer) else {
      throw UnreadableDictionaryValue.damaged("its bytes are not a well-formed FlatBuffer of \(Value.self)")
    }
    let value = Value.from(byteBuffer: buffer)
    encoded.keep(value)
    return value
  }
}

extension UnreadableDictionaryValue {
  /// What a coding has thrown.
  init(_ error: any Error) {
    self = error as? UnreadableDictionaryValue ?? .damaged("\(error)")
  }

  /// Why a stored value is not of a family to which it does not belong.
  init(_ stored: StoredDictionaryValue) {
    if case .damaged = stored {
      self = .damaged("its row holds no value that this version can read")
    } else {
      self = .otherType(stored.kindName)
    }
  }
}
