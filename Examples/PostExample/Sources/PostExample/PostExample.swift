import Dflat
import Foundation
import SQLiteDflat

/// Creates, reads, queries, updates and deletes posts in a SQLite file, and says what it does.
@main
struct PostExample {
  static func main() async {
    let path = CommandLine.arguments.dropFirst().first ?? "posts.sqlite3"
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection) { error in
      print("The store reports: \(error)")
    }
    print("Opening \(path)")
    await run(on: workspace)
    await workspace.shutdown()
    print("Closed. Run it again: it finds these posts.")
  }

  static func run(on workspace: any Workspace) async {
    show("What the last run left", workspace.fetch(for: Post.self).all(orderBy: [Post.title.ascending]))

    // Upserts: the first run creates these posts, the next one finds them there.
    let succeeded = await workspace.performChanges([Post.self]) { transaction in
      for (number, title) in ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"].enumerated() {
        let post = Post(
          title: title, color: [.red, .green, .blue][number % 3], tag: number < 2 ? "greek" : nil,
          priority: Int32(number * 10),
          content: number == 4
            ? .imageContent(ImageContent(images: ["sunset.png", "sunrise.png"]))
            : .textContent(TextContent(text: "All about \(title)")))
        transaction.try(submit: PostChangeRequest.upsertRequest(post))
      }
    }
    print("Created 5 posts in one transaction: \(succeeded ? "committed" : "failed")")

    show(
      "priority > 5 && color != .blue, the most urgent first",
      workspace.fetch(for: Post.self).where(
        Post.priority > 5 && Post.color != .blue, orderBy: [Post.priority.descending]))
    show(
      "content is text that says \"All about Gamma\"",
      workspace.fetch(for: Post.self).where(Post.content.as(TextContent.self).text == "All about Gamma"))

    await workspace.performChanges([Post.self]) { transaction in
      guard let post = workspace.fetch(for: Post.self).where(Post.title == "Alpha").first,
        let request = PostChangeRequest.changeRequest(post)
      else { return }
      request.priority += 100
      request.tag = "changed \(request.priority / 100) times"
      transaction.try(submit: request)
    }
    show("Updated Alpha", workspace.fetch(for: Post.self).where(Post.title == "Alpha"))

    await workspace.performChanges([Post.self]) { transaction in
      for post in workspace.fetch(for: Post.self).where(Post.title == "Beta") {
        guard let request = PostChangeRequest.deletionRequest(post) else { continue }
        transaction.try(submit: request)
      }
    }
    show("Deleted Beta; what is left", workspace.fetch(for: Post.self).all(orderBy: [Post.title.ascending]))
  }

  static func show(_ title: String, _ posts: FetchedResult<Post>) {
    print("\n\(title): \(posts.count) found")
    for post in posts {
      let content =
        switch post.content {
        case .textContent(let text)?: text.text ?? ""
        case .imageContent(let images)?: images.images.joined(separator: ", ")
        case nil: ""
        }
      let title = post.title.padding(toLength: 8, withPad: " ", startingAt: 0)
      print("  \(title) priority \(post.priority)  \(post.color)  \(post.tag ?? "no tag")  \(content)")
    }
  }
}
