/// A decoder of the fields of an object, for the code generated for `(codable)`.
///
/// A field that is missing or null takes its default. A key that is not a field is ignored, such as the `_rowid` and
/// the `_changesTimestamp` of Dflat 0.6. Anything else that does not match is a `DecodingError`.
public struct FieldDecoder<Key: CodingKey> {
  private let container: KeyedDecodingContainer<Key>

  /// Starts to decode the object in `decoder`.
  ///
  /// - Throws: `DecodingError` if it holds no object.
  public init(_ decoder: any Decoder) throws {
    container = try decoder.container(keyedBy: Key.self)
  }

  /// Returns the value of a required field.
  ///
  /// - Throws: `DecodingError` if it is missing or of another type.
  public func required<Value: Decodable>(_ key: Key) throws -> Value {
    try container.decode(Value.self, forKey: key)
  }

  /// Returns the value of a field; nil if it is missing or null.
  ///
  /// - Throws: `DecodingError` if it is of another type.
  public func optional<Value: Decodable>(_ key: Key) throws -> Value? {
    try container.decodeIfPresent(Value.self, forKey: key)
  }

  /// Returns the value of a field, or its default if it is missing or null.
  ///
  /// - Throws: `DecodingError` if it is of another type.
  public func value<Value: Decodable>(_ key: Key, default value: Value) throws -> Value {
    try container.decodeIfPresent(Value.self, forKey: key) ?? value
  }

  /// Returns the elements of a fixed array, or its default if it is missing or null.
  ///
  /// - Throws: `DecodingError` if it has another number of elements, or elements of another type.
  public func array<Element: Decodable>(_ key: Key, count: Int, default value: [Element]) throws -> [Element] {
    guard let elements = try container.decodeIfPresent([Element].self, forKey: key) else { return value }
    guard elements.count == count else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: container, debugDescription: "The array has \(elements.count) elements instead of \(count).")
    }
    return elements
  }

  /// Returns the member of a union, which is the value of the key that names it.
  ///
  /// In the JSON of Dflat 0.6, which left the coding of unions to Swift, the value is an object with the single key
  /// `_0`, whose value is the member. That is decoded, too.
  ///
  /// - Throws: `DecodingError` if it is of another type.
  public func member<Value: Decodable>(_ key: Key) throws -> Value {
    // Anything else is decoded as the member itself, which throws if it does not match.
    if let object = try? container.nestedContainer(keyedBy: AnyKey.self, forKey: key), let only = object.allKeys.first,
      object.allKeys.count == 1, only.stringValue == "_0",
      // A field may be called `_0`, too. The members of Dflat 0.6 were objects.
      (try? object.nestedContainer(keyedBy: AnyKey.self, forKey: only)) != nil
    {
      return try object.decode(Value.self, forKey: only)
    }
    return try required(key)
  }

  /// Returns the object's only key, which names the member of a union.
  ///
  /// - Throws: `DecodingError` if the object has none of the keys, or more than one.
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

/// Any key of an object.
private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }
}
