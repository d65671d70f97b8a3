import EngineTestSupport
import Foundation
import TestSupport
import Testing

/// A primary, and a standby that has confirmed each commit before it is acknowledged.
final class FailoverPair: Sendable {
  /// A folder with a link to the socket of the server that takes writes, for a pooler, which connects to one server only.
  let currentFolder: String
  private let name: String
  private let servers: Locked<(primary: PostgresServer, standby: PostgresServer?)>

  /// How many connections each of both servers takes: some more than clients need, so that the rest is used up soon.
  private static let connections = 80

  init(_ name: String) throws {
    self.name = name
    let primary = try PostgresServer("\(name)-0")
    try primary.psql("ALTER SYSTEM SET max_connections = \(Self.connections)")
    try primary.stop()
    try primary.start()
    servers = Locked((primary, nil))
    // Short, since the path of a socket has at most 107 bytes.
    currentFolder = "/tmp/dflat-pair-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: currentFolder, withIntermediateDirectories: true)
    try Self.link(currentFolder, to: primary)
  }

  /// The server that takes writes.
  var primary: PostgresServer { servers.value.primary }

  /// The connection string that leads to whichever server takes writes.
  func connection(to database: String, as user: String) -> String {
    let folder = primary.socketFolder
    // The name of the folder ends with the number of the server and of the process.
    let folders = ["-0-", "-1-"].map { folder.replacing("\(name)-0-", with: name + $0) }
    return "host=\(folders.joined(separator: ",")) dbname=\(database) user=\(user) target_session_attrs=read-write"
  }

  /// Makes the link in a folder lead to the socket of a server.
  private static func link(_ folder: String, to server: PostgresServer) throws {
    let socket = "/.s.PGSQL.5432"
    let new = folder + "/new"
    try FileManager.default.createSymbolicLink(atPath: new, withDestinationPath: server.socketFolder + socket)
    // Renamed, so that there is a link at any time.
    guard rename(new, folder + socket) == 0 else { throw ProgramFailure("\(new) cannot be renamed") }
  }

  /// Starts a standby of the primary, for which all commits wait from now on.
  ///
  /// - Parameter number: 0 or 1, which is not the number of the primary.
  func addStandby(_ number: Int) throws {
    let primary = primary
    let standby = try PostgresServer(standbyOf: primary, "\(name)-\(number)")
    servers.change { $0.standby = standby }
    try primary.psql("ALTER SYSTEM SET synchronous_standby_names = '*'")
    try primary.psql("SELECT pg_reload_conf()")
    let isSynchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
    guard eventually({ (try? primary.psql(isSynchronous)) == "1" }) else {
      throw ProgramFailure("the standby is not synchronous")
    }
    // What was committed before is there, too, once this is.
    for _ in 0..<2 {
      try primary.psql("CREATE TABLE IF NOT EXISTS marker (n int); INSERT INTO marker VALUES (1)")
    }
  }

  /// Stops the primary at once, and makes the standby the primary.
  func failOver() throws {
    guard let standby = servers.value.standby else { return }
    try primary.stop()
    try standby.promote()
    try standby.psql("ALTER SYSTEM RESET synchronous_standby_names")
    try standby.psql("SELECT pg_reload_conf()")
    try Self.link(currentFolder, to: standby)
    servers.value = (standby, nil)
  }

  func stop() {
    for server in [servers.value.standby, primary].compactMap({ $0 }) { try? server.stop() }
    try? FileManager.default.removeItem(atPath: currentFolder)
  }
}
