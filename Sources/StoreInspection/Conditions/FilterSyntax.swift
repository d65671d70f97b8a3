import FBSDiagnostics
import FBSParser

/// The syntax tree of a condition.
indirect enum FilterSyntax {
  case or(FilterSyntax, FilterSyntax)
  case and(FilterSyntax, FilterSyntax)
  case not(FilterSyntax)
  case comparison(Operand, Comparison, Operand)
  case among(Operand, [Operand], isNegated: Bool)
  case isNull(Operand, isNegated: Bool)
  /// A Boolean field by itself.
  case alone(Operand)

  enum Comparison: String {
    case equal = "="
    case unequal = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  struct Operand {
    enum Kind {
      case path([String])
      case text(String)
      case number(String)
      case bool(Bool)
    }

    let kind: Kind
    let range: SourceRange
  }
}

/// A mistake in an expression.
struct FilterMistake: Error {
  let diagnostic: Diagnostic

  init(_ code: DiagnosticCode, _ message: String, at range: SourceRange, advice: String = "", notes: [String] = []) {
    diagnostic = Diagnostic(code, .error, message, at: range, advice: advice, notes: notes)
  }
}
