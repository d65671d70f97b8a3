/// A range of bytes as people and machines count: lines and columns from 1.
struct SourceRegion: Hashable {
  /// One end of the region.
  struct Place: Hashable {
    /// The offset in bytes, from 0.
    let offset: Int
    /// The line, from 1.
    let line: Int
    /// The column in characters, from 1.
    let column: Int
    /// The column in UTF-16 code units, from 1.
    let utf16Column: Int
  }

  let path: String
  let start: Place
  /// The place after the last byte.
  let end: Place
}

/// Finds regions in the files of a run. It scans each file once, and each long line once more: many diagnostics may share one.
struct RegionFinder {
  private struct File {
    let table: LineTable
    /// Known positions on long lines, by line: some way apart, and in order.
    var marks: [Int: [SourceRegion.Place]] = [:]
  }

  /// The distance of known positions, in bytes.
  private static let stride = 1_024

  private let sources: SourceMap
  private var files: [FileID: File] = [:]

  init(_ sources: SourceMap) {
    self.sources = sources
  }

  /// Returns the line table of a file.
  mutating func table(of id: FileID) -> LineTable {
    if let file = files[id] { return file.table }
    let file = File(table: LineTable(sources[id].bytes))
    files[id] = file
    return file.table
  }

  mutating func region(of range: SourceRange) -> SourceRegion {
    SourceRegion(
      path: sources[range.file].path, start: place(of: range.start, in: range.file),
      end: place(of: range.end, in: range.file))
  }

  mutating func place(of offset: Int, in id: FileID) -> SourceRegion.Place {
    let table = table(of: id)
    let bytes = sources[id].bytes
    let line = table.line(of: offset)
    let start = table.starts[line]
    var from = SourceRegion.Place(offset: start, line: line + 1, column: 1, utf16Column: 1)
    if offset - start > 2 * Self.stride { from = mark(before: offset, from, in: id, bytes) }
    // A byte order mark stands before the first line, and an offset may be after the line's end.
    return Self.advance(from, to: max(from.offset, min(offset, bytes.count)), as: offset, bytes)
  }

  /// Returns the last known position on the line of `start` that is not after `offset`.
  private mutating func mark(
    before offset: Int, _ start: SourceRegion.Place, in id: FileID, _ bytes: [UInt8]
  ) -> SourceRegion.Place {
    let line = start.line - 1
    let marks =
      files[id]?.marks[line] ?? Self.marks(from: start, to: table(of: id).range(ofLine: line, in: bytes), bytes)
    files[id]?.marks[line] = marks
    var (low, high) = (0, marks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if marks[middle].offset <= offset { low = middle } else { high = middle }
    }
    return marks[low]
  }

  private static func marks(
    from start: SourceRegion.Place, to line: Range<Int>, _ bytes: [UInt8]
  ) -> [SourceRegion.Place] {
    var marks = [start]
    var place = start
    var next = start.offset + stride
    while next < line.upperBound {
      guard isBoundary(next, bytes) else {
        next += 1
        continue
      }
      place = advance(place, to: next, as: next, bytes)
      marks.append(place)
      next += stride
    }
    return marks
  }

  private static func advance(
    _ place: SourceRegion.Place, to end: Int, as offset: Int, _ bytes: [UInt8]
  ) -> SourceRegion.Place {
    let (characters, units) = count(bytes[place.offset..<end])
    return SourceRegion.Place(
      offset: offset, line: place.line, column: place.column + characters, utf16Column: place.utf16Column + units)
  }

  private static func count(_ text: ArraySlice<UInt8>) -> (characters: Int, units: Int) {
    if text.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "\r") }) { return (text.count, text.count) }
    let string = String(decoding: text, as: UTF8.self)
    return (string.count, string.utf16.count)
  }

  /// Returns whether a character surely ends before a byte, so that counting may resume there. Between two ASCII bytes it does.
  private static func isBoundary(_ offset: Int, _ bytes: [UInt8]) -> Bool {
    guard offset > 0, offset < bytes.count else { return false }
    return bytes[offset - 1] < 0x80 && bytes[offset] < 0x80 && bytes[offset] != UInt8(ascii: "\n")
  }
}
