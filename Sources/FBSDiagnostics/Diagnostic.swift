/// How much a diagnostic matters.
public enum Severity: String, Sendable {
  /// The schema is wrong: no output is written.
  case error
  /// The schema is valid, and probably not what was meant.
  case warning
  /// The schema is valid, and there is something to know.
  case note
}

/// A stable name for one kind of mistake, by which its explanation is found.
///
/// Codes are never given to another mistake. `D01xx` are the parser's, `D02xx` the schema's and the store's rules,
/// `D03xx` the emitters'.
public struct DiagnosticCode: Hashable, Sendable {
  /// The code as people see it, such as `D0203`.
  public let id: String

  /// The mistake in a few words, for lists.
  public let title: String

  /// Creates a diagnostic's code.
  public init(_ id: String, _ title: String) {
    self.id = id
    self.title = title
  }
}

/// A mistake in a schema, with its place and what to do about it. Reporters decide how it is shown.
public struct Diagnostic: Hashable, Sendable {
  /// A further range, with a text that relates it to the mistake.
  public struct Label: Hashable, Sendable {
    /// The range that the label underlines.
    public let range: SourceRange
    /// A few words, shown beside the underlined range. May be empty.
    public let text: String

    /// Creates a label.
    public init(_ range: SourceRange, _ text: String) {
      self.range = range
      self.text = text.withShortQuotes()
    }
  }

  /// The kind of mistake.
  public let code: DiagnosticCode
  /// The severity of the mistake.
  public let severity: Severity
  /// What is wrong, in one line, without a full stop.
  public let message: String
  /// The range of the mistake.
  public let range: SourceRange
  /// What to do about it, shown beside the caret. May be empty.
  public let advice: String
  /// Further ranges, with their texts.
  public let labels: [Label]
  /// Further facts, a line each.
  public let notes: [String]
  /// Edits that mend the mistake, each on its own. Empty if no plain change of the text does.
  public let fixes: [Fix]
  /// The number of further diagnostics with this code that were not kept.
  public internal(set) var omittedCount = 0

  /// Creates a diagnostic. Its texts may quote names of any length: what is too long for a line is shortened.
  public init(
    _ code: DiagnosticCode, _ severity: Severity = .error, _ message: String, at range: SourceRange,
    advice: String = "", labels: [Label] = [], notes: [String] = [], fixes: [Fix] = []
  ) {
    self.code = code
    self.severity = severity
    self.message = message.withShortQuotes()
    self.range = range
    self.advice = advice.withShortQuotes()
    self.labels = labels
    self.notes = notes.map { $0.withShortQuotes() }
    self.fixes = fixes
  }

  /// Returns the diagnostic with other fixes.
  package func with(fixes: [Fix]) -> Diagnostic {
    var diagnostic = Diagnostic(
      code, severity, message, at: range, advice: advice, labels: labels, notes: notes, fixes: fixes)
    diagnostic.omittedCount = omittedCount
    return diagnostic
  }

  /// Returns the diagnostic as the last of its code that is kept, with a note that `count` more are not listed.
  public func followed(byOmitted count: Int) -> Diagnostic {
    var diagnostic = Diagnostic(
      code, severity, message, at: range, advice: advice, labels: labels,
      notes: notes + ["there are \(count) more of \(code.id), which are not listed"], fixes: fixes)
    diagnostic.omittedCount = count
    return diagnostic
  }
}
