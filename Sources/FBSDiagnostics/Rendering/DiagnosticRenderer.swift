/// Shows diagnostics to people, with the lines that they are about. The output depends only on the arguments.
///
///     error[D0203]: `place` cannot be indexed: a struct has no single value
///       --> post.fbs:19:17
///        |
///     19 |   place: Point (indexed);
///        |          -----  ^^^^^^^ remove `indexed`, or
///        |          |
///        |          index a field in the struct instead
///        = note: only numbers, bools, enums, strings, vectors of these and union types can be indexed
public struct DiagnosticRenderer: Sendable {
  /// Whether to write in colours, as terminals understand them.
  public let usesColor: Bool

  /// Creates a renderer.
  public init(usesColor: Bool = false) {
    self.usesColor = usesColor
  }

  /// Returns one diagnostic, ending with a line break.
  public func render(_ diagnostic: Diagnostic, in sources: SourceMap) -> String {
    var finder = RegionFinder(sources)
    return render(diagnostic, sources, &finder)
  }

  /// Returns several diagnostics, in the order given, with an empty line between two.
  public func render(_ diagnostics: [Diagnostic], in sources: SourceMap) -> String {
    var finder = RegionFinder(sources)
    var output = ""
    for (index, diagnostic) in diagnostics.enumerated() {
      if index > 0 { output += "\n" }
      output += render(diagnostic, sources, &finder)
    }
    return output
  }

  private func render(_ diagnostic: Diagnostic, _ sources: SourceMap, _ finder: inout RegionFinder) -> String {
    var excerpts = self.excerpts(of: diagnostic, sources, &finder)
    let lastLine = excerpts.flatMap { $0.lines.map(\.number) }.max() ?? 1
    let gutter = String(repeating: " ", count: String(lastLine).count)
    let tint = Style(diagnostic.severity)
    var output = paint("\(diagnostic.severity.rawValue)[\(diagnostic.code.id)]", tint)
    output += paint(": \(diagnostic.message.withVisibleControls())", .bold) + "\n"
    for index in excerpts.indices {
      let excerpt = excerpts[index]
      output += gutter + paint(index == 0 ? "--> " : "::: ", .frame)
      output += "\(excerpt.path):\(excerpt.place.line):\(excerpt.place.column)\n"
      output += paint(gutter + " |", .frame) + "\n"
      var previous: Int?
      for lineIndex in excerpt.lines.indices {
        if let previous, excerpt.lines[lineIndex].number > previous + 1 { output += paint("...", .frame) + "\n" }
        previous = excerpt.lines[lineIndex].number
        let number = String(excerpt.lines[lineIndex].number)
        let padding = String(repeating: " ", count: gutter.count - number.count)
        let rows = excerpts[index].lines[lineIndex].rows(self, tint)
        for (rowIndex, row) in rows.enumerated() {
          output += paint(rowIndex == 0 ? padding + number + " |" : gutter + " |", .frame)
          output += row.isEmpty ? "\n" : " " + row + "\n"
        }
      }
    }
    for note in diagnostic.notes + excerpts.flatMap({ $0.lines.flatMap(\.elsewhere) }) {
      output += gutter + paint(" = ", .frame) + paint("note", .bold) + ": \(note.withVisibleControls())\n"
    }
    excerpts.removeAll()
    return output
  }

  enum Style: String {
    case error = "1;31"
    case warning = "1;33"
    case frame = "1;34"
    case bold = "1"

    init(_ severity: Severity) {
      switch severity {
      case .error: self = .error
      case .warning: self = .warning
      case .note: self = .frame
      }
    }
  }

  func paint(_ text: String, _ style: Style) -> String {
    usesColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}

// MARK: - Excerpts

extension DiagnosticRenderer {
  /// The lines of a file that a diagnostic is about.
  private struct Excerpt {
    let path: String
    let place: SourceRegion.Place
    var lines: [ExcerptLine]
  }

  /// Returns the excerpts of a diagnostic: its own file first, then the files of its labels.
  private func excerpts(
    of diagnostic: Diagnostic, _ sources: SourceMap, _ finder: inout RegionFinder
  ) -> [Excerpt] {
    let primary = ExcerptLine.Mark(range: diagnostic.range, text: diagnostic.advice, isPrimary: true)
    let marks = [primary] + diagnostic.labels.map { .init(range: $0.range, text: $0.text, isPrimary: false) }
    var order: [FileID] = []
    for mark in marks where !order.contains(mark.range.file) { order.append(mark.range.file) }
    return order.map { file in
      let source = sources[file]
      let table = finder.table(of: file)
      let own = marks.filter { $0.range.file == file }
      let byLine = Dictionary(grouping: own) { table.line(of: $0.range.start) }
      let lines = byLine.sorted { $0.key < $1.key }.map { line, marks in
        ExcerptLine(
          number: line + 1, marks: marks, bytes: source.bytes, range: table.range(ofLine: line, in: source.bytes))
      }
      return Excerpt(
        path: source.path.withVisibleControls(keepsLines: false),
        place: finder.place(of: own[0].range.start, in: file), lines: lines)
    }
  }
}
