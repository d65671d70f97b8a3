import Dflat
import FlatBuffersCore
import Golden_post
import Testing

/// Checks the pages of posts, some of which have a color that this version of the schema does not know: their objects
/// show the default in its place.
package struct UnknownCasePageChecks {
  private let workspace: any Workspace

  /// - Parameter workspace: its database holds the posts that `fill` and `unknown` make.
  package init(_ workspace: any Workspace) { self.workspace = workspace }

  /// The posts 0 to 8, before those of `unknown` replace the posts 0, 3 and 6.
  package static let posts = (0..<9).map { number in
    Post(title: "\(number)", color: number % 3 == 1 ? .red : .blue, priority: Int32(number))
  }

  /// The numbers of the posts with unknown colors, and their bytes in hexadecimal digits. The colors are 100, 97 and 94.
  package static func unknown() throws -> [(number: Int, hex: String)] {
    try [0, 3, 6].map { number in
      var builder = FlatBufferBuilder()
      let title = builder.create("\(number)")
      builder.startTable(fieldCount: 6)
      builder.add(title, at: 4)
      builder.add(100 - Int8(number), default: 0, at: 6)
      builder.add(Int32(number), default: 0, at: 10)
      let root = builder.endTable()
      try builder.finish(root)
      let digits = builder.withFinishedBytes { bytes in
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
      }
      return (number, digits.joined())
    }
  }

  /// Returns post 3, of the color 97.
  package func lastPost() throws -> Post {
    try #require(workspace.fetch(for: Post.self).first(where: Post.title == "3"))
  }

  /// Returns the posts after post 3, by their colors in descending order.
  package func page(after post: Post) -> FetchedResult<Post> {
    workspace.fetch(for: Post.self).all(limit: .limit(10), orderBy: [Post.color.descending], after: post)
  }

  /// The titles of the page.
  package static let titles = ["6", "2", "5", "8", "1", "4", "7"]

  /// Changes the priority of a post, and waits until that is committed.
  package func setPriority(_ title: String, _ priority: Int32, in other: (any Workspace)? = nil) {
    let workspace = other ?? self.workspace
    let transaction = PendingTransaction([Post.self], in: workspace) { context in
      guard let request = PostChangeRequest.changeRequest(Post(title: title)) else { return }
      request.priority = priority
      context.try(submit: request)
    }
    #expect(transaction.outcome() == true)
  }

  /// Expects that a subscriber to the page is told of it as a fetch finds it.
  ///
  /// - Parameter other: a workspace of the same database.
  package func checkSubscriber(beside other: any Workspace) throws {
    let page = self.page(after: try lastPost())
    #expect(page.map(\.title) == Self.titles)
    let told = Collected<[String]>()
    let subscription = workspace.subscribe(fetchedResult: page) { result in
      told.append(result.map { "\($0.title): \($0.priority)" })
    }
    setPriority("2", 20)
    let changed = ["6: 6", "2: 20", "5: 5", "8: 8", "1: 1", "4: 4", "7: 7"]
    #expect(eventually { told.values.last == changed }, "\(told.values)")
    // Post 3 gets the color that its object shows, and so comes after its former position.
    setPriority("3", 30)
    let entered = ["6: 6", "2: 20", "5: 5", "8: 8", "1: 1", "3: 30", "4: 4", "7: 7"]
    #expect(eventually { told.values.last == entered }, "\(told.values)")
    // After a commit of others, the page is fetched again.
    setPriority("1", 10, in: other)
    let fetched = ["6: 6", "2: 20", "5: 5", "8: 8", "1: 10", "3: 30", "4: 4", "7: 7"]
    #expect(eventually { told.values.last == fetched }, "\(told.values)")
    subscription.cancel()
  }
}
