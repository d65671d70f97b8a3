/// A source file of a run: an index into its `SourceMap`.
public struct FileID: Hashable, Comparable, Sendable {
  /// The index.
  public let index: Int

  /// A file by its index in the run's `SourceMap`.
  public init(_ index: Int) {
    self.index = index
  }

  /// Files in the order in which they were first read.
  public static func < (lhs: FileID, rhs: FileID) -> Bool {
    lhs.index < rhs.index
  }
}

/// A run of bytes in a source file. Offsets count UTF-8 bytes from the file's first.
public struct SourceRange: Hashable, Sendable {
  /// The file.
  public let file: FileID

  /// The offset of the first byte.
  public let start: Int

  /// The offset after the last byte. A range may be empty: a place between two bytes.
  public let end: Int

  /// The bytes from `start` up to `end` of `file`.
  public init(file: FileID, start: Int, end: Int) {
    precondition(0 <= start && start <= end, "a range ends where it starts, or after")
    self.file = file
    self.start = start
    self.end = end
  }
}
