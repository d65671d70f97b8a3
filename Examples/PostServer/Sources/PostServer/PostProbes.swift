import Dflat
import Hummingbird
import PostgresDflat

/// The routes for an operator: `/health` tells that the process lives, `/ready` whether it can serve, and `/metrics` its figures.
struct PostProbes: Sendable {
  private let workspace: any Workspace
  private let metrics: PostMetrics

  init(_ workspace: any Workspace, _ metrics: PostMetrics) {
    self.workspace = workspace
    self.metrics = metrics
  }

  func add(to router: Router<BasicRequestContext>) {
    router.get("health") { _, _ in "ok\n" }
    router.get("ready", use: ready)
    router.get("metrics", use: figures)
  }

  /// 200 while the store answers: a balancer sends no requests to a server that is not ready, and a restart would not help it.
  private func ready(_: Request, _: BasicRequestContext) async throws -> String {
    do {
      if let postgres = workspace as? PostgresWorkspace {
        try await postgres.ping()
      } else {
        _ = try await workspace.fetch(for: Post.self).async.exists()
      }
      return "ready\n"
    } catch {
      throw HTTPError(.serviceUnavailable, message: "\(error)")
    }
  }

  private func figures(_: Request, _: BasicRequestContext) async throws -> Response {
    let pool = (workspace as? PostgresWorkspace)?.poolStatus
    return Response(
      status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text(pool))))
  }
}
