import Foundation
import TestSupport
import Testing

/// What a program can find of a text that a stranger would have to read twice.
@Suite("The words of comments and pages")
struct WordingTests {
  /// A comment of Swift code: its lines without the slashes, joined.
  private struct Comment {
    let path: String
    /// The line on which it begins, from 1.
    let line: Int
    let text: String
    var place: String { "\(path):\(line)" }
  }

  /// The longest sentence, in words.
  private static let longestSentence = 45

  /// Words with which a comment cannot begin if it stands by itself: they point at a comment next to it.
  private static let pointers = ["The same", "Those", "That of", "Likewise", "Ditto", "As above"]

  private static func comments() throws -> [Comment] {
    var comments: [Comment] = []
    let sources = packageFolder.appendingPathComponent("Sources")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      let path = String(file.path.dropFirst(packageFolder.path.count + 1))
      comments += self.comments(of: try String(contentsOf: file, encoding: .utf8), path)
    }
    return comments
  }

  private static func comments(of text: String, _ path: String) -> [Comment] {
    var comments: [Comment] = []
    var lines: [Substring] = []
    var first = 0
    var isCode = false
    for (number, line) in (text + "\n").split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let content = line.drop { $0 == " " }
      if content.hasPrefix("//") {
        if lines.isEmpty { first = number + 1 }
        let words = content.drop { $0 == "/" }
        // Examples are no sentences.
        let isFence = words.contains("```")
        if isFence { isCode.toggle() }
        lines.append(isCode || isFence ? "" : words)
      } else if !lines.isEmpty {
        let text = lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
        comments.append(Comment(path: path, line: first, text: text.trimmingCharacters(in: .whitespaces)))
        lines = []
        isCode = false
      }
    }
    return comments
  }

  /// The sentences of more words than a reader holds in mind. A name in backticks is no word: a list of them may be long.
  private static func longSentences(of text: String) -> [String] {
    text.replacing(/`[^`]*`/, with: "").split { ".!?:;".contains($0) }.map(String.init).filter {
      $0.split(separator: " ").count > longestSentence
    }
  }

  private static func beginsWithPointer(_ comment: String) -> Bool {
    pointers.contains { comment.hasPrefix($0 + " ") || comment.hasPrefix($0 + ",") }
  }

  private static func isFunction(_ line: Substring) -> Bool { line.split(separator: " ").contains("func") }

  /// The doc comments of functions. Attributes may stand between a comment and its function.
  private static func functionComments(of text: String, _ path: String) -> [Comment] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
    return comments(of: text, path).filter { comment in
      guard lines[comment.line - 1].hasPrefix("///") else { return false }
      let declaration = lines[comment.line...].first { line in
        !line.hasPrefix("//") && (isFunction(line) || !line.hasPrefix("@") && !line.hasPrefix("#"))
      }
      return declaration.map(isFunction) ?? false
    }
  }

  /// Whether a comment begins with what its function does: "Returns", "Adds". "The" and "Whether" end otherwise.
  private static func beginsWithVerb(_ comment: String) -> Bool {
    let word = String(comment.prefix { $0.isLetter })
    return word.first?.isUppercase == true && word.hasSuffix("s") && word != "This"
  }

  @Test("A comment that points at its neighbour, and a sentence of 46 words, are found")
  func findings() {
    let text = "  /// The same, for others.\nlet a = 1\n// It adds.\n// Two lines.\nlet b = 2 // not this\n"
    let comments = Self.comments(of: text, "a.swift")
    #expect(comments.map(\.line) == [1, 3])
    #expect(comments.map(\.text) == ["The same, for others.", "It adds. Two lines."])
    #expect(comments.map { Self.beginsWithPointer($0.text) } == [true, false])
    let words = Array(repeating: "word", count: 46).joined(separator: " ")
    #expect(Self.longSentences(of: "Short. \(words). Short.").count == 1)
    #expect(Self.longSentences(of: "Short. \(words.dropFirst(5)). Short.").isEmpty)
  }

  @Test("Every comment of the sources stands by itself, in sentences of 45 words at most")
  func comments() throws {
    let comments = try Self.comments()
    #expect(comments.count > 5_000)
    for comment in comments {
      #expect(!Self.beginsWithPointer(comment.text), "\(comment.place): \(comment.text)")
      let long = Self.longSentences(of: comment.text)
      #expect(long.isEmpty, "\(comment.place): \(long)")
    }
  }

  @Test("A doc comment without a verb is found before a function, with attributes or without, and nowhere else")
  func verbs() {
    let text = """
      /// The sum.
      func a() {}
      /// Adds.
      @inlinable
      public func b() {}
      /// Whether it is.
      @inlinable public func c() {}
      /// The number.
      let d = 1
      // A note.
      func e() {}

      """
    let comments = Self.functionComments(of: text, "a.swift")
    #expect(comments.map(\.line) == [1, 3, 6])
    #expect(comments.map { Self.beginsWithVerb($0.text) } == [false, true, false])
  }

  @Test("The doc comment of every function in the sources begins with a verb")
  func functions() throws {
    let sources = packageFolder.appendingPathComponent("Sources")
    let names = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
    var count = 0
    // The comments of generated code are those of its schema.
    for name in names where name.hasSuffix(".swift") && !name.hasSuffix("_generated.swift") {
      let text = try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
      for comment in Self.functionComments(of: text, "Sources/" + name) {
        #expect(Self.beginsWithVerb(comment.text), "\(comment.place): \(comment.text)")
        count += 1
      }
    }
    #expect(count > 2_000)
  }

  @Test("Every sentence of the pages has 45 words at most")
  func pages() throws {
    for page in try Page.all() {
      // A paragraph ends at an empty line, a heading, an item of a list, or a row of a table.
      var paragraphs: [(line: Int, text: String)] = []
      var lastLine = 0
      for (line, text) in page.prose {
        let content = text.trimmingCharacters(in: .whitespaces)
        let begins = content.isEmpty || "#-*|<".contains(content.first ?? " ") || content.first?.isNumber == true
        if begins || line != lastLine + 1 || paragraphs.isEmpty {
          paragraphs.append((line, content))
        } else {
          paragraphs[paragraphs.count - 1].text += " " + content
        }
        lastLine = line
      }
      for paragraph in paragraphs where !paragraph.text.hasPrefix("|") {
        let long = Self.longSentences(of: paragraph.text)
        #expect(long.isEmpty, "\(page.path):\(paragraph.line): \(long)")
      }
    }
  }

  /// Titles that name what is looked up, rather than what a reader wants to know or do.
  private static let references: Set<String> = [
    "Documentation", "Common questions", "The API of Dflat 0.6, and where it is here", "Diagnostics",
    "The rules of `dflatc check`", "The rules of `dflatc lint`", "The schema as JSON", "The schema language",
    "The storage format",
  ]

  private static func isQuestionOrTask(_ title: String) -> Bool {
    let first = title.prefix { $0 != " " && $0 != ":" }
    if title.hasSuffix("?") || first.hasSuffix("ing") { return true }
    return ["How", "What", "Which", "See", "Begin", "A"].contains(first)
  }

  @Test("The title of a page is a question, or what its reader does")
  func titles() throws {
    #expect(!Self.isQuestionOrTask("Concurrency"))
    let folder = packageFolder.appendingPathComponent("Documentation")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".md") {
      let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      let title = String(text.prefix { $0 != "\n" }.drop { $0 == "#" }.dropFirst())
      #expect(Self.isQuestionOrTask(title) || Self.references.contains(title), "Documentation/\(name): \(title)")
    }
  }
}
