import Foundation
import TestSupport
import Testing

@Suite("dflatc inspect")
struct InspectTests {
  /// A folder with a schema, and a store of two posts as the runtime lays it out.
  private func withStore(_ body: (URL) throws -> Void) throws {
    try withFolder { folder in
      try folder.write("table Post { title: string (primary); rating: float; }\nroot_type Post;\n", to: "post.fbs")
      var sql = "CREATE TABLE post (rowid INTEGER PRIMARY KEY AUTOINCREMENT, __pk0 TEXT, p BLOB, UNIQUE(__pk0));\n"
      for (title, rating) in [("a, b", "1.5"), ("c", "nan")] {
        let json = try folder.write("{ title: \"\(title)\", rating: \(rating) }", to: "row.json")
        let row = try dflatc("convert", "post.fbs", json, "-o", "row.bin", in: folder)
        try #require(row.status == 0, "\(row.error)")
        let bytes = try Data(contentsOf: folder.appending(path: "row.bin"))
        let hexadecimal = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        sql += "INSERT INTO post (__pk0, p) VALUES ('\(title)', x'\(hexadecimal)');\n"
      }
      try runTool("sqlite3", ["app.sqlite3"], input: Data(sql.utf8), in: folder)
      try body(folder)
    }
  }

  private static let hasSQLite = (try? runTool("sqlite3", ["-version"])) != nil

  @Test("Objects are listed in each format", .enabled(if: hasSQLite))
  func formats() throws {
    try withStore { folder in
      func output(_ arguments: String...) throws -> String {
        let result = try run(
          productsFolder.appending(path: "dflatc"), ["inspect", "app.sqlite3", "--schema", "post.fbs"] + arguments,
          in: folder)
        #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
        return result.output
      }
      #expect(try output("Post") == "title  rating\na, b   1.5\nc      nan\n")
      #expect(try output("Post", "--format", "csv") == "title,rating\r\n\"a, b\",1.5\r\nc,nan\r\n")
      let lines = "{\"title\": \"a, b\",\"rating\": 1.5}\n{\"title\": \"c\",\"rating\": \"nan\"}\n"
      #expect(try output("Post", "--format", "jsonl") == lines)
      let json = try JSONSerialization.jsonObject(with: Data(output("Post", "--format", "json").utf8))
      #expect((json as? [[String: Any]])?.count == 2)
      #expect(try output("Post", "--where", "title = 'x'", "--format", "json") == "[]\n")
      #expect(try output("Post", "--where", "rating is null", "--format", "jsonl").hasPrefix("{\"title\": \"c\""))
      #expect(try output().split(separator: "\n").last?.split(separator: " ").prefix(2) == ["Post", "2"])
      #expect(try output("--verify") == "no faults\n")
    }
  }

  @Test("Faults, mistakes and files that are no stores have their exit codes", .enabled(if: hasSQLite))
  func exitCodes() throws {
    try withStore { folder in
      try runTool(
        "sqlite3", ["app.sqlite3"], input: Data("UPDATE post SET __pk0 = 'z' WHERE rowid = 2;".utf8), in: folder)
      for (arguments, status, text) in [
        (["app.sqlite3", "--verify"], 1, "fault: post, row 2: the key `title` is not that of the object's bytes"),
        (["app.sqlite3", "Post", "--where", "titel = 'x'"], 1, "did you mean `title`?"),
        (["app.sqlite3", "Pots"], 2, "Did you mean 'Post'?"), (["app.sqlite3", "--limit", "3"], 2, "name it"),
        (["missing.sqlite3"], 3, "cannot read missing.sqlite3: there is no such file"),
        (["post.fbs"], 1, "not a SQLite database, or it is encrypted"),
      ] {
        let result = try run(
          productsFolder.appending(path: "dflatc"), ["inspect"] + arguments + ["--schema", "post.fbs"], in: folder)
        #expect(
          Int(result.status) == status && (result.output + result.error).contains(text), "\(arguments): \(result)")
      }
    }
  }
}
