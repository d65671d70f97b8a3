import Foundation

/// A server of PostgreSQL in a folder of its own. It listens on a socket in the folder, and ends with the process, however that
/// ends.
package final class PostgresServer: Sendable {
  /// The folder of the socket.
  package let socketFolder: String
  package let user: String
  private let folder: String
  private let bin: String

  /// The server of this process. Nothing is skipped where there is none: the tests fail.
  package static let shared: Result<PostgresServer, any Error> = Result { try PostgresServer("shared") }

  /// A server for tests that keep transactions open which write, or whose processes stand still. On the server that the others share,
  /// no stream of commits would begin meanwhile, and no database be dropped.
  package static let held: Result<PostgresServer, any Error> = Result { try PostgresServer("held") }

  /// A role that has to give a password; all others are trusted.
  package static let roleWithPassword = "needs_password"

  /// The port of every server, which names its socket. The environment variable `PGPORT` may say otherwise.
  private static let port = 5432

  /// Settings that a server for tests has: nothing needs to survive a loss of power. Autovacuum would change plans, lock templates of
  /// databases and end snapshots of a standby, at times that depend on the load.
  private static let settings = """
    listen_addresses = ''
    port = \(port)
    unix_socket_permissions = 0777
    fsync = off
    full_page_writes = off
    wal_level = logical
    max_wal_senders = 30
    max_replication_slots = 30
    max_connections = 300
    max_pred_locks_per_transaction = 256
    deadlock_timeout = 100ms
    autovacuum = off
    log_min_messages = panic

    """

  /// - Parameter name: what tells it from other servers of the process.
  package init(_ name: String) throws {
    bin = try PostgresServer.findPrograms()
    // Short, since the path of a socket has at most 107 bytes.
    folder = "/tmp/dflat-pg-\(name)-\(ProcessInfo.processInfo.processIdentifier)"
    socketFolder = folder
    user = getuid() == 0 ? "postgres" : NSUserName()
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if getuid() == 0 { _ = try run("chown", ["postgres", folder]) }
    try asServer("\(bin)/initdb -D \(folder)/data -U \(user) -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null")
    let settings = folder + "/settings"
    try Data(PostgresServer.settings.utf8).write(to: URL(fileURLWithPath: settings))
    // The user of the server reads it, whatever the umask is.
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: settings)
    try asServer("cat \(settings) >> \(folder)/data/postgresql.conf")
    // The first line that fits counts. `sed -i` has another form on macOS.
    try asServer(
      "cd \(folder)/data && echo local all \(PostgresServer.roleWithPassword) scram-sha-256 | cat - pg_hba.conf >hba.new "
        + "&& mv hba.new pg_hba.conf")
    try start()
  }

  /// A hot standby, to which a server sends all that it commits.
  package init(standbyOf primary: PostgresServer, _ name: String) throws {
    bin = primary.bin
    folder = "/tmp/dflat-pg-\(name)-\(ProcessInfo.processInfo.processIdentifier)"
    socketFolder = folder
    user = primary.user
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if getuid() == 0 { _ = try run("chown", ["postgres", folder]) }
    let address = primary.address.joined(separator: " ")
    try asServer("\(bin)/pg_basebackup \(address) -U \(user) -D \(folder)/data -R -X stream -c fast --no-sync")
    try start()
  }

  /// The folder of the server's programs: what the environment variable `POSTGRES_PROGRAMS` says, or those of the newest version that
  /// is installed.
  private static func findPrograms() throws -> String {
    if let folder = ProcessInfo.processInfo.environment["POSTGRES_PROGRAMS"] { return folder }
    let folder = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    if let newest = versions.compactMap({ Int($0) }).max() { return "\(folder)/\(newest)/bin" }
    let result = try runProgram("pg_config", ["--bindir"])
    return String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Runs a shell command as the user of the server, which must not be the administrator.
  @discardableResult
  private func asServer(_ command: String) throws -> ProgramResult {
    getuid() == 0 ? try run("su", ["postgres", "-s", "/bin/sh", "-c", command]) : try run("sh", ["-c", command])
  }

  private func run(_ program: String, _ arguments: [String]) throws -> ProgramResult {
    let result = try runProgram(program, arguments, in: URL(fileURLWithPath: "/tmp"), seconds: 300)
    guard result.isSuccess else {
      throw ProgramFailure("\(arguments.joined(separator: " ")): \(String(decoding: result.error, as: UTF8.self))")
    }
    return result
  }

  /// Stops the server at once, as a loss of power does.
  package func stop() throws { try asServer("\(bin)/pg_ctl -D \(folder)/data -m immediate -w stop >/dev/null") }

  /// Makes a standby the primary, which has all that it was sent.
  package func promote() throws {
    guard try psql("SELECT pg_promote(true, 300)") == "t" else { throw ProgramFailure("the standby is not promoted") }
  }

  /// Starts the server, and a shell that stops it when this process ends: then its standard input is closed.
  package func start() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // A copy that is installed nowhere has its own libpq beside its programs; the one of the system may be too old for a standby.
    let server = "env LD_LIBRARY_PATH=\(bin)/../lib \(bin)/postgres -D \(folder)/data -k \(folder)"
    let command = getuid() == 0 ? "exec su postgres -s /bin/sh -c 'exec \(server)'" : "exec \(server)"
    process.arguments = [
      "-c",
      """
      trap '' INT TERM HUP
      (\(command)) </dev/null >\(folder)/log 2>&1 &
      server=$!
      cat >/dev/null
      # A server that was stopped has no such file, nor has one that has just begun.
      kill -QUIT $(head -n 1 \(folder)/data/postmaster.pid 2>/dev/null) 2>/dev/null
      # One that does not end by that is killed, and `su` before it.
      (sleep 20; pkill -KILL -P $server; kill -KILL $server) &
      guard=$!
      wait $server
      kill -KILL $guard
      rm -rf \(folder)
      """,
    ]
    let input = Pipe()
    process.standardInput = input
    // Whoever reads what the tests print waits until nobody can write there.
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.currentDirectoryURL = URL(fileURLWithPath: "/tmp")
    try process.run()
    // For as long as this process lives.
    PostgresServer.keepOpen(input)
    for _ in 0..<1_000 {
      if (try? psql("SELECT 1")) == "1" { return }
      usleep(50_000)
    }
    let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
    throw ProgramFailure("the server does not start: \(log)")
  }

  private static func keepOpen(_ pipe: Pipe) { _ = Unmanaged.passRetained(pipe) }

  /// The connection string of a database.
  ///
  /// - Parameter folder: where the socket is of what stands before the server; nil for its own.
  package func connection(to database: String, user: String? = nil, through folder: String? = nil) -> String {
    "host=\(folder ?? socketFolder) port=\(Self.port) dbname=\(database) user=\(user ?? self.user)"
  }

  /// Where the server is, as its programs take it.
  private var address: [String] { ["-h", socketFolder, "-p", "\(Self.port)"] }

  /// Runs SQL in psql, and gives what it prints, without titles.
  ///
  /// - Parameter folder: where the socket is of what stands before the server; nil for its own.
  @discardableResult
  package func psql(
    _ sql: String, in database: String = "postgres", through folder: String? = nil, port: Int = 5432
  ) throws -> String {
    let host = ["-h", folder ?? socketFolder, "-p", "\(port)"]
    let result = try run(
      "\(bin)/psql", ["-XqAt", "-v", "ON_ERROR_STOP=1"] + host + ["-U", user, "-d", database, "-c", sql])
    return String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Runs a script in psql, as a file that is given to it, and gives what it prints.
  ///
  /// - Parameter user: the role that runs it; nil for the superuser of the server.
  @discardableResult
  package func runScript(_ script: String, in database: String, as user: String? = nil) throws -> String {
    let result = try runProgram(
      "\(bin)/psql",
      ["-XqAt", "-v", "ON_ERROR_STOP=1"] + address + ["-U", user ?? self.user, "-d", database, "-f", "-"],
      input: Data(script.utf8), in: URL(fileURLWithPath: "/tmp"), seconds: 300)
    guard result.isSuccess else { throw ProgramFailure(String(decoding: result.error, as: UTF8.self)) }
    return String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// What pg_dump writes of a database: a script for psql.
  package func dump(_ database: String, _ arguments: [String]) throws -> String {
    let result = try run("\(bin)/pg_dump", address + ["-U", user, "-d", database] + arguments)
    return String(decoding: result.output, as: UTF8.self)
  }
}
