import Foundation

/// A point of a line in one of the report's plots.
struct PlotPoint: Codable {
  let plot: Plot
  let line: String
  let x: Double
  let y: Double
  var isDashed = false
}

/// Prints what is measured, and appends it to a file from which the report is made.
///
/// Some groups run in processes of their own: they append to the same file, one process at a time.
final class Reporter {
  /// A line of the file.
  enum Record: Codable {
    case row(ReportRow)
    case point(PlotPoint)
  }

  /// The file; nil where no report is made.
  let path: String?
  private let file: FileHandle?

  /// - Throws: if the file cannot be opened.
  init(appendingTo path: String?) throws {
    self.path = path
    file = try path.map { path in
      let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
      guard descriptor >= 0 else { throw BenchmarkError(description: "\(path): \(String(cString: strerror(errno)))") }
      return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
  }

  func print(_ text: String) { Swift.print(text) }

  func add(_ row: ReportRow) throws {
    print(row.text)
    try append(.row(row))
  }

  /// Adds points of one line, which are not printed.
  func add(_ plot: Plot, _ line: String, _ points: [(x: Double, y: Double)], isDashed: Bool = false) throws {
    for point in points {
      try append(.point(PlotPoint(plot: plot, line: line, x: point.x, y: point.y, isDashed: isDashed)))
    }
  }

  private func append(_ record: Record) throws {
    guard let file else { return }
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    try file.write(contentsOf: encoder.encode(record) + Data("\n".utf8))
  }

  /// What processes have appended to a file, in their order.
  static func records(at path: String) throws -> [Record] {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: UInt8(ascii: "\n"))
      .map { try decoder.decode(Record.self, from: $0) }
  }
}
