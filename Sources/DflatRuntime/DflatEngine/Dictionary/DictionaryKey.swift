import Dflat
import Foundation

/// A dictionary key, compared by its bytes: two Unicode forms of a text are two keys, as in SQLite.
package struct DictionaryKey: Hashable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  // Inlined into a dictionary's comparisons, or each comparison would retain and release a string: the benchmark row
  // "read 40,000 Int, known".
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

/// A key with its namespace.
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
  /// Applies these values to a namespace's keys: adds those that have a value, removes those that are nil.
  package func apply(to keys: inout Set<DictionaryKey>, of namespace: DictionaryKey) {
    for (path, value) in self where path.namespace == namespace {
      if value == nil { keys.remove(path.key) } else { keys.insert(path.key) }
    }
  }
}

/// A change of one dictionary key: a new value, or its removal.
package struct DictionaryChange {
  package let path: DictionaryPath
  /// The new value; nil removes the key.
  package let value: StoredDictionaryValue?

  package init(path: DictionaryPath, value: StoredDictionaryValue?) {
    self.path = path
    self.value = value
  }
}
