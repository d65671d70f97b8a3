/// How much a diagnostic matters.
public enum Severity: String, Sendable {
  /// The schema is wrong: nothing is written.
  case error
  /// The schema is valid, and probably not what was meant.
  case warning
  /// All is well, and there is something to know.
  case note
}

/// A stable name for one kind of mistake, with what there is to say about it at length.
///
/// Codes are never given to another mistake. `D01xx` are the parser's, `D02xx` the schema's and the store's rules,
/// `D03xx` the emitters'.
public struct DiagnosticCode: Hashable, Sendable {
  /// The code as people see it, such as `D0203`.
  public let id: String

  /// The mistake in a few words, for lists.
  public let title: String

  /// A code.
  public init(_ id: String, _ title: String) {
    self.id = id
    self.title = title
  }
}

/// One mistake in a schema: a value, which knows its place and what to do, and not how it is shown.
public struct Diagnostic: Hashable, Sendable {
  /// A further place, and what it has to do with the mistake.
  public struct Label: Hashable, Sendable {
    /// The place.
    public let range: SourceRange
    /// A few words, shown beside the underlined place. May be empty.
    public let text: String

    /// A labelled place.
    public init(_ range: SourceRange, _ text: String) {
      self.range = range
      self.text = text
    }
  }

  /// The kind of mistake.
  public let code: DiagnosticCode
  /// How much it matters.
  public let severity: Severity
  /// What is wrong, in one line, without a full stop.
  public let message: String
  /// Where it is wrong.
  public let range: SourceRange
  /// What to do about it, shown beside the caret. May be empty.
  public let advice: String
  /// Further places.
  public let labels: [Label]
  /// Further facts, a line each.
  public let notes: [String]
  /// Edits that mend it, each on its own. Where there is none, what to do is not a plain change of the text.
  public let fixes: [Fix]
  /// How many more of its code there are that were not kept.
  public internal(set) var omittedCount = 0

  /// A diagnostic.
  public init(
    _ code: DiagnosticCode, _ severity: Severity = .error, _ message: String, at range: SourceRange,
    advice: String = "", labels: [Label] = [], notes: [String] = [], fixes: [Fix] = []
  ) {
    self.code = code
    self.severity = severity
    self.message = message
    self.range = range
    self.advice = advice
    self.labels = labels
    self.notes = notes
    self.fixes = fixes
  }

  /// The diagnostic with other fixes.
  package func with(fixes: [Fix]) -> Diagnostic {
    var diagnostic = Diagnostic(
      code, severity, message, at: range, advice: advice, labels: labels, notes: notes, fixes: fixes)
    diagnostic.omittedCount = omittedCount
    return diagnostic
  }

  /// The diagnostic as the last of its code that is kept of many.
  public func followed(byOmitted count: Int) -> Diagnostic {
    var diagnostic = Diagnostic(
      code, severity, message, at: range, advice: advice, labels: labels,
      notes: notes + ["there are \(count) more of \(code.id), which are not listed"], fixes: fixes)
    diagnostic.omittedCount = count
    return diagnostic
  }
}
