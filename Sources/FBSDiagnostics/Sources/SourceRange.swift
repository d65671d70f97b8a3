/// A source file of a run: an index into its `SourceMap`.
public struct FileID: Hashable, Comparable, Sendable {
  /// The file's index in the run's `SourceMap`.
  public let index: Int

  /// Creates the ID of a file from its index in the run's `SourceMap`.
  public init(_ index: Int) {
    self.index = index
  }

  /// Orders files as they were first read.
  public static func < (lhs: FileID, rhs: FileID) -> Bool {
    lhs.index < rhs.index
  }
}

/// A run of bytes in a source file. Offsets count UTF-8 bytes from the file's first.
public struct SourceRange: Hashable, Sendable {
  /// The file that the bytes are in.
  public let file: FileID

  /// The offset of the first byte.
  public let start: Int

  /// The offset after the last byte. A range may be empty: a place between two bytes.
  public let end: Int

  /// Creates the range of the bytes from `start` up to `end` of `file`. Stops the program if `start` is negative, or
  /// `end` comes before it.
  public init(file: FileID, start: Int, end: Int) {
    precondition(0 <= start && start <= end, "a range ends where it starts, or after")
    self.file = file
    self.start = start
    self.end = end
  }
}
