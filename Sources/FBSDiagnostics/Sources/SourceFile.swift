/// The text of one file, as bytes, with the path that people know it by.
public struct SourceFile: Sendable {
  /// The file's index among the files of the run.
  public let id: FileID
  /// The path, as diagnostics show it.
  public let path: String
  /// The text: UTF-8, if it is a schema at all.
  public let bytes: [UInt8]
  /// Whether the text was made of a binary schema. Such a text names each type with its whole namespace, wherever the
  /// name stands, and has its definitions in another order than the file that the binary schema was made of.
  public let isOfBinarySchema: Bool

  /// Creates the text of a file.
  public init(id: FileID, path: String, bytes: [UInt8], isOfBinarySchema: Bool = false) {
    self.id = id
    self.path = path
    self.bytes = bytes
    self.isOfBinarySchema = isOfBinarySchema
  }
}

/// The files of a run, by their ids.
public struct SourceMap: Sendable {
  /// The files, each at the index that its id holds.
  public private(set) var files: [SourceFile] = []

  /// Creates a map without files.
  public init() {}

  /// Adds a file and gives it its id. Its path loses a `./` before it: programs know files by their paths.
  public mutating func add(path: String, bytes: [UInt8], isOfBinarySchema: Bool = false) -> FileID {
    var name = path[...]
    while name.hasPrefix("./") { name = name.dropFirst(2).drop { $0 == "/" } }
    let id = FileID(files.count)
    files.append(SourceFile(id: id, path: String(name), bytes: bytes, isOfBinarySchema: isOfBinarySchema))
    return id
  }

  /// The file that `id` names.
  public subscript(id: FileID) -> SourceFile { files[id.index] }

  /// Returns the line and column of an offset, as people count. It scans the file: to look up many offsets, keep a `LineTable`
  /// per file.
  public func position(of offset: Int, in file: FileID) -> SourcePosition {
    LineTable(self[file].bytes).position(of: offset, in: self[file].bytes)
  }
}

/// A position as people count: line and column from 1.
public struct SourcePosition: Hashable, Sendable {
  /// The number of the line, from 1.
  public let line: Int
  /// The column, from 1, in characters (not bytes) from the line's start.
  public let column: Int

  /// Creates a position from its line and its column, both from 1.
  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }
}

/// The starts of the lines of a text. LF, CR LF and a lone CR end a line.
public struct LineTable: Sendable {
  /// The offset of each line's first byte. The byte order mark belongs to no line.
  public private(set) var starts: [Int]
  private var count: Int

  /// Scans a text once.
  public init(_ bytes: [UInt8]) {
    var starts = [Self.firstStart(bytes)]
    var index = starts[0]
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "\r"), index < bytes.count, bytes[index] == UInt8(ascii: "\n") { index += 1 }
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { starts.append(index) }
    }
    self.starts = starts
    self.count = bytes.count
  }

  private static func firstStart(_ bytes: [UInt8]) -> Int {
    bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
  }

  /// Updates the table after a change of the text. Scans the changed bytes alone.
  /// - Parameters:
  ///   - old: the range of the bytes that were replaced, in the text before the change.
  ///   - bytes: the text after the change.
  package mutating func update(afterReplacing old: Range<Int>, in bytes: [UInt8]) {
    let shift = bytes.count - count
    count = bytes.count
    guard Self.firstStart(bytes) == starts[0] else {
      self = LineTable(bytes)
      return
    }
    // Whether a line starts at an offset depends on the byte before it and, between CR and LF, on the byte there.
    let first = starts[0]
    let found = (old.lowerBound...old.upperBound + shift).filter { offset in
      guard offset > first else { return false }
      switch bytes[offset - 1] {
      case UInt8(ascii: "\n"): return true
      case UInt8(ascii: "\r"): return offset == bytes.count || bytes[offset] != UInt8(ascii: "\n")
      default: return false
      }
    }
    let low = old.lowerBound == 0 ? 1 : line(of: old.lowerBound - 1) + 1
    let high = max(low, line(of: old.upperBound) + 1)
    starts.replaceSubrange(low..<high, with: found)
    guard shift != 0 else { return }
    for index in low + found.count..<starts.count { starts[index] += shift }
  }

  /// Returns the line, from 0, that holds an offset.
  public func line(of offset: Int) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }

  /// Returns the bytes of a line (from 0), without what ends it.
  public func range(ofLine line: Int, in bytes: [UInt8]) -> Range<Int> {
    let start = starts[line]
    var end = line + 1 < starts.count ? starts[line + 1] : count
    while end > start, bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return start..<end
  }

  /// Returns the line and column of an offset into `bytes`, the text that this table was made from.
  public func position(of offset: Int, in bytes: [UInt8]) -> SourcePosition {
    let line = line(of: offset)
    let prefix = bytes[starts[line]..<max(starts[line], min(offset, count))]
    // Counting characters is slow on very long lines, and ASCII needs none of it.
    let characters =
      prefix.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "\r") }
      ? prefix.count : String(decoding: prefix, as: UTF8.self).count
    return SourcePosition(line: line + 1, column: characters + 1)
  }

  /// Returns how many UTF-16 code units stand before an offset on its line: the column that editors ask for, from 0.
  public func utf16Column(of offset: Int, in bytes: [UInt8]) -> Int {
    let start = starts[line(of: offset)]
    return String(decoding: bytes[start..<max(start, min(offset, count))], as: UTF8.self).utf16.count
  }
}

/// The bytes with which some editors start a UTF-8 file.
package let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
