/// Collects source text line by line and owns its indentation. The text is kept as UTF-8, which is what is written.
public struct CodeWriter: Sendable {
  /// What has been written so far.
  public private(set) var bytes: [UInt8] = []
  private var depth = 0

  /// An empty text.
  ///
  /// - Parameter capacity: how many bytes it will hold, more or less. Memory that is asked for and not written to costs
  ///   nothing; a text that outgrows its memory is there twice for a moment.
  public init(capacity: Int = 16 * 1024) {
    bytes.reserveCapacity(capacity)
  }

  /// Writes a line at the present indentation.
  public mutating func line(_ text: String) {
    for _ in 0..<depth {
      bytes.append(contentsOf: Self.indentation)
    }
    bytes.append(contentsOf: text.utf8)
    bytes.append(Self.newline)
  }

  /// Writes an empty line.
  public mutating func blank() {
    bytes.append(Self.newline)
  }

  /// Writes `head {`, then what `body` writes one step further in, then `}`.
  public mutating func block(_ head: String, _ body: (inout CodeWriter) -> Void) {
    line(head + " {")
    indented(body)
    line("}")
  }

  /// Writes what `body` writes one step further in.
  public mutating func indented(_ body: (inout CodeWriter) -> Void) {
    depth += 1
    body(&self)
    depth -= 1
  }

  /// Writes `head(items)tail` on one line where that fits, or else with each item on a line of its own.
  public mutating func list(_ head: String, _ items: [String], _ tail: String) {
    let width = items.reduce(head.utf8.count + tail.utf8.count + 2 * depth) { $0 + $1.utf8.count + 2 }
    if width <= Self.lineLength {
      line(head + items.joined(separator: ", ") + tail)
      return
    }
    line(head)
    indented { writer in
      for (index, item) in items.enumerated() {
        writer.line(index == items.count - 1 ? item : item + ",")
      }
    }
    line(tail)
  }

  /// Writes doc comment lines, which stand in a schema just as they stand in Swift.
  public mutating func documentation(_ lines: [String]) {
    for text in lines {
      line("///" + text)
    }
  }

  /// Lines are kept within this many characters where they can be.
  static let lineLength = 120
  private static let indentation: [UInt8] = [0x20, 0x20]
  private static let newline: UInt8 = 0x0A
}
