import Foundation
import TestSupport
import Testing

/// Whether there is the program `sqlite3`, which makes the stores that `dflatc inspect` reads.
let hasSQLite = (try? runTool("sqlite3", ["-version"])) != nil

/// A folder with a schema, `post.fbs`, and a store of posts as the runtime lays it out, `app.sqlite3`.
///
/// - Parameters:
///   - schema: a schema with a table `Post`, whose primary key is the string `title`.
///   - posts: the title and the JSON of each post.
func withStoredPosts(
  schema: String, _ posts: [(title: String, json: String)], _ body: (URL) throws -> Void
) throws {
  try withFolder { folder in
    try folder.write(schema, to: "post.fbs")
    var sql = "CREATE TABLE post (rowid INTEGER PRIMARY KEY AUTOINCREMENT, __pk0 TEXT, p BLOB, UNIQUE(__pk0));\n"
    for (title, json) in posts {
      let file = try folder.write(json, to: "row.json")
      let row = try dflatc("convert", "post.fbs", file, "-o", "row.bin", in: folder)
      try #require(row.status == 0, "\(row.error)")
      let bytes = try Data(contentsOf: folder.appending(path: "row.bin"))
      let hexadecimal = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      sql += "INSERT INTO post (__pk0, p) VALUES ('\(title)', x'\(hexadecimal)');\n"
    }
    try runTool("sqlite3", ["app.sqlite3"], input: Data(sql.utf8), in: folder)
    try body(folder)
  }
}
