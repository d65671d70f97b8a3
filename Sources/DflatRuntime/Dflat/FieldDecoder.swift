/// Decodes the fields of an object: used by the code that is generated for `(codable)`.
///
/// A field that is missing, or null, takes its default. All else that does not fit is a `DecodingError`.
public struct FieldDecoder<Key: CodingKey> {
  private let container: KeyedDecodingContainer<Key>

  /// Decodes an object of `decoder`.
  ///
  /// - Throws: `DecodingError` when it holds no object.
  public init(_ decoder: any Decoder) throws {
    container = try decoder.container(keyedBy: Key.self)
  }

  /// The value of a field that must be there.
  ///
  /// - Throws: `DecodingError` when it is missing, or of another type.
  public func required<Value: Decodable>(_ key: Key) throws -> Value {
    try container.decode(Value.self, forKey: key)
  }

  /// The value of a field, or nil where it is missing.
  ///
  /// - Throws: `DecodingError` when it is of another type.
  public func optional<Value: Decodable>(_ key: Key) throws -> Value? {
    try container.decodeIfPresent(Value.self, forKey: key)
  }

  /// The value of a field, or its default where it is missing.
  ///
  /// - Throws: `DecodingError` when it is of another type.
  public func value<Value: Decodable>(_ key: Key, default value: Value) throws -> Value {
    try container.decodeIfPresent(Value.self, forKey: key) ?? value
  }

  /// The elements of a fixed array, or its default where it is missing.
  ///
  /// - Throws: `DecodingError` when it has another number of elements, or elements of another type.
  public func array<Element: Decodable>(_ key: Key, count: Int, default value: [Element]) throws -> [Element] {
    guard let elements = try container.decodeIfPresent([Element].self, forKey: key) else { return value }
    guard elements.count == count else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: container, debugDescription: "The array has \(elements.count) elements instead of \(count).")
    }
    return elements
  }

  /// The one key that the object has: that of a union's member.
  ///
  /// - Throws: `DecodingError` when it has none of the keys, or more than one.
  public func onlyKey() throws -> Key {
    let keys = container.allKeys
    guard let key = keys.first, keys.count == 1 else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: container.codingPath,
          debugDescription: keys.isEmpty
            ? "The object holds no member of the union that this version knows."
            : "The object holds \(keys.count) members of a union, which has one."))
    }
    return key
  }
}
