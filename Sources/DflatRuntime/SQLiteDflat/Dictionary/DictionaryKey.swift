import Dflat

/// A key, compared by its bytes: two Unicode forms of a text are two keys, as they are in SQLite.
struct DictionaryKey: Hashable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (lhs: DictionaryKey, rhs: DictionaryKey) -> Bool { lhs.text.hasSameBytes(as: rhs.text) }

  func hash(into hasher: inout Hasher) {
    let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isHashed == nil { for byte in text.utf8 { hasher.combine(byte) } }
  }
}

/// A key of a namespace.
struct DictionaryPath: Hashable {
  let namespace: DictionaryKey
  let key: DictionaryKey
}

/// A value that is to be stored, or a key that is to be removed.
struct DictionaryChange {
  let path: DictionaryPath
  /// Nil removes the key.
  let value: StoredDictionaryValue?
}
