/// One small way in which the code is wrong.
struct Mutant: Sendable, Hashable {
  enum Kind: String, Sendable, CaseIterable {
    case comparison = "comparison moved"
    case equality = "comparison reversed"
    case logic = "and, or exchanged"
    case condition = "condition negated"
    case constant = "Boolean negated"
    case number = "number off by one"
    case arithmetic = "plus, minus exchanged"
    case statement = "statement skipped"
    case lock = "lock not taken"

    /// What a person types.
    var name: String { String(describing: self) }
  }

  let kind: Kind
  /// The file, from the folder of the package on.
  let path: String
  /// From 1.
  let line: Int
  /// The bytes of the line that change.
  let range: Range<Int>
  /// The line without its indentation.
  let text: String
  /// What stands there before and after, for people: `<` and `<=`.
  let change: String

  var place: String { "\(path):\(line)" }
}

extension Mutant {
  /// The text that stands in `range` instead: it asks at run time whether the mutant of this number is switched on, so that
  /// all mutants are built at once.
  func replacement(for original: String, number: Int) -> String {
    switch kind {
    case .comparison, .equality, .logic, .arithmetic: original + OperatorName.digits(number)
    case .condition, .constant: "negated(\(number), \(original))"
    case .number: "next(\(number), \(original))"
    case .statement: "if !isActive(\(number)) { \(original) }"
    case .lock: "withoutLock(\(number))"
    }
  }
}

/// Operators of a mutant of their own: the operator, and the number in digits that operators may have.
enum OperatorName {
  private static let characters = Array("∀∁∂∃∄∅∆∇∈∉")

  static func digits(_ number: Int) -> String {
    String(String(number).compactMap { $0.wholeNumberValue.map { characters[$0] } })
  }

  /// The declaration of the operator that a mutant uses instead of `original`, which does what that does while the mutant is
  /// off, and what `change` says otherwise.
  static func declaration(of original: String, number: Int) -> String? {
    let name = original + digits(number)
    func function(_ generics: String, _ type: String, _ result: String, instead: String) -> String {
      """
      public func \(name) \(generics)(a: \(type), b: \(type)) -> \(result) { isActive(\(number)) ? a \(instead) b : a \(original) b }

      """
    }
    switch original {
    case "<", "<=", ">", ">=":
      let instead = ["<": "<=", "<=": "<", ">": ">=", ">=": ">"][original] ?? original
      return "infix operator \(name): ComparisonPrecedence\n"
        + function("<T: Comparable>", "T", "Bool", instead: instead)
    case "==", "!=":
      let instead = original == "==" ? "!=" : "=="
      return "infix operator \(name): ComparisonPrecedence\n"
        + function("<T: Equatable>", "T", "Bool", instead: instead)
          + """
          public func \(name) <T>(a: T?, b: _OptionalNilComparisonType) -> Bool { isActive(\(number)) ? a \(instead) b : a \(original) b }

          """
    case "&&", "||":
      let instead = original == "&&" ? "||" : "&&"
      return """
        infix operator \(name): Logical\(original == "&&" ? "Conjunction" : "Disjunction")Precedence
        public func \(name) (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool {
          isActive(\(number)) ? try a \(instead) b() : try a \(original) b()
        }

        """
    case "&+", "&-":
      return "infix operator \(name): AdditionPrecedence\n"
        + function("<T: FixedWidthInteger>", "T", "T", instead: original == "&+" ? "&-" : "&+")
    case "+", "-":
      return "infix operator \(name): AdditionPrecedence\n"
        + function("<T: FixedWidthInteger>", "T", "T", instead: original == "+" ? "&-" : "&+")
    default: return nil
    }
  }
}
