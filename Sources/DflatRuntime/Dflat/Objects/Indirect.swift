/// A property wrapper that stores a value on the heap, so that a struct can hold an optional value of its own type.
///
/// Generated code uses it for recursive tables: `@Indirect public var next: Node?`. It has value semantics: changing a
/// copy does not change the original.
///
/// The stack depth of releasing a chain of nested values is bounded, however long the chain is; see `ReleaseQueue`.
@propertyWrapper
public struct Indirect<Value> {
  private var box: IndirectBox<Value>?

  /// Stores `wrappedValue`. Nil allocates nothing.
  public init(wrappedValue: Value?) {
    box = wrappedValue.map { IndirectBox($0) }
  }

  /// The value in the box; nil if there is none.
  public var wrappedValue: Value? {
    get { box?.value }
    set { box = newValue.map { IndirectBox($0) } }
  }
}

extension Indirect: Sendable where Value: Sendable {}

extension Indirect: Equatable where Value: Equatable {
  /// Returns whether the values are equal.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.box === rhs.box || lhs.wrappedValue == rhs.wrappedValue
  }
}

extension Indirect: CustomStringConvertible, CustomDebugStringConvertible {
  /// The value is left out, because printing a long chain of values would overflow the stack. The mirror shows it.
  public var description: String { box == nil ? "nil" : "\(Value.self)(…)" }

  /// The value of `description`.
  public var debugDescription: String { description }
}

extension Indirect: CustomReflectable {
  /// A mirror of the value.
  public var customMirror: Mirror { Mirror(reflecting: wrappedValue as Any) }
}

extension KeyedEncodingContainer {
  /// Encodes the value of an `Indirect` as a plain optional property is encoded: a nil is omitted. The `Encodable`
  /// conformances that Swift synthesizes call this.
  ///
  /// - Throws: `EncodingError` if values are nested more than 512 deep, the limit of `JSONDecoder`, and any error of
  ///   encoding the value.
  public mutating func encode<Value: Encodable>(_ value: Indirect<Value>, forKey key: Key) throws {
    guard let wrapped = value.wrappedValue else { return }
    guard codingPath.count < 512 else {
      throw EncodingError.invalidValue(
        wrapped, EncodingError.Context(codingPath: codingPath, debugDescription: "The objects are nested too deeply."))
    }
    try encode(wrapped, forKey: key)
  }
}

// Required for the synthesis of `Encodable`. Containers call the method above instead.
extension Indirect: Encodable where Value: Encodable {
  /// Encodes the value; nil as null.
  public func encode(to encoder: any Encoder) throws {
    try wrappedValue.encode(to: encoder)
  }
}

extension Indirect: Decodable where Value: Decodable {
  /// Decodes the value; null as nil.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try Value?(from: decoder))
  }
}

/// A heap cell for a value.
///
/// Unchecked because `value` is a variable: it changes only in `deinit`, when no other reference to the box exists.
private final class IndirectBox<Value>: @unchecked Sendable {
  private(set) var value: Value?

  init(_ value: Value) {
    self.value = value
  }

  deinit {
    ReleaseQueue.ofThisThread.release(&value)
  }
}
