import CSQLite

/// A flag that threads share and read by one atomic load: for a state that is rarely set, and that each fetch looks at.
final class SharedFlag: @unchecked Sendable {
  // Unchecked: only atomic operations read and write the word. It is behind a pointer, since it must not move.
  private let word: UnsafeMutablePointer<UInt64>

  init() {
    word = .allocate(capacity: 1)
    word.initialize(to: 0)
  }

  deinit { word.deallocate() }

  var isSet: Bool { dflat_load(word) != 0 }

  func set(_ value: Bool) { dflat_store(word, value ? 1 : 0) }
}
