extension Diagnostic {
  /// A change of the text that mends a mistake, for programs that can make it: what `advice` says, as edits.
  public struct Fix: Hashable, Sendable {
    /// What the fix does, in a few words, such as "Insert `;`".
    public let title: String
    /// The changes, which belong together. No two of them overlap, and all are in one file.
    public let edits: [Edit]

    /// Creates a fix.
    public init(_ title: String, _ edits: [Edit]) {
      self.title = title
      self.edits = edits
    }
  }

  /// An edit: a text that replaces a run of bytes.
  public struct Edit: Hashable, Sendable {
    /// The range to delete. If it is empty, the text is inserted there.
    public let range: SourceRange
    /// The text to insert. May be empty.
    public let replacement: String

    /// Creates an edit.
    public init(_ range: SourceRange, _ replacement: String) {
      self.range = range
      self.replacement = replacement
    }
  }
}

extension Diagnostic.Fix {
  /// Puts `text` after `range`.
  public static func insert(_ text: String, after range: SourceRange, title: String? = nil) -> Diagnostic.Fix {
    let place = SourceRange(file: range.file, start: range.end, end: range.end)
    return Diagnostic.Fix(title ?? "Insert `\(text)`", [Diagnostic.Edit(place, text)])
  }

  /// Puts `text` in place of `range`.
  public static func replace(_ range: SourceRange, with text: String) -> Diagnostic.Fix {
    Diagnostic.Fix("Replace with `\(text)`", [Diagnostic.Edit(range, text)])
  }

  /// Takes `range` away, which is called `name` in the title.
  public static func remove(_ name: String, at range: SourceRange) -> Diagnostic.Fix {
    Diagnostic.Fix("Remove `\(name)`", [Diagnostic.Edit(range, "")])
  }
}
