import Dflat

/// The keys that could not be read for their subscribers, and are read again after a pause. Guarded by the engine's lock of
/// rank `dictionary`.
package struct UnreadKeys {
  private var paths: Set<DictionaryPath> = []
  private var retries = ReadRetries()

  package init() {}

  /// Adds a key.
  ///
  /// - Returns: whether the key is new, so that the failure has to be reported; and after how many seconds the caller has
  ///   to call `beginRetry()` and read the keys again, nil if somebody else is about to.
  package mutating func insert(_ path: DictionaryPath) -> (isNew: Bool, pause: Double?) {
    (paths.insert(path).inserted, retries.request())
  }

  /// Removes a key that was read, or has no subscribers any more.
  package mutating func remove(_ path: DictionaryPath) {
    paths.remove(path)
    if paths.isEmpty { retries.end() }
  }

  /// Returns the keys that are to be read now. Those that fail again are inserted again.
  package mutating func beginRetry() -> Set<DictionaryPath> {
    retries.begin()
    return paths
  }
}
