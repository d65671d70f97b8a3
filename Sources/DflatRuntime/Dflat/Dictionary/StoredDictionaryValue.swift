import Foundation

/// A value of the dictionary in the form in which it is stored. What an app calls makes it from its own values, and
/// back: see `DictionaryCoding`.
public enum StoredDictionaryValue: Sendable {
  /// A `Bool`.
  case bool(Bool)
  /// An `Int`, or another signed integer.
  case integer(Int64)
  /// A `UInt`, or another unsigned integer.
  case unsigned(UInt64)
  /// A `Float`.
  case float(Float)
  /// A `Double`.
  case double(Double)
  /// A `String`.
  case string(String)
  /// A property list or a FlatBuffer.
  case encoded(EncodedDictionaryValue)
  /// The row holds no value that this version can read.
  case damaged

  /// Whether both are the same to the last bit: -0.0 is not 0.0, and a NaN is itself.
  package func isIdentical(to other: StoredDictionaryValue) -> Bool {
    switch (self, other) {
    case (.bool(let lhs), .bool(let rhs)): lhs == rhs
    case (.integer(let lhs), .integer(let rhs)): lhs == rhs
    case (.unsigned(let lhs), .unsigned(let rhs)): lhs == rhs
    case (.float(let lhs), .float(let rhs)): lhs.bitPattern == rhs.bitPattern
    case (.double(let lhs), .double(let rhs)): lhs.bitPattern == rhs.bitPattern
    case (.string(let lhs), .string(let rhs)): lhs.hasSameBytes(as: rhs)
    case (.encoded(let lhs), .encoded(let rhs)): lhs === rhs || lhs.kind == rhs.kind && lhs.bytes == rhs.bytes
    default: false
    }
  }

  /// What the value is, for messages.
  package var kindName: String {
    switch self {
    case .bool: "a Bool"
    case .integer: "an Int"
    case .unsigned: "a UInt"
    case .float: "a Float"
    case .double: "a Double"
    case .string: "a String"
    case .encoded(let value):
      switch value.kind {
      case .propertyList: "a Codable value"
      case .flatBuffer: "a FlatBuffers value"
      }
    case .damaged: "damaged"
    }
  }
}

extension StoredDictionaryValue? {
  /// Whether both are absent, or the same to the last bit.
  package func isIdentical(to other: StoredDictionaryValue?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let lhs?, let rhs?): lhs.isIdentical(to: rhs)
    default: false
    }
  }
}

/// The bytes of a value that encodes itself, and the value itself once it is known.
public final class EncodedDictionaryValue: @unchecked Sendable {
  // Unchecked: the lock guards the one variable. What is kept in it goes to any thread that reads the key; values of
  // classes, which might be changed there, are not kept, see `keep(_:)`.

  package enum Kind: Equatable, Sendable {
    case propertyList
    /// - Parameter version: the version of its type in the schema that it was written with.
    case flatBuffer(version: String?)
  }

  package let kind: Kind
  package let bytes: [UInt8]
  private let lock = NSLock()
  private var decoded: AnyObject?

  package init(_ kind: Kind, _ bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }

  private final class Box<Value> {
    let value: Value

    init(_ value: Value) {
      self.value = value
    }
  }

  /// The value, if it has been kept as one of this type.
  func decoded<Value>(as type: Value.Type) -> Value? {
    (lock.withLock { decoded } as? Box<Value>)?.value
  }

  /// Keeps the value for those who read it later. An object of a class is shared only if it cannot change: one that a
  /// workspace stores.
  func keep<Value>(_ value: Value) {
    guard !(Value.self is AnyObject.Type) || Value.self is any Atom.Type else { return }
    let box = Box(value)
    lock.withLock { decoded = box }
  }
}

extension String {
  /// Whether two strings are the same bytes. `==` also finds strings equal that are other bytes, such as an é of one
  /// Unicode scalar and one of two.
  package func hasSameBytes(as other: String) -> Bool {
    utf8.withContiguousStorageIfAvailable { lhs in
      other.utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer(lhs).isSame(as: UnsafeRawBufferPointer($0)) }
    }.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
  }
}
