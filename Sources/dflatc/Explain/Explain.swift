import ArgumentParser
import FBSDiagnostics
import FBSParser
import SchemaEvolution
import SchemaLinting

/// `dflatc explain`: explains a diagnostic's code.
struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Tell more about the code of a diagnostic, or a rule of `dflatc check` or `lint`, with an example.",
    discussion: """
      Every diagnostic has a code, such as D0203 in `error[D0203]: ...`; findings of `dflatc check` and \
      `dflatc lint` have the names of rules. Without a code, all codes are listed; with --rules the rules of `check`, and \
      with --lint-rules those of `lint`.

      EXAMPLES
        dflatc explain D0203
        dflatc explain field-removed
        dflatc explain
        dflatc explain --rules
        dflatc explain --lint-rules
        dflatc explain --format json D0203

      Exit codes: 0 done, 2 there is no such code.
      """)

  /// The format of explanations.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json, markdown
  }

  @Option(
    name: .long,
    help: "text for people, json for programs, markdown for the page of the documentation, which has all codes.")
  var format: Format = .text

  @Flag(name: .long, help: "Only the rules of `dflatc check`.")
  var rules = false

  @Flag(name: .long, help: "Only the rules of `dflatc lint`.")
  var lintRules = false

  @Argument(
    help: "The code, such as D0203, or the rule, such as field-removed. Letter case does not matter, and 203 will do.")
  var code: String?

  func validate() throws {
    guard format != .markdown || code == nil else {
      throw ValidationError("The page of the documentation has all codes: leave out \(code ?? "").")
    }
    guard !rules || !lintRules else { throw ValidationError("Give --rules or --lint-rules, and not both.") }
  }

  func run() throws {
    var chosen = rules ? Explanation.evolution : lintRules ? Explanation.linting : Explanation.all
    if let code {
      guard let explanation = Self.find(code) else {
        let nearest = Self.nearest(to: code).map { ": did you mean \($0)?" } ?? "."
        Terminal.printError("error: there is no code \(code)\(nearest) `dflatc explain` lists them all.")
        throw ExitStatus.usage.exitCode
      }
      chosen = [explanation]
    }
    switch format {
    case .text where code == nil:
      Terminal.write(chosen.map { "\($0.code.id)  \($0.code.title)\n" }.joined())
    case .text:
      for explanation in chosen {
        Terminal.write("\(explanation.code.id): \(explanation.code.title)\n\n\(ExplanationText.plain(explanation))")
      }
    case .json:
      Terminal.write(Self.json(chosen))
    case .markdown:
      Terminal.write(
        rules ? RulesPage.evolution : lintRules ? RulesPage.linting : DiagnosticsPage.text(chosen))
    }
  }

  /// The explanations of the rules of all commands, and of comments that allow findings.
  private static let rules = Explanation.linting + Explanation.evolution

  /// Returns the explanation of a code, such as `D0203`, `d203` or `203`, or of a rule; nil if there is none.
  private static func find(_ text: String) -> Explanation? {
    if let rule = rules.first(where: { $0.code.id == text.lowercased() }) { return rule }
    let digits = text.uppercased().drop { $0 == "D" }
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits) else {
      return nil
    }
    return Explanation.all.first { Int($0.code.id.dropFirst()) == number }
  }

  /// Returns the code with the nearest number, or else the code with the most similar spelling; nil if none is near.
  private static func nearest(to text: String) -> String? {
    let ids = Explanation.all.map(\.code.id)
    let digits = text.uppercased().drop { $0 == "D" }
    if let number = Int(digits), number >= 0 {
      func distance(_ id: String) -> Int { abs((Int(id.dropFirst()) ?? 0) - number) }
      // A text that is far from all codes is no slip of one.
      return ids.min { distance($0) < distance($1) }.flatMap { distance($0) < 100 ? $0 : nil }
    }
    return nearestName(to: text, in: ids + rules.map(\.code.id))
  }

  private static func json(_ explanations: [Explanation]) -> String {
    var writer = JSONWriter()
    func write(_ example: Explanation.Example, _ writer: inout JSONWriter) {
      writer.array(example.files) { writer, file in
        writer.object {
          $0.member("path", file.path)
          if let text = file.text { $0.member("text", text) }
        }
      }
    }
    writer.object {
      $0.array("codes", explanations) { writer, explanation in
        writer.object {
          $0.member("code", explanation.code.id)
          $0.member("title", explanation.code.title)
          $0.member("explanation", explanation.text)
          guard let examples = explanation.examples else { return }
          $0.member("wrong") { write(examples.wrong, &$0) }
          $0.member("right") { write(examples.right, &$0) }
        }
      }
    }
    return writer.text + "\n"
  }
}
