import FBSDiagnostics

/// A mistake that an author repeats in each entry of a definition. It is reported at the first one, with a fix for all.
enum Habit: Hashable {
  /// Another character than a comma between the entries of an enum or union.
  case separator
  /// `,` after a field.
  case comma
  /// `case` before an enum's value.
  case caseWord
  /// `:` before an enum's number.
  case colon
}

extension Parser {
  /// Reports a habit at its first occurrence in a definition. Later ones add their edit to the fix of that diagnostic.
  mutating func report(_ habit: Habit, _ message: String, at range: SourceRange, advice: String, edit: Diagnostic.Edit)
  {
    guard let first = habits[habit] else {
      habits[habit] = diagnostics.count
      let title = edit.replacement.isEmpty ? "Remove it" : "Replace with `\(edit.replacement)`"
      return report(
        .unexpectedToken, message, at: range, advice: advice, fixes: [Diagnostic.Fix(title, [edit])])
    }
    let diagnostic = diagnostics[first]
    let fixes = diagnostic.fixes.map { Diagnostic.Fix($0.title, $0.edits + [edit]) }
    diagnostics[first] = diagnostic.with(fixes: fixes)
  }

  /// Reads a definition's entries, whose habits are their own.
  mutating func withOwnHabits(_ body: (inout Parser) -> Void) {
    let outer = habits
    habits = [:]
    body(&self)
    habits = outer
  }
}
