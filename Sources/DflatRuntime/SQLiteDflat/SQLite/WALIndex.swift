import CSQLite

/// The WAL index of a database: the shared memory, `-shm`, that tells the processes using the file what its log holds.
///
/// Only its header is read, and only to learn whether anybody has committed. Where the header has another layout than the one
/// known here, or somebody is writing it, the answer is nil; then a read transaction is begun as if somebody had committed.
///
/// https://www.sqlite.org/walformat.html#the_wal_index_header
struct WALIndex: @unchecked Sendable {
  // Unchecked: the memory is only read, by atomic operations. SQLite keeps it mapped while the connection is open and in WAL mode, and
  // whoever keeps a `WALIndex` drops it before the connection is closed or leaves that mode.
  private let words: UnsafePointer<UInt64>

  /// The version of the layout, which is the first number of the header. It has been the same since WAL mode came, in SQLite 3.7.0.
  static let version: UInt32 = 3_007_000

  /// - Parameter memory: two copies of the header, one behind the other, aligned to 8 bytes.
  init(_ memory: UnsafeRawPointer) { words = memory.assumingMemoryBound(to: UInt64.self) }

  /// The index of a file in WAL mode that the connection has read; nil if the system does not map it, or its layout is unknown.
  init?(of database: OpaquePointer) {
    guard let memory = dflat_wal_index(database) else { return nil }
    self.init(memory)
    // Whoever writes a header leaves its layout as it is, so that one copy tells.
    guard Header(words: copy(at: words)).hasKnownLayout else { return nil }
  }

  /// What the header says. Any commit, of whatever process, changes it.
  struct Header: Equatable {
    fileprivate var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    static func == (lhs: Header, rhs: Header) -> Bool { lhs.words == rhs.words }

    /// How many commits have been made since the log was made, modulo 2^32: one more with each.
    var changeCounter: UInt32 { withUnsafeBytes(of: words) { $0.load(fromByteOffset: 8, as: UInt32.self) } }

    /// How many pages the log has.
    var frameCount: UInt32 { withUnsafeBytes(of: words) { $0.load(fromByteOffset: 16, as: UInt32.self) } }

    fileprivate var hasKnownLayout: Bool {
      withUnsafeBytes(of: words) { bytes in
        // The byte at 12 is not 0 once the header has been filled in.
        bytes.load(as: UInt32.self) == WALIndex.version && bytes[12] != 0
      }
    }
  }

  /// The header; nil if its layout is unknown, or a commit is just being written.
  var header: Header? {
    // SQLite writes the second copy, then the first. Who reads them in the other order, and finds them equal, has read a whole one.
    let header = Header(words: copy(at: words))
    guard header.hasKnownLayout, header == Header(words: copy(at: words + 6)) else { return nil }
    return header
  }

  private func copy(at words: UnsafePointer<UInt64>) -> (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) {
    (
      dflat_load(words), dflat_load(words + 1), dflat_load(words + 2), dflat_load(words + 3), dflat_load(words + 4),
      dflat_load(words + 5)
    )
  }

  /// The part of the header that costs least to compare: how often was committed, and the checksum of the log's last frame.
  struct CommitMark: Equatable {
    fileprivate let commits: UInt64
    fileprivate let checksum: UInt64

    /// How many commits have been made since the log was made, modulo 2^32: that of a header.
    var changeCounter: UInt32 { withUnsafeBytes(of: commits) { $0.load(as: UInt32.self) } }
  }

  /// The mark in the first copy, which SQLite writes last. While a commit is being written it may be neither the old nor the new one,
  /// and then equals none that was read before.
  var mark: CommitMark { CommitMark(commits: dflat_load(words + 1), checksum: dflat_load(words + 3)) }
}

extension WALIndex.Header? {
  /// Whether both are known, and equal: nobody has written to the log between.
  func isSame(as other: WALIndex.Header?) -> Bool {
    guard let self, let other else { return false }
    return self == other
  }

  /// Whether both are known, and nobody has committed between. They may differ: who writes begins the log anew, also long before
  /// the commit.
  func hasSameCommits(as other: WALIndex.Header?) -> Bool {
    guard let self, let other else { return false }
    return self.changeCounter == other.changeCounter
  }
}

extension WALIndex.CommitMark? {
  /// Whether both are known, and equal: nobody has committed between.
  func isSame(as other: WALIndex.CommitMark?) -> Bool {
    guard let self, let other else { return false }
    return self == other
  }
}
