import Dflat
import Foundation
import Hummingbird

/// What the server answers. It knows no database: every `Workspace` will do.
struct PostRoutes {
  private let workspace: any Workspace

  init(_ workspace: any Workspace) {
    self.workspace = workspace
  }

  var router: Router<BasicRequestContext> {
    let router = Router()
    router.get("posts", use: list)
    router.get("posts/:title", use: get)
    router.put("posts/:title", use: put)
    router.delete("posts/:title", use: delete)
    router.get("events", use: events)
    return router
  }

  private func list(_ request: Request, _: BasicRequestContext) async throws -> [PostContent] {
    let list = try PostList(request.uri.queryParameters)
    return try await reading { try await list.fetch(in: workspace) }.map(PostContent.init)
  }

  private func get(_: Request, _ context: BasicRequestContext) async throws -> PostContent {
    let title = try title(in: context)
    guard
      let post = try await reading({ try await workspace.fetch(for: Post.self).async.where(Post.title == title).first })
    else { throw HTTPError(.notFound, message: "there is no post \(title)") }
    return PostContent(post)
  }

  private func put(_ request: Request, _ context: BasicRequestContext) async throws -> EditedResponse<PostContent> {
    let post = try await request.decode(as: PostContent.self, context: context)
      .post(title: title(in: context))
    let isNew = try await writing { transaction in
      // The closure may run more than once, so that it does nothing but change posts.
      if case .inserted = try transaction.submit(PostChangeRequest.upsertRequest(post)) { true } else { false }
    }
    return EditedResponse(status: isNew ? .created : .ok, response: PostContent(post))
  }

  private func delete(_: Request, _ context: BasicRequestContext) async throws -> HTTPResponse.Status {
    let title = try title(in: context)
    let isDeleted = try await writing { [workspace] transaction in
      guard let post = workspace.fetch(for: Post.self).where(Post.title == title).first,
        let request = PostChangeRequest.deletionRequest(post)
      else { return false }
      try transaction.submit(request)
      return true
    }
    guard isDeleted else { throw HTTPError(.notFound, message: "there is no post \(title)") }
    return .noContent
  }

  private func events(_ request: Request, _: BasicRequestContext) async throws -> Response {
    let list = try PostList(request.uri.queryParameters)
    let events = PostEvents(of: try await reading { try await list.fetch(in: workspace) }, in: workspace)
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-cache"],
      body: ResponseBody { writer in
        // When the client goes, there is nothing more to wait for.
        try await request.body.consumeWithCancellationOnInboundClose { [writer] _ in
          var writer = writer
          try await events.send { try await writer.write(ByteBuffer(string: $0)) }
        }
        try await writer.finish(nil)
      })
  }

  /// The title that stands in the path.
  private func title(in context: BasicRequestContext) throws -> String {
    guard let title = try context.parameters.require("title").removingPercentEncoding else {
      throw HTTPError(.badRequest, message: "the title is not UTF-8")
    }
    return title
  }

  // MARK: Errors

  /// Fetches. Fails with 503 if the store does not answer: its error handler has written why to the log.
  private func reading<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch is StoreError {
      throw HTTPError(.serviceUnavailable, message: "posts cannot be read now")
    }
  }

  /// Runs a transaction, likewise.
  private func writing<Value: Sendable>(
    _ body: @escaping @Sendable (any TransactionContext) throws -> Value
  ) async throws -> Value {
    do {
      return try await workspace.performChanges([Post.self], changesHandler: body)
    } catch is TransactionError {
      throw HTTPError(.serviceUnavailable, message: "posts cannot be stored now")
    }
  }
}
