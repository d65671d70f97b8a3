import FBSDiagnostics
import FBSParser
import FBSSchema

/// The attribute `swift_name`, and the rules for names in Swift.
enum SwiftName {
  /// The attribute that sets a name in Swift.
  static let attribute = "swift_name"

  /// Returns the attribute's text and its range; nil if the declaration lacks the attribute. The text may be no valid
  /// name.
  static func chosen(by declaration: Declaration) -> (text: String, range: SourceRange)? {
    guard let attribute = declaration.attribute(attribute), case .string(let text) = attribute.value else { return nil }
    return (text, attribute.range)
  }

  /// Returns whether the declaration has the attribute.
  static func isChosen(by declaration: Declaration) -> Bool {
    // Most have no attribute at all.
    !declaration.attributes.isEmpty && chosen(by: declaration) != nil
  }

  /// Returns whether Swift takes `text` as a name, perhaps in backticks.
  static func isIdentifier(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, text != "_" else { return false }
    return (first == "_" || first.properties.isXIDStart)
      && text.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
  }
}

/// The one rule that changes names which are not free: it adds an underscore, and if that is not free either, an
/// underscore and a number, from 2 on.
struct GivingWay {
  /// The number to try next for each name, so that many similar names do not try the same numbers again.
  private var next: [String: Int] = [:]

  /// Returns the first name derived from `name` that is free.
  mutating func first(_ name: String, where isFree: (String) -> Bool) -> String {
    if isFree(name) { return name }
    var number = next[name] ?? 1
    var candidate = ""
    repeat {
      candidate = number == 1 ? name + "_" : "\(name)_\(number)"
      number += 1
    } while !isFree(candidate)
    next[name] = number
    return candidate
  }
}

/// The reason why a name cannot be as in the schema, or as `swift_name` sets it.
enum NameObstacle {
  /// Something else in the scope has the name, or a generated name collides with it: the range is its declaration.
  case taken(by: SourceRange)
  /// The name means something else in generated code, or in Swift itself.
  case reserved
  /// The name would hide a type or namespace that the generated code beside it uses.
  case hides
}

/// A name that differs between the schema and Swift.
struct RenamedInSwift {
  /// The kind of the definition or member, such as "type".
  let kind: String
  /// The schema's name.
  let name: String
  /// The name in Swift.
  let swiftName: String
  /// The schema's name in Swift's convention, which would have been used if it were free.
  let wanted: String
  let range: SourceRange
  let obstacle: NameObstacle
  /// Whether `swift_name` can choose the name in Swift. It cannot for namespaces.
  let isChoosable: Bool
}

extension Diagnostic {
  /// Creates a note about a name that differs in Swift.
  init(_ renamed: RenamedInSwift) {
    var labels: [Label] = []
    var notes: [String] = []
    switch renamed.obstacle {
    case .taken(let range): labels = [.init(range, "takes the name `\(renamed.wanted)` in Swift")]
    case .reserved: notes = ["Swift or the generated code means something else by `\(renamed.wanted)`"]
    case .hides:
      notes = ["it would hide another `\(renamed.wanted)`, a type or namespace that the generated code names there"]
    }
    self.init(
      EmitterCode.renamed, .note, "the \(renamed.kind) `\(renamed.name)` is called `\(renamed.swiftName)` in Swift",
      at: renamed.range,
      advice: renamed.isChoosable ? "choose another name: `(\(SwiftName.attribute): \"...\")`" : "",
      labels: labels, notes: notes)
  }

  /// Returns the error that the name of a `swift_name` is impossible, with the reason.
  /// - Parameters:
  ///   - text: The name.
  ///   - kind: The kind of the definition or member that has the attribute, such as "type".
  static func wrongSwiftName(
    _ text: String, at range: SourceRange, of kind: String, _ obstacle: NameObstacle
  ) -> Diagnostic {
    switch obstacle {
    case .taken(let other):
      Diagnostic(
        EmitterCode.nameCollision, .error, "`\(text)` is taken in Swift", at: range, advice: "choose another name",
        labels: [.init(other, "takes the name `\(text)` in Swift")])
    case .reserved:
      Diagnostic(
        EmitterCode.reservedName, .error, "a \(kind) cannot be called `\(text)` in Swift", at: range,
        advice: "choose another name", notes: ["Swift or the generated code means something else by it"])
    case .hides:
      Diagnostic(
        EmitterCode.reservedName, .error, "a \(kind) called `\(text)` would hide another `\(text)` in Swift", at: range,
        advice: "choose another name",
        notes: ["the generated code names a type or namespace so, there where the \(kind) stands"])
    }
  }

  /// Returns the error that the text of a `swift_name` is no name.
  static func notAnIdentifier(_ text: String, at range: SourceRange) -> Diagnostic {
    Diagnostic(
      EmitterCode.wrongSwiftName, .error, "`\(text)` is not a name in Swift", at: range,
      advice: "use letters, digits and `_`, and no digit first",
      notes: ["a keyword of Swift is fine, without backticks"])
  }
}
