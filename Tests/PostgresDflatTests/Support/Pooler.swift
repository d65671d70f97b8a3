import Foundation
import TestSupport
import Testing

/// pgbouncer before a server, which hands its two connections out for single transactions. It ends with the process.
final class Pooler: Sendable {
  let folder: String
  private let input = Pipe()

  /// - Parameter serverFolder: where the socket of the server is; nil for the server's own folder.
  init(_ server: PostgresServer, at serverFolder: String? = nil) throws {
    folder = "/tmp/dflat-pooler-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(
      """
      [databases]
      * = host=\(serverFolder ?? server.socketFolder) user=\(server.user)
      [pgbouncer]
      pool_mode = transaction
      default_pool_size = 2
      max_client_conn = 200
      listen_addr =
      unix_socket_dir = \(folder)
      auth_type = any
      server_login_retry = 1

      """.utf8
    ).write(to: URL(fileURLWithPath: folder + "/settings"))
    let program = try #require(
      ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer", "/usr/local/bin/pgbouncer"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }, "pgbouncer is not installed: make tools")
    // As an unprivileged user, as which alone it runs.
    let command =
      getuid() == 0
      ? "chown -R postgres \(folder) && exec su postgres -s /bin/sh -c 'exec \(program) -q \(folder)/settings'"
      : "exec \(program) -q \(folder)/settings"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c",
      """
      trap '' INT TERM HUP
      (\(command)) </dev/null >\(folder)/log 2>&1 &
      cat >/dev/null
      pkill -KILL -P $! 2>/dev/null
      kill -KILL $! 2>/dev/null
      wait
      rm -rf \(folder)
      """,
    ]
    process.standardInput = input
    // Whoever reads what the tests print waits until nobody can write there.
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.currentDirectoryURL = URL(fileURLWithPath: "/tmp")
    try process.run()
  }

  deinit { try? input.fileHandleForWriting.close() }

  /// The connection string of a database.
  func connection(to database: String) -> String { "host=\(folder) port=6432 dbname=\(database) user=app" }
}
