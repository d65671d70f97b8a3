import Dflat

/// The keys that could not be read for their subscribers, and are read again after a pause. Guarded by the engine's lock of
/// rank `dictionary`.
package struct UnreadKeys {
  private var paths: Set<DictionaryPath> = []
  private var isRetryScheduled = false

  /// The pauses before the keys are read again, in seconds.
  private static let pauses = 0.1...10.0

  package init() {}

  /// Adds a key.
  ///
  /// - Returns: whether the key is new, so that the failure has to be reported; and after how many seconds the caller has
  ///   to read the keys again, nil if somebody else is about to.
  package mutating func insert(_ path: DictionaryPath) -> (isNew: Bool, pause: Double?) {
    let isNew = paths.insert(path).inserted
    defer { isRetryScheduled = true }
    return (isNew, isRetryScheduled ? nil : UnreadKeys.pauses.lowerBound)
  }

  package mutating func remove(_ path: DictionaryPath) { paths.remove(path) }

  /// Returns the keys that are to be read now, and the seconds until the caller has to ask again. Without keys, nobody asks
  /// again until one is added.
  ///
  /// - Parameter pause: the pause before this call, in seconds.
  package mutating func retry(after pause: Double) -> (paths: Set<DictionaryPath>, pause: Double) {
    isRetryScheduled = !paths.isEmpty
    return (paths, min(2 * pause, UnreadKeys.pauses.upperBound))
  }
}
