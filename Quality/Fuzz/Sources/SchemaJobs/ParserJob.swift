import FBSDiagnostics
import FBSParser
import FuzzSupport

/// Any bytes as a text: tokens, and a tree that holds all of them.
public enum ParserJob {
  /// Parses `bytes`.
  ///
  /// - Throws: what must not happen, whatever the bytes are.
  public static func run(_ bytes: [UInt8]) throws(Mistake) {
    let (tree, diagnostics) = Parser.parse(SourceFile(id: FileID(0), path: OneFile.path, bytes: bytes))
    var written: [UInt8] = []
    tree.write(to: &written)
    guard written == bytes else { throw Mistake("the tree does not print back to its text") }
    for diagnostic in diagnostics where diagnostic.range.end > bytes.count {
      throw Mistake("`\(diagnostic.message)` is outside the file")
    }
  }
}
