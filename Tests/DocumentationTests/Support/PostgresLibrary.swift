import Foundation
import TestSupport

/// What a compiler has to be told for code that uses `PostgresDflat`: where libpq's headers and its module map are.
enum PostgresLibrary {
  static var options: [String] {
    get throws {
      let headers = String(decoding: try runTool("pg_config", ["--includedir"]), as: UTF8.self)
      return [
        "-I", packageFolder.appendingPathComponent("Sources/CPostgres").path,
        "-Xcc", "-I" + headers.trimmingCharacters(in: .whitespacesAndNewlines),
      ]
    }
  }
}
