import CSQLite

/// The WAL index of a database: the shared memory (`-shm`) that tells all processes what the log holds.
///
/// Only its header is read, and only to learn whether others have committed. If the layout is unknown, or another
/// process is writing the header, the header is nil. A read transaction is then begun as if others had committed.
///
/// https://www.sqlite.org/walformat.html#the_wal_index_header
struct WALIndex: @unchecked Sendable {
  // Unchecked: the memory is only read, by atomic operations. SQLite keeps it mapped while the connection is open and
  // in WAL mode. Every owner of a `WALIndex` drops it before the connection is closed or leaves that mode.
  private let words: UnsafePointer<UInt64>

  /// The version of the layout, the first number of the header. It has not changed since SQLite 3.7.0, which introduced
  /// WAL mode.
  static let version: UInt32 = 3_007_000

  /// Reads the WAL index at an address.
  /// - Parameter memory: the two copies of the header, one after the other, aligned to 8 bytes.
  init(_ memory: UnsafeRawPointer) { words = memory.assumingMemoryBound(to: UInt64.self) }

  /// Finds the WAL index of a file in WAL mode that the connection has read; nil if the system does not map it, or its
  /// layout is unknown.
  init?(of database: OpaquePointer) {
    guard let memory = dflat_wal_index(database) else { return nil }
    self.init(memory)
    // No process changes the layout, so one copy of the header is enough.
    guard Header(words: copy(at: words)).hasKnownLayout else { return nil }
  }

  /// The contents of the header. Any commit of any process changes it.
  struct Header: Equatable {
    fileprivate var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    static func == (lhs: Header, rhs: Header) -> Bool { lhs.words == rhs.words }

    /// The header's counter of commits, modulo 2^32. It begins anew when the WAL index is created or rebuilt by a
    /// recovery, so only the difference of two values means something.
    var changeCounter: UInt32 { withUnsafeBytes(of: words) { $0.load(fromByteOffset: 8, as: UInt32.self) } }

    /// How many frames the log holds. A page that was written several times has several.
    var frameCount: UInt32 { withUnsafeBytes(of: words) { $0.load(fromByteOffset: 16, as: UInt32.self) } }

    fileprivate var hasKnownLayout: Bool {
      withUnsafeBytes(of: words) { bytes in
        // The byte at 12 is 0 until the header has been filled in.
        bytes.load(as: UInt32.self) == WALIndex.version && bytes[12] != 0
      }
    }
  }

  /// The current header; nil if its layout is unknown, or a commit is just being written.
  var header: Header? {
    // SQLite writes the second copy, then the first. A reader that reads the first and then an equal second copy has
    // read a whole header.
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

  /// The part of the header that is cheapest to compare: the counter of commits, and the checksum of the log's last
  /// frame.
  struct CommitMark: Equatable {
    fileprivate let commits: UInt64
    fileprivate let checksum: UInt64

    /// The counter of commits, as `Header.changeCounter` has it.
    var changeCounter: UInt32 { withUnsafeBytes(of: commits) { $0.load(as: UInt32.self) } }
  }

  /// The mark in the first copy of the header, which SQLite writes last. While a commit is being written it may be
  /// neither the old nor the new mark, and then equals no mark that was read before.
  var mark: CommitMark { CommitMark(commits: dflat_load(words + 1), checksum: dflat_load(words + 3)) }
}

extension WALIndex.Header? {
  /// Returns true if both headers are known and equal: nobody has written to the log in between.
  func isSame(as other: WALIndex.Header?) -> Bool {
    guard let self, let other else { return false }
    return self == other
  }

  /// Returns true if both headers are known, and nobody has committed in between. The headers may differ: a writer may
  /// begin the log anew, even long before it commits.
  func hasSameCommits(as other: WALIndex.Header?) -> Bool {
    guard let self, let other else { return false }
    return self.changeCounter == other.changeCounter
  }
}

extension WALIndex.CommitMark? {
  /// Returns true if both marks are known and equal: nobody has committed in between.
  func isSame(as other: WALIndex.CommitMark?) -> Bool {
    guard let self, let other else { return false }
    return self == other
  }
}
