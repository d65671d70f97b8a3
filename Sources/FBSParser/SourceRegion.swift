/// A range of bytes as people and machines count: lines and columns from 1.
struct SourceRegion: Hashable {
  /// One end of it.
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

/// Finds regions in the files of a run. It scans each file once, and a line about once if its places are asked for in order:
/// many diagnostics may share one long line.
struct RegionFinder {
  private struct File {
    let table: LineTable
    /// The last place asked for, from which to count on.
    var mark: SourceRegion.Place
  }

  private let sources: SourceMap
  private var files: [FileID: File] = [:]

  init(_ sources: SourceMap) {
    self.sources = sources
  }

  mutating func region(of range: SourceRange) -> SourceRegion {
    SourceRegion(
      path: sources[range.file].path, start: place(range.start, range.file), end: place(range.end, range.file))
  }

  private mutating func place(_ offset: Int, _ id: FileID) -> SourceRegion.Place {
    let bytes = sources[id].bytes
    var file = files[id] ?? Self.file(bytes)
    let line = file.table.line(of: offset)
    let start = file.table.starts[line]
    var from = SourceRegion.Place(offset: start, line: line + 1, column: 1, utf16Column: 1)
    if file.mark.line == line + 1, file.mark.offset <= offset { from = file.mark }
    // A byte order mark stands before the first line; a place may be after the line's end.
    let text = bytes[from.offset..<max(from.offset, min(offset, bytes.count))]
    let (characters, units) = Self.count(text)
    let place = SourceRegion.Place(
      offset: offset, line: line + 1, column: from.column + characters, utf16Column: from.utf16Column + units)
    if place.offset >= file.mark.offset || place.line != file.mark.line, Self.isBoundary(offset, bytes) {
      file.mark = place
    }
    files[id] = file
    return place
  }

  private static func file(_ bytes: [UInt8]) -> File {
    File(table: LineTable(bytes), mark: .init(offset: 0, line: 0, column: 1, utf16Column: 1))
  }

  private static func count(_ text: ArraySlice<UInt8>) -> (characters: Int, units: Int) {
    if text.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "\r") }) { return (text.count, text.count) }
    let string = String(decoding: text, as: UTF8.self)
    return (string.count, string.utf16.count)
  }

  /// Whether a character surely ends before a byte, so that counting may go on there: between two of ASCII it does.
  private static func isBoundary(_ offset: Int, _ bytes: [UInt8]) -> Bool {
    guard offset > 0, offset < bytes.count else { return false }
    return bytes[offset - 1] < 0x80 && bytes[offset] < 0x80 && bytes[offset] != UInt8(ascii: "\n")
  }
}
