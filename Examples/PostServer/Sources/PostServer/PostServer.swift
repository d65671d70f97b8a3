import ArgumentParser
import Dflat
import Foundation
import Hummingbird
import PostgresDflat
import SQLiteDflat

/// Serves posts over HTTP.
@main
struct PostServer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serves posts over HTTP, from an SQLite file or from PostgreSQL.",
    discussion: """
      Without POSTS_DATABASE, posts are stored in a file. With it, they are stored in the database of PostgreSQL that it names:

        POSTS_DATABASE=postgresql://app@db.example.com/app PostServer

      What is served:

        GET /posts?tag=T&above=N&limit=N   posts, those of the highest priority first
        GET /posts/TITLE                   one post
        PUT /posts/TITLE                   stores a post: {"priority": 3, "color": "green", "tag": "a", "text": "..."}
        DELETE /posts/TITLE                deletes it
        GET /events?tag=T&above=N&limit=N  the same list, and then each change of it, as server-sent events
        GET /health                        200 while the process lives
        GET /ready                         200 while the store answers, or 503
        GET /metrics                       counts and times of the store, in Prometheus' text format
      """,
    subcommands: [Serve.self, Copy.self], defaultSubcommand: Serve.self)

  struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Serves posts. This is what happens unless told otherwise.")

    @Option(help: "The file of the posts, unless POSTS_DATABASE is set.")
    var file = "posts.sqlite3"

    @Option(help: "The address to listen at.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen at; with 0, the system chooses one.")
    var port = 8080

    func run() async throws {
      let workspace = PostServer.database.map { PostgresWorkspace(connection: $0) } ?? PostServer.workspace(file)
      let router = PostRoutes(workspace).router
      PostProbes(workspace, PostMetrics(of: workspace)).add(to: router)
      let application = Application(
        router: router,
        configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
        onServerRunning: { channel in
          let address = channel.localAddress.map { "\($0.ipAddress ?? ""):\($0.port ?? 0)" } ?? ""
          FileHandle.standardError.write(Data("Serving posts at http://\(address)/posts\n".utf8))
        })
      try await application.runService()
      await workspace.shutdown()
    }
  }

  struct Copy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Copies the posts of a file to the database of POSTS_DATABASE, and verifies them.",
      discussion: "If it is interrupted, run it again: it goes on. Nobody should change posts meanwhile.")

    @Argument(help: "The file of the posts.")
    var file: String

    func run() async throws {
      guard let database = PostServer.database else {
        throw ValidationError("Set POSTS_DATABASE to the database's connection string.")
      }
      guard FileManager.default.fileExists(atPath: file) else { throw ValidationError("There is no file \(file).") }
      let source = PostServer.workspace(file)
      let destination = PostgresWorkspace(connection: database)
      let isWatched = isatty(STDERR_FILENO) != 0
      let summary = try await destination.copy([Post.self], from: source) { progress in
        guard isWatched else { return }
        let line = "\(progress.phase) \(progress.table): \(progress.rowCount) of \(progress.totalRowCount)"
        FileHandle.standardError.write(Data("\r\(line)\u{1B}[K".utf8))
      }
      if isWatched { FileHandle.standardError.write(Data("\n".utf8)) }
      await source.shutdown()
      await destination.shutdown()
      for table in summary.tables {
        print(
          """
          \(table.name): \(table.insertedCount) new, \(table.replacedCount) replaced, \(table.unchangedCount) there already, \
          \(table.damagedRows.count) damaged and left out
          """)
      }
    }
  }

  /// The connection string of the database; nil if posts are in a file.
  static var database: String? {
    ProcessInfo.processInfo.environment["POSTS_DATABASE"].flatMap { $0.isEmpty ? nil : $0 }
  }

  static func workspace(_ file: String) -> any Workspace {
    SQLiteWorkspace(filePath: file, fileProtectionLevel: .noProtection)
  }
}
