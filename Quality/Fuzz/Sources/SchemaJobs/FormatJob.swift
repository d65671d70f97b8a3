import FBSDiagnostics
import FBSParser
import FuzzSupport

/// Any bytes as a schema that is laid out anew.
public enum FormatJob {
  /// Lays out `bytes`, if they parse.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public static func run(_ bytes: [UInt8]) throws(Mistake) {
    let (tree, diagnostics) = parse(bytes)
    guard !diagnostics.contains(where: { $0.severity == .error }) else { return }
    let formatted = SchemaFormatter.format(tree)
    let (again, diagnosticsAgain) = parse(formatted)
    guard !diagnosticsAgain.contains(where: { $0.severity == .error }) else {
      throw Mistake("a schema does not parse any more once it is laid out")
    }
    guard SchemaFormatter.format(again) == formatted else { throw Mistake("laid out twice is another text") }
    guard haveEqualTokens(tree, again) else { throw Mistake("the layout changes a token") }
    // The mark of UTF-8 at the start is no text, and goes.
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    guard text.lazy.filter(isVisible).elementsEqual(formatted.lazy.filter(isVisible)) else {
      throw Mistake("the layout changes more than blanks")
    }
  }

  private static func parse(_ bytes: [UInt8]) -> (SyntaxTree, [Diagnostic]) {
    Parser.parse(SourceFile(id: FileID(0), path: OneFile.path, bytes: bytes))
  }

  private static func haveEqualTokens(_ first: SyntaxTree, _ second: SyntaxTree) -> Bool {
    first.tokens.count == second.tokens.count
      && zip(first.tokens, second.tokens).allSatisfy { one, other in
        one.kind == other.kind
          && first.source.bytes[Int(one.start)..<Int(one.end)] == second.source.bytes[Int(other.start)..<Int(other.end)]
      }
  }

  private static func isVisible(_ byte: UInt8) -> Bool {
    // Neither a blank nor an end of a line.
    byte != 32 && !(9...13).contains(byte)
  }
}
