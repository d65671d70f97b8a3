import Foundation
import StoreInspection

/// Runs statements in `psql`, PostgreSQL's own client, and reads what they copy to its standard output.
///
/// `dflatc` is not linked with a library of PostgreSQL, since it also runs where there is none. People who read a
/// database have `psql`, and its ways to log in: passwords in `~/.pgpass` or `PGPASSWORD`, services, certificates.
struct PsqlRun {
  private let program: URL
  private let connection: String

  /// Finds `psql` for a database.
  /// - Throws: `InspectionError` if there is no `psql`.
  init(_ connection: String) throws(InspectionError) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    let found = folders.map { URL(fileURLWithPath: $0).appendingPathComponent("psql") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    guard let found else {
      throw InspectionError(
        """
        a database is read with the program psql, which is not in PATH: apt-get install postgresql-client, or \
        brew install libpq
        """)
    }
    program = found
    self.connection = connection
  }

  /// Runs statements in one snapshot, read-only, and calls `body` with the columns of each line, until it returns false.
  ///
  /// - Parameter statements: each is `COPY (...) TO STDOUT`, of columns that contain no character to be escaped.
  /// - Throws: what `body` throws; `InspectionError` if psql fails, which has said why on standard error.
  func rows(
    of queries: [String], _ body: ([Substring.UTF8View]) throws(InspectionError) -> Bool
  ) throws(InspectionError) {
    let process = Process()
    process.executableURL = program
    let statements = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"] + queries.map { "COPY (\($0)) TO STDOUT" }
    // `psql` must not ask for a password (`-w`): it is in a process group of its own, which the terminal would stop, and
    // it runs several times for one command.
    process.arguments =
      ["-XqAtw", "-v", "ON_ERROR_STOP=1", "-d", connection] + statements.flatMap { ["-c", $0] }
    var environment = ProcessInfo.processInfo.environment
    environment["PGCLIENTENCODING"] = "UTF8"
    environment["PGAPPNAME"] = environment["PGAPPNAME"] ?? "dflatc"
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    let end = ProcessEnd(of: process)
    do {
      try process.run()
    } catch {
      throw InspectionError("psql cannot be started: \(error.localizedDescription)")
    }
    var isWanted = true
    defer {
      if process.isRunning { process.terminate() }
      end.wait()
    }
    var rest: [UInt8] = []
    while isWanted {
      let chunk = output.fileHandleForReading.availableData
      guard !chunk.isEmpty else { break }
      // The bytes before this read hold no end of a line.
      var searched = rest.count
      rest += chunk
      var start = 0
      while isWanted, let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: rest[start..<end], as: UTF8.self)
        isWanted = try body(line.split(separator: "\t", omittingEmptySubsequences: false).map(\.utf8))
        start = end + 1
        searched = start
      }
      rest.removeFirst(start)
    }
    guard isWanted else { return }
    end.wait()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw InspectionError("psql has failed")
    }
  }
}
