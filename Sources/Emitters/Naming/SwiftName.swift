import FBSDiagnostics
import FBSParser
import FBSSchema

/// How a name of a schema becomes one of Swift where it cannot stay as it is.
enum SwiftName {
  /// The attribute that says what something is called in Swift.
  static let attribute = "swift_name"

  /// The attribute's text where it is written, which may be no name.
  static func chosen(by declaration: Declaration) -> (text: String, range: SourceRange)? {
    guard let attribute = declaration.attribute(attribute), case .string(let text) = attribute.value else { return nil }
    return (text, attribute.range)
  }

  /// Whether Swift takes `text` as a name, perhaps in backticks.
  static func isIdentifier(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, text != "_" else { return false }
    return (first == "_" || first.properties.isXIDStart)
      && text.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
  }
}

/// The one rule by which names give way: an underscore is added to a name that is not free, and where that is not free
/// either, an underscore and a number, from 2 on.
struct GivingWay {
  /// The number to try next for each name, so that many names that are alike do not try the same ones again.
  private var next: [String: Int] = [:]

  /// The first name made of `name` that is free.
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

/// Why a name cannot be what it is in the schema, or what `swift_name` says.
enum NameObstacle {
  /// Something else in its scope has the name, or what is generated for that: where it is declared.
  case taken(by: SourceRange)
  /// Generated code, or Swift itself, means something else by the name.
  case reserved
  /// Generated code beside it spells a type or namespace by the name, which would be hidden.
  case hides
}

/// A name that is another one in Swift.
struct RenamedInSwift {
  /// What it is, such as "type".
  let kind: String
  /// The schema's name.
  let name: String
  /// Swift's.
  let swiftName: String
  /// The schema's name in Swift's way of writing, which it would have if it were free.
  let wanted: String
  let range: SourceRange
  let obstacle: NameObstacle
  /// Whether `swift_name` can say otherwise.
  let isChoosable: Bool
}

extension Diagnostic {
  /// Says what something is called in Swift.
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

  /// Says why what `swift_name` wants cannot be.
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

  /// Says that `swift_name` has a text that is no name.
  static func notAnIdentifier(_ text: String, at range: SourceRange) -> Diagnostic {
    Diagnostic(
      EmitterCode.wrongSwiftName, .error, "`\(text)` is not a name in Swift", at: range,
      advice: "use letters, digits and `_`, and no digit first",
      notes: ["a keyword of Swift is fine, without backticks"])
  }
}
