import Foundation

/// The stored form of a value of the dictionary. A `DictionaryCoding` converts an app's values to it and back.
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

  /// Returns whether both are the same, bit by bit: -0.0 differs from 0.0, and a NaN equals itself.
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

  /// The kind of the value with its article, such as `a String`, for messages; `damaged` for a damaged value.
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
  /// Returns whether both are nil, or the same, bit by bit.
  package func isIdentical(to other: StoredDictionaryValue?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let lhs?, let rhs?): lhs.isIdentical(to: rhs)
    default: false
    }
  }
}

/// The bytes of an encoded value, and the decoded value once it is known.
public final class EncodedDictionaryValue: @unchecked Sendable {
  // Unchecked: the lock guards the one variable. Any thread that reads the key gets the value kept in it. Values of
  // an app's own classes, which a reader might change, are not kept: see `keep(_:)`.

  package enum Kind: Equatable, Sendable {
    case propertyList
    /// A FlatBuffer, with the version of its type in the schema that it was written with; nil if that has none.
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

  /// Returns the decoded value; nil unless a value of this type was kept.
  func decoded<Value>(as type: Value.Type) -> Value? {
    (lock.withLock { decoded } as? Box<Value>)?.value
  }

  /// Keeps the decoded value for later readers. An object of a class is kept only if it cannot change: if it is an
  /// `Atom`.
  func keep<Value>(_ value: Value) {
    guard !(Value.self is AnyObject.Type) || Value.self is any Atom.Type else { return }
    let box = Box(value)
    lock.withLock { decoded = box }
  }
}

extension String {
  /// Returns whether two strings have the same UTF-8 bytes. `==` also finds strings equal that have other bytes, such
  /// as an é of one Unicode scalar and one of two.
  package func hasSameBytes(as other: String) -> Bool {
    utf8.withContiguousStorageIfAvailable { lhs in
      other.utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer(lhs).isSame(as: UnsafeRawBufferPointer($0)) }
    }.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
  }
}
