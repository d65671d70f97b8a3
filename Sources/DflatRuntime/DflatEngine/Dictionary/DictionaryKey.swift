import Dflat
import Foundation

/// A key, compared by its bytes: two Unicode forms of a text are two keys, as they are in SQLite.
package struct DictionaryKey: Hashable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  // Inlined where a dictionary compares keys, or else each comparison would count a reference.
  @inline(__always)
  package static func == (lhs: DictionaryKey, rhs: DictionaryKey) -> Bool {
    let isSame: Bool?? = lhs.text.utf8.withContiguousStorageIfAvailable { lhs in
      rhs.text.utf8.withContiguousStorageIfAvailable { rhs in
        guard lhs.count == rhs.count, let first = lhs.baseAddress, let second = rhs.baseAddress else {
          return lhs.count == rhs.count
        }
        return memcmp(first, second, lhs.count) == 0
      }
    }
    if case .some(.some(let isSame)) = isSame { return isSame }
    return lhs.text.hasSameBytes(as: rhs.text)
  }

  package func hash(into hasher: inout Hasher) {
    let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable {
      hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if isHashed == nil { for byte in text.utf8 { hasher.combine(byte) } }
  }
}

/// A key of a namespace.
package struct DictionaryPath: Hashable {
  package let namespace: DictionaryKey
  package let key: DictionaryKey

  package init(namespace: DictionaryKey, key: DictionaryKey) {
    self.namespace = namespace
    self.key = key
  }

  package init(_ key: String, in namespace: DictionaryKey) {
    self.init(namespace: namespace, key: DictionaryKey(key))
  }
}

extension [DictionaryPath: StoredDictionaryValue?] {
  /// Makes of the keys that a namespace has without these values those that it has with them.
  package func apply(to keys: inout Set<DictionaryKey>, of namespace: DictionaryKey) {
    for (path, value) in self where path.namespace == namespace {
      if value == nil { keys.remove(path.key) } else { keys.insert(path.key) }
    }
  }
}

/// A value that is to be stored, or a key that is to be removed.
package struct DictionaryChange {
  package let path: DictionaryPath
  /// Nil removes the key.
  package let value: StoredDictionaryValue?

  package init(path: DictionaryPath, value: StoredDictionaryValue?) {
    self.path = path
    self.value = value
  }
}
