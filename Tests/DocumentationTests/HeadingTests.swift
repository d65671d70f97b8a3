import Foundation
import TestSupport
import Testing

/// The headings below the title of a page. They are read in a table of contents, without the text around them.
@Suite("The headings of the pages")
struct HeadingTests {
  /// Pages whose headings are the names of what they list.
  private static let lists: Set<String> = [
    "Documentation/diagnostics.md", "Documentation/evolution-rules.md", "Documentation/lint-rules.md",
  ]

  private static let questionWords: Set<String> = ["How", "What", "When", "Where", "Which", "Who", "Whose", "Why"]

  /// Words that begin the rest of a sentence, such as "In queries": in a table of contents, its subject is missing.
  private static let openings: Set<String> = [
    "And", "As", "At", "Before", "Behind", "Beside", "But", "By", "For", "From", "If", "In", "It", "Its", "More", "Of",
    "On", "Or", "Over", "That", "Their", "There", "These", "They", "This", "Those", "Through", "To", "Together",
    "Under", "With", "Without",
  ]

  /// Words of names, such as "JSON Schema" and "Swift Testing", which a heading keeps as they are.
  private static let properNames: Set<String> = [
    "Apple", "Bazel", "Combine", "Dflat", "Foundation", "Make", "Ninja", "Schema", "Swift", "Testing", "Xcode",
  ]

  private static let longest = 12

  /// Says what is wrong with a heading; nil if it is a question, a task or the name of a topic.
  private static func complaint(about heading: String) -> String? {
    // A step is counted: "1. The package".
    let text = heading.replacing(/^\d+\.\s/, with: "")
    let words = text.replacing(/`[^`]*`/, with: "`").split(separator: " ").map(String.init)
    guard let first = words.first, let start = first.first else { return "is empty" }
    if words.count > longest { return "has more than \(longest) words" }
    if !start.isUppercase, !start.isNumber, start != "`" { return "does not begin with a capital" }
    if let end = text.last, ".,:;!".contains(end) { return "ends with \(end)" }
    let isTask = text.hasPrefix("How to ")
    if questionWords.contains(first), !isTask, !text.hasSuffix("?") { return "is a question without a question mark" }
    if openings.contains(first) { return "begins with \(first), and so lacks its subject" }
    for word in words.dropFirst() {
      let name = word.prefix { $0.isLetter }
      // Of more capitals are names such as JSON and SwiftPM.
      guard name.first?.isUppercase == true, name.count > 1, name.dropFirst().allSatisfy(\.isLowercase),
        !properNames.contains(String(name))
      else { continue }
      return "has a capital in \(name)"
    }
    return nil
  }

  @Test(
    "A heading that lacks its subject, asks without a question mark, or is no sentence case is found",
    arguments: [
      ("In queries", "begins with In, and so lacks its subject"),
      ("What you may do", "is a question without a question mark"),
      ("limits", "does not begin with a capital"),
      ("Limits:", "ends with :"),
      ("Limits And pages", "has a capital in And"),
      ("A b c d e f g h i j k l m", "has more than 12 words"),
    ])
  func findings(heading: String, complaint: String) {
    #expect(Self.complaint(about: heading) == complaint)
  }

  @Test(
    "A question, a task and a topic are headings, with names, code and numbers",
    arguments: [
      "Which changes are safe?", "How to add a rule", "Fetch anywhere", "Limits and pages", "1. The package",
      "`--gen-all`", "64-bit offsets", "Accessors against C++", "A list view of UIKit or AppKit",
      "Changes in words: `dflatc diff`",
    ])
  func headings(heading: String) {
    #expect(Self.complaint(about: heading) == nil)
  }

  @Test("Every heading below a page's title is a question, a task or the name of a topic, in sentence case")
  func pages() throws {
    var count = 0
    for page in try Page.all() where !Self.lists.contains(page.path) {
      guard page.path.hasPrefix("Documentation/") || ["README.md", "CONTRIBUTING.md"].contains(page.path) else {
        continue
      }
      for (line, text) in page.prose where text.hasPrefix("##") {
        let heading = String(text.drop { $0 == "#" }.drop { $0 == " " })
        let complaint = Self.complaint(about: heading)
        #expect(complaint == nil, "\(page.path):\(line): \"\(heading)\" \(complaint ?? "")")
        count += 1
      }
    }
    #expect(count > 250)
  }
}
