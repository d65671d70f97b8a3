import Dflat
import Hummingbird

/// The posts that a client asks for, those of the highest priority first.
struct PostList {
  private var tag: String?
  private var above: Int32?
  private var limit = 100

  /// - Throws: `HTTPError` with the status 400 if a parameter is none.
  init(_ parameters: Parameters) throws {
    for (name, value) in parameters {
      switch name {
      case "tag": tag = String(value)
      case "above": above = try PostList.number(name, value, in: Int32.min...Int32.max)
      case "limit": limit = try PostList.number(name, value, in: 1...1_000)
      default: throw HTTPError(.badRequest, message: "the parameters are tag, above and limit")
      }
    }
  }

  private static func number<Number: FixedWidthInteger>(
    _ name: Substring, _ value: Substring, in range: ClosedRange<Number>
  ) throws -> Number {
    guard let number = Number(value), range.contains(number) else {
      throw HTTPError(.badRequest, message: "\(name) is a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Fetches the posts, without keeping a thread of Swift's waiting.
  func fetch(in workspace: any Workspace) async throws -> FetchedResult<Post> {
    let posts = workspace.fetch(for: Post.self).async
    let order = [Post.priority.descending]
    return switch (tag, above) {
    case (let tag?, let above?):
      try await posts.where(Post.tag == tag && Post.priority > above, limit: .limit(limit), orderBy: order)
    case (let tag?, nil): try await posts.where(Post.tag == tag, limit: .limit(limit), orderBy: order)
    case (nil, let above?): try await posts.where(Post.priority > above, limit: .limit(limit), orderBy: order)
    case (nil, nil): try await posts.all(limit: .limit(limit), orderBy: order)
    }
  }
}
