import FBSSchema
import StoreInspection
import Testing

@Suite("The verification of folded indexes")
struct FoldedEntryVerificationTests {
  /// The schema of the stores with an index over the folded tag. Every second post has no tag, from row 1 on.
  private func foldedSchema() throws -> Schema {
    try schema(
      """
      enum Color: byte { Red = 0, Green, Blue = 2 }
      table TextContent { text: string; }
      table ImageContent { images: [string]; }
      union Content { TextContent, ImageContent }
      table Post {
        title: string (primary);
        color: Color;
        tag: string (indexed: "folded");
        priority: int (indexed);
        content: Content;
      }
      root_type Post;
      """)
  }

  /// The index as the runtime makes it.
  private let index = """
    CREATE TABLE post__f8__folded15 (rowid INTEGER PRIMARY KEY, f8__folded15 TEXT);
    INSERT INTO post__f8__folded15
      SELECT rowid, CASE WHEN rowid % 2 = 0 THEN 'tag ' || (rowid - 1) END FROM post;
    CREATE TRIGGER verified__post__f8__folded15 BEFORE UPDATE OF rowid ON post__f8__folded15 BEGIN SELECT 1; END;
    """

  private func faults(after damage: String) async throws -> [StoreFault] {
    var faults: [StoreFault] = []
    try await withStore { path in
      try runSQL(index + damage, on: path, firingTriggers: false)
      faults = try StoreInspector(path, foldedSchema()).faults()
    }
    return faults
  }

  @Test("A verification finds folded entries that are NULL without need, or not NULL without a text")
  func nullEntries() async throws {
    #expect(try await faults(after: "").map(\.description) == [])
    let message = "the entry of `tag` is not that of the object's bytes"
    for (damage, fault) in [
      ("UPDATE post__f8__folded15 SET f8__folded15 = 'x' WHERE rowid = 3", "post__f8__folded15, row 3: \(message)"),
      ("UPDATE post__f8__folded15 SET f8__folded15 = NULL WHERE rowid = 4", "post__f8__folded15, row 4: \(message)"),
      (
        "DELETE FROM post__f8__folded15 WHERE rowid = 5",
        "post__f8__folded15, row 5: the row has no entry in the index of `tag`"
      ),
    ] {
      let faults = try await faults(after: damage)
      #expect(faults.map(\.description) == [fault] && faults.allSatisfy(\.isFault), "\(damage)")
    }
  }

  @Test("A wrong folded entry is no fault while the runtime does not rely on the index")
  func unverifiedIndex() async throws {
    let faults = try await faults(
      after: """
        UPDATE post__f8__folded15 SET f8__folded15 = NULL WHERE rowid = 4;
        DROP TRIGGER verified__post__f8__folded15;
        """)
    #expect(faults.count == 1 && faults.allSatisfy { !$0.isFault }, "\(faults)")
  }
}
