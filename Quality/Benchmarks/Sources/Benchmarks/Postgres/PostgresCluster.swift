import Foundation

/// A server of PostgreSQL for one run, in a folder of its own. What it writes need not survive a loss of power, so that the figures
/// are not those of the disk.
final class PostgresCluster {
  private let folder: String
  private let bin: String
  private let user: String

  /// - Parameter settings: further arguments of the server.
  /// - Throws: when there is no PostgreSQL, or it does not start.
  init(settings additions: String = "") throws {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    if let newest = versions.compactMap({ Int($0) }).max() {
      bin = "/usr/lib/postgresql/\(newest)/bin"
    } else {
      bin = try output(of: "/usr/bin/env", ["pg_config", "--bindir"]).trimmingCharacters(in: .whitespacesAndNewlines)
    }
    // Short, since the path of a socket has at most 107 bytes.
    folder = "/tmp/dflat-bench-\(getpid())"
    user = getuid() == 0 ? "postgres" : NSUserName()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if getuid() == 0 { try launch("/bin/chown", ["postgres", folder]) }
    try run("\(bin)/initdb -D \(folder)/data -U \(user) -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null")
    let settings = "-k \(folder) -c listen_addresses= -c fsync=off -c max_connections=50 \(additions)"
    try run("\(bin)/pg_ctl -D \(folder)/data -o '\(settings)' -l \(folder)/log -w start >/dev/null")
  }

  deinit {
    try? run("\(bin)/pg_ctl -D \(folder)/data -m immediate stop >/dev/null")
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// A server does not run as the administrator.
  private func run(_ command: String) throws {
    if getuid() == 0 {
      try launch("/bin/su", ["postgres", "-s", "/bin/sh", "-c", "cd / && \(command)"])
    } else {
      try launch("/bin/sh", ["-c", command])
    }
  }

  /// Runs SQL in psql.
  func sql(_ statements: String) throws {
    let arguments = ["-Xq", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", user, "-d", "postgres", "-c", statements]
    try launch("\(bin)/psql", arguments)
  }

  var connection: String { "host=\(folder) user=\(user) dbname=postgres" }
}
