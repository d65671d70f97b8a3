import Foundation
import LanguageServer
import Testing

@Suite("Halves of surrogate pairs in messages to the language server")
struct SurrogateTests {
  /// Sends a change whose text is written in JSON as given, and returns the column of the diagnostic about `Nothing`.
  private func column(_ text: String) throws -> Int? {
    var client = try EditorClient()
    client.open("/w/a.fbs", "table T { a: int; }\n")
    client.session.enqueue(
      Array(
        """
        {"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///w/a.fbs","version":2},\
        "contentChanges":[{"text":"/* \(text) */ table T { a: Nothing; }\\n"}]}}
        """.utf8))
    client.run()
    let found = client.diagnostics("/w/a.fbs")?.first { $0["code"] as? String == "D0204" }
    return ((found?["range"] as? [String: Any])?["start"] as? [String: Any])?["character"] as? Int
  }

  @Test(
    "Half of a pair counts as one unit, and a pair as two",
    arguments: [
      ("", 0), (#"\ud83d"#, 1), (#"\uDE00"#, 1), (#"\ud83d\ude00"#, 2), (#"\ud83d\ud83d\ude00\ude00"#, 4),
      (#"\ude00\ud83d"#, 2), (#"\\ud83d"#, 6), (#"\\\ud83d"#, 2), (#"\ud83d\n"#, 1), (#"\u00e4\ud83d x"#, 4),
      ("\u{1F600}", 2), ("\\ud83d\u{E4}", 2),
    ])
  func columns(_ text: String, _ width: Int) throws {
    // After a line break in the comment, columns count from there.
    let start = text.contains("\\n") ? 0 : 3 + width
    #expect(try column(text) == start + " */ table T { a: ".count)
  }
}
