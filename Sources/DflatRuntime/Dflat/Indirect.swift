/// A value that is kept apart from the struct that has it, so that the struct may hold another of its kind.
///
/// Generated code uses it for tables that hold themselves: `@Indirect public var next: Node?`. It behaves as the value
/// itself does: copies are independent of each other.
///
/// However many values are held one in the other, releasing them takes no more of the stack than releasing a few.
@propertyWrapper
public struct Indirect<Value> {
  private var box: IndirectBox<Value>?

  /// Keeps `wrappedValue`. An absent one takes no memory.
  public init(wrappedValue: Value?) {
    box = wrappedValue.map { IndirectBox($0) }
  }

  /// The value.
  public var wrappedValue: Value? {
    get { box?.value }
    set { box = newValue.map { IndirectBox($0) } }
  }
}

extension Indirect: Sendable where Value: Sendable {}

extension Indirect: Equatable where Value: Equatable {
  /// Whether the values are equal.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.box === rhs.box || lhs.wrappedValue == rhs.wrappedValue
  }
}

extension KeyedEncodingContainer {
  /// Encodes the value of an `Indirect` as if it stood there by itself: not at all when it is absent. The code that Swift
  /// makes for `Encodable` calls this.
  ///
  /// - Throws: `EncodingError` when values are nested more than 512 deep, which is as deep as `JSONDecoder` reads, and
  ///   what encoding the value throws.
  public mutating func encode<Value: Encodable>(_ value: Indirect<Value>, forKey key: Key) throws {
    guard let wrapped = value.wrappedValue else { return }
    guard codingPath.count < 512 else {
      throw EncodingError.invalidValue(
        wrapped, EncodingError.Context(codingPath: codingPath, debugDescription: "The objects are nested too deeply."))
    }
    try encode(wrapped, forKey: key)
  }
}

// The container has to see that `Indirect` is encodable; it never encodes one by itself.
extension Indirect: Encodable where Value: Encodable {
  /// Encodes the value, or null.
  public func encode(to encoder: any Encoder) throws {
    try wrappedValue.encode(to: encoder)
  }
}

extension Indirect: Decodable where Value: Decodable {
  /// Decodes the value, or null.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try Value?(from: decoder))
  }
}

/// Unchecked, since the value changes: but only when nobody else refers to the box any more.
private final class IndirectBox<Value>: @unchecked Sendable {
  private(set) var value: Value?

  init(_ value: Value) {
    self.value = value
  }

  deinit {
    ReleaseQueue.ofThisThread.release(&value)
  }
}
