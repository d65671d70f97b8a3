import CSQLite

/// A flag that threads share, and that takes one load to be read: for what is rarely set, and looked at by each fetch.
final class SharedFlag: @unchecked Sendable {
  // Unchecked: the word is read and written by atomic operations alone. It stands behind a pointer, since it must not move.
  private let word: UnsafeMutablePointer<UInt64>

  init() {
    word = .allocate(capacity: 1)
    word.initialize(to: 0)
  }

  deinit { word.deallocate() }

  var isSet: Bool { dflat_load(word) != 0 }

  func set(_ value: Bool) { dflat_store(word, value ? 1 : 0) }
}
