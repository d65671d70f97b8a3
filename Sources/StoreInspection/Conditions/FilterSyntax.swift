import FBSDiagnostics
import FBSParser

/// The syntax tree of a condition.
indirect enum FilterSyntax {
  case or([FilterSyntax])
  case and([FilterSyntax])
  case not(FilterSyntax)
  case comparison(Operand, Comparison, Operand)
  case among(Operand, [Operand])
  case isNull(Operand)
  /// Whether a vector or a text is empty.
  case isEmpty(Operand)
  /// Whether a text begins or ends with another one.
  case hasEnd(TextCondition, Operand, Operand)
  /// Whether an element of a vector is the value, or a text has the value in it.
  case contains(Operand, Operand)
  /// Whether an element of a vector is one of the values.
  case containsAny(Operand, [Operand])
  /// Whether a condition holds for an element of a vector.
  case containsElement(Operand, FilterSyntax)
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

  /// The part of a text that is compared with another text.
  enum TextCondition: String {
    case prefix, suffix, part
  }

  struct Operand {
    enum Kind {
      case path(Path)
      case text(String)
      case number(String)
      case bool(Bool)
    }

    let kind: Kind
    let range: SourceRange
  }

  /// The names on the way to a field.
  struct Path {
    let names: [String]
    /// Whether the first name is in backticks, and so that of a field, whatever it is.
    let isQuoted: Bool

    /// The path as it is written, without backticks.
    var text: String { names.joined(separator: ".") }
  }
}

/// A mistake in an expression.
struct FilterMistake: Error {
  let diagnostic: Diagnostic

  init(_ code: DiagnosticCode, _ message: String, at range: SourceRange, advice: String = "", notes: [String] = []) {
    diagnostic = Diagnostic(code, .error, message, at: range, advice: advice, notes: notes)
  }
}
