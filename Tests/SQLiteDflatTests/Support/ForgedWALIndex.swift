import Testing

@testable import SQLiteDflat

/// Memory that looks like the WAL index of a file in use, for what reads one and needs no file.
final class ForgedWALIndex {
  /// Two copies of the header, 48 bytes each.
  private let memory = UnsafeMutableRawPointer.allocate(byteCount: 96, alignment: 8)

  /// - Parameters:
  ///   - version: the version of the layout that the header has.
  ///   - isInitialized: whether the header has been filled in.
  init(version: UInt32 = WALIndex.version, isInitialized: Bool = true) {
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: 96)
    for copy in [0, 48] {
      memory.storeBytes(of: version, toByteOffset: copy, as: UInt32.self)
      memory.storeBytes(of: isInitialized ? 1 : 0, toByteOffset: copy + 12, as: UInt8.self)
    }
  }

  deinit { memory.deallocate() }

  /// The index; good while this object is there.
  var index: WALIndex { WALIndex(UnsafeRawPointer(memory)) }

  /// Does to the header what a commit does.
  func commit() {
    beginCommit()
    count(in: 0)
  }

  /// Does what a commit does that has written the second copy of the header, and not the first yet.
  func beginCommit() { count(in: 48) }

  private func count(in copy: Int) {
    let count = memory.load(fromByteOffset: copy + 8, as: UInt32.self)
    memory.storeBytes(of: count &+ 1, toByteOffset: copy + 8, as: UInt32.self)
  }
}
