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

/// Finds regions in the files of a run. It scans each file once.
struct RegionFinder {
  private struct File {
    let table: LineTable
    /// The last line asked for, and whether columns there are bytes.
    var line = -1
    var isASCII = false
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
    var file = files[id] ?? File(table: LineTable(bytes))
    let line = file.table.line(of: offset)
    if file.line != line {
      // Many diagnostics may share one long line: it is looked through once.
      file.line = line
      file.isASCII = bytes[file.table.range(ofLine: line, in: bytes)].allSatisfy { $0 < 0x80 }
    }
    files[id] = file
    let start = file.table.starts[line]
    // A file's byte order mark stands before its first line.
    let bytesBefore = max(0, offset - start)
    if file.isASCII, bytesBefore <= file.table.range(ofLine: line, in: bytes).count {
      return .init(offset: offset, line: line + 1, column: bytesBefore + 1, utf16Column: bytesBefore + 1)
    }
    return .init(
      offset: offset, line: line + 1, column: file.table.position(of: offset, in: bytes).column,
      utf16Column: file.table.utf16Column(of: offset, in: bytes) + 1)
  }
}
