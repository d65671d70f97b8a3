import Foundation
import TestSupport
import Testing

/// pgbouncer before a server, which hands its two connections out for single transactions. It ends with the process.
final class Pooler: Sendable {
  let folder: String
  /// The address at which connections are encrypted; nil if they are made to the socket in the folder.
  private let address: String?
  private let input = Pipe()

  /// - Parameters:
  ///   - serverFolder: where the socket of the server is; nil for the server's own folder.
  ///   - encrypts: whether workspaces connect with TLS. Its records are as large as TLS allows.
  init(_ server: PostgresServer, at serverFolder: String? = nil, encrypts: Bool = false) throws {
    folder = "/tmp/dflat-pooler-\(UUID().uuidString.prefix(8))"
    address = encrypts ? Self.freeAddress() : nil
    let encryption =
      encrypts
      ? """
      client_tls_sslmode = require
      client_tls_key_file = \(folder)/key
      client_tls_cert_file = \(folder)/certificate
      pkt_buf = 65536
      """ : ""
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(
      """
      [databases]
      * = host=\(serverFolder ?? server.socketFolder) user=\(server.user)
      [pgbouncer]
      pool_mode = transaction
      default_pool_size = 2
      max_client_conn = 200
      listen_addr = \(address ?? "")
      unix_socket_dir = \(folder)
      auth_type = any
      server_login_retry = 1
      \(encryption)

      """.utf8
    ).write(to: URL(fileURLWithPath: folder + "/settings"))
    let program = try #require(
      ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer", "/usr/local/bin/pgbouncer"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }, "pgbouncer is not installed: make tools")
    if encrypts {
      let folders = ["/usr/bin", "/opt/homebrew/bin", "/usr/local/bin"]
      let hasOpenSSL = folders.contains { FileManager.default.isExecutableFile(atPath: $0 + "/openssl") }
      try #require(hasOpenSSL, "openssl is not installed: make tools")
    }
    let certificate = "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 2"
    let preparation = encrypts ? "\(certificate) -keyout \(folder)/key -out \(folder)/certificate && " : ""
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
      (\(preparation)\(command)) </dev/null >\(folder)/log 2>&1 &
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
  func connection(to database: String) -> String {
    "host=\(address ?? folder) port=6432 dbname=\(database) user=app" + (address == nil ? "" : " sslmode=require")
  }

  /// Returns an address of this machine alone that no other test uses.
  private static func freeAddress() -> String {
    #if os(Linux)
      "127." + (0..<3).map { _ in "\(Int.random(in: 1...254))" }.joined(separator: ".")
    #else
      // The only address that these systems have without being told of others.
      "127.0.0.1"
    #endif
  }
}
