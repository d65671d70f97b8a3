import Dflat
import FlatBuffersCore
import Foundation
import Golden_post
import TestSupport
import Testing

/// Documentation/standing-queries.md is for those who change the package, so that its code uses what only the package sees.
@Suite("The page about standing queries")
struct StandingQueriesTests {
  private func row(_ post: Post) throws -> FlatBufferTable {
    try #require(FlatBufferTable(rootOf: ByteBuffer(Array(post.toData()))))
  }

  @Test("The queries of the page match the row as the page says")
  func itsQueriesMatchAsItSays() throws {
    let row = try row(Post(title: "Alpha", color: .red, priority: 14))
    // begin
    let index = PredicateIndex()
    index.insert((Post.title == "Alpha" && Post.color == .red)._node, as: 0)  // filed under: title = "Alpha"
    index.insert((Post.priority >= 10 && Post.priority < 20)._node, as: 1)  // filed under: priority in 10..<20
    index.insert((Post.title == "Beta" || Post.tag.isNull)._node, as: 2)  // filed under both terms
    index.insert((Post.priority % 7 == 0)._node, as: 3)  // filed nowhere: evaluated each time

    var ids: ContiguousArray<Int32> = []
    index.appendMatches(of: row, to: &ids)
    // end
    #expect(ids.sorted() == [0, 1, 2, 3])
    ids = []
    index.appendMatches(of: try self.row(Post(title: "Alpha", color: .green, tag: "x", priority: 20)), to: &ids)
    #expect(ids.isEmpty)
  }

  @Test("The code on the page is the code of the test")
  func itsCodeIsTheCodeAbove() throws {
    let lines = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let begin = try #require(lines.firstIndex { $0.hasSuffix("// begin") })
    let end = try #require(lines.firstIndex { $0.hasSuffix("// end") })
    let code = lines[(begin + 1)..<end].map { $0.dropFirst(4) + "\n" }.joined()
    let page = try Page("Documentation/standing-queries.md")
    #expect(page.fences.first { $0.language == "swift" }?.text == code)
  }
}
