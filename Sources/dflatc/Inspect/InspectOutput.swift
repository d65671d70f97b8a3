import FlatBuffersJSON
import Foundation
import StoreInspection

/// Writes the overview of a store for people.
enum OverviewText {
  static func text(_ overview: StoreOverview) -> String {
    var rows = [["TYPE", "OBJECTS", "BYTES", "TABLE"]]
    for entry in overview.entries {
      let name = entry.type.sqlName == "dictitem_v_dflat_internal__" ? "dictionary" : entry.type.name
      rows.append([
        name, entry.count.map { "\($0)" } ?? "-", entry.count == nil ? "-" : "\(entry.byteCount)",
        entry.count == nil ? "none yet" : entry.type.sqlName,
      ])
    }
    var text = TextTable.text(rows, rightAligned: [1, 2])
    let indexes = overview.entries.flatMap { entry in
      entry.indexes.map {
        ["\(entry.type.name).\($0.index.name)", $0.index.kind.summary, $0.state.rawValue]
      }
    }
    if !indexes.isEmpty { text += "\n" + TextTable.text([["INDEX", "", "STATE"]] + indexes, rightAligned: []) }
    if !overview.unknown.isEmpty {
      let unknown = overview.unknown.map { table in
        [
          table.name, "\(table.count)",
          table.indexOf.map { "an index of \($0), of another version of the schema" } ?? "",
        ]
      }
      text += "\n" + TextTable.text([["NOT IN THE SCHEMA", "ROWS", ""]] + unknown, rightAligned: [1])
    }
    return text
  }
}

/// Lays out a table in columns with blanks between them.
enum TextTable {
  static func text(_ rows: [[String]], rightAligned: Set<Int>) -> String {
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { line($0, widths, rightAligned) + "\n" }.joined()
  }

  static func line(_ cells: [String], _ widths: [Int], _ rightAligned: Set<Int>) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: max(0, widths[column] - cell.count))
      line += (column > 0 ? "  " : "") + (rightAligned.contains(column) ? padding + cell : cell + padding)
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}

/// Writes objects to standard output one by one, as they are read.
struct ObjectListWriter {
  /// The number of rows that decide the widths of a table's columns. Later rows keep these widths.
  private static let measuredRows = 100
  /// The most characters that a cell of a table shows.
  private static let maximumWidth = 40
  /// The largest size in bytes of an object as JSON. Only a damaged store has larger ones.
  private static let maximumSize = 256 << 20

  private let format: Inspect.Format
  private let showsValues: Bool
  private let members: [(index: Int, name: String)]
  private var pending: [[String]] = []
  private var widths: [Int] = []
  private var count = 0

  init(format: Inspect.Format, showsValues: Bool, layout: TableLayout) {
    self.format = format
    self.showsValues = showsValues
    members = layout.members.enumerated().filter { !$0.element.isDeprecated }.map { ($0.offset, $0.element.name) }
    if format == .table { pending.append(members.map(\.name)) }
    if format == .csv { Terminal.writeText(members.map { Self.quoted($0.name) }.joined(separator: ",") + "\r\n") }
  }

  private func options(indentation: Int?) -> JSONOptions {
    var options = JSONOptions(
      indentation: indentation, isStrict: true, writesDefaults: true, hasNaturalUTF8: true, hasExactNumbers: true,
      unknownMembers: .omit,
      maximumSize: Self.maximumSize)
    // Conditions see these defaults, and an app reads them.
    options.writesDefaultTexts = true
    options.isPortable = true
    options.showsValues = showsValues
    return options
  }

  mutating func add(_ object: VerifiedObject) throws(BufferFault) {
    switch format {
    case .json:
      var text = try object.json(options(indentation: 2))
      if text.last == UInt8(ascii: "\n") { text.removeLast() }
      Terminal.writeText(Array((count == 0 ? "[\n" : ",\n").utf8) + text)
    case .jsonl:
      Terminal.writeText(try object.json(options(indentation: nil)) + [UInt8(ascii: "\n")])
    case .csv:
      let cells = try cells(of: object)
      Terminal.writeText(cells.map { $0.map(Self.quoted) ?? "" }.joined(separator: ",") + "\r\n")
    case .table:
      let cells = try cells(of: object).map { Self.shortened($0 ?? "") }
      if widths.isEmpty {
        pending.append(cells)
        if pending.count > Self.measuredRows { flush() }
      } else {
        Terminal.writeText(TextTable.line(cells, widths, []) + "\n")
      }
    }
    count += 1
  }

  mutating func finish() {
    if format == .json { Terminal.writeText(count == 0 ? "[]\n" : "\n]\n") }
    if format == .table, !pending.isEmpty { flush() }
  }

  private mutating func flush() {
    widths = members.indices.map { column in pending.map { $0[column].count }.max() ?? 0 }
    for cells in pending { Terminal.writeText(TextTable.line(cells, widths, []) + "\n") }
    pending = []
  }

  /// Returns the members of an object as texts: strings without quotes, and nil for absent members.
  private func cells(of object: VerifiedObject) throws(BufferFault) -> [String?] {
    var cells: [String?] = []
    for member in members {
      guard let json = try object.json(ofMember: member.index, options(indentation: nil)) else {
        cells.append(nil)
        continue
      }
      let isText = json.first == UInt8(ascii: "\"")
      if isText, case .text(let bytes) = object.value(at: FieldPath([.field(object.table, member.index)])) {
        cells.append(String(decoding: bytes, as: UTF8.self))
      } else if isText, json.contains(UInt8(ascii: "\\")), let text = Self.unescaped(json) {
        // A string in a union, or the root of a FlexBuffer, for which the object has no value.
        cells.append(text)
      } else {
        cells.append(String(decoding: isText ? json.dropFirst().dropLast() : json[...], as: UTF8.self))
      }
    }
    return cells
  }

  /// Returns the text of a JSON string; nil if it is none.
  private static func unescaped(_ json: [UInt8]) -> String? {
    try? JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed) as? String
  }

  /// Quotes a field as RFC 4180 says.
  private static func quoted(_ text: String) -> String {
    guard text.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) else { return text }
    // By bytes: a quotation mark with a combining mark behind it is another character to Swift, and none to who reads the file.
    let parts = text.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    return "\"" + parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\"\"") + "\""
  }

  /// Shortens a text to one line of at most the width of a cell. Replaces control characters, which would move the
  /// cursor.
  private static func shortened(_ text: String) -> String {
    let visible = text.prefix(maximumWidth + 1).map { character -> Character in
      character.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) } ? character : "·"
    }
    return visible.count > maximumWidth ? String(visible.prefix(maximumWidth - 1)) + "…" : String(visible)
  }
}
