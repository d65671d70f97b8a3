import Hummingbird

/// A post as JSON: the title stands in the URL of a request, and in the object of an answer.
struct PostContent: ResponseCodable {
  var title: String?
  var color: String?
  var tag: String?
  var priority: Int32?
  /// The content of a post that is a text.
  var text: String?
  /// The content of one that is some images.
  var images: [String]?

  init(_ post: Post) {
    title = post.title
    color = PostContent.colors.first { $0.value == post.color }?.key
    tag = post.tag
    priority = post.priority
    switch post.content {
    case .textContent(let content): text = content.text
    case .imageContent(let content): images = content.images
    case nil: break
    }
  }

  private static let colors: [String: Color] = ["red": .red, "green": .green, "blue": .blue]

  /// - Throws: `HTTPError` with the status 400 if the JSON is none of a post.
  func post(title: String) throws -> Post {
    guard !title.isEmpty else { throw HTTPError(.badRequest, message: "a post has a title") }
    guard self.title == nil || self.title == title else {
      throw HTTPError(.badRequest, message: "the title is that of the URL")
    }
    guard let color = PostContent.colors[color ?? "red"] else {
      throw HTTPError(.badRequest, message: "the colors are red, green and blue")
    }
    guard text == nil || images == nil else { throw HTTPError(.badRequest, message: "a post has a text or images") }
    let content: Content? =
      text.map { .textContent(TextContent(text: $0)) } ?? images.map { .imageContent(ImageContent(images: $0)) }
    return Post(title: title, color: color, tag: tag, priority: priority ?? 0, content: content)
  }
}
