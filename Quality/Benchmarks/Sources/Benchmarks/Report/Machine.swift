import Foundation
import RawSQLite

/// The machine and the versions that a report's figures are of.
struct Machine {
  /// What the report says, in its order.
  let facts: [(name: String, value: String)]
  let systemCalls: SystemCallCosts

  /// - Parameters:
  ///   - compiler: the dflatc that is measured
  ///   - folder: where the benchmarks have their files
  /// - Throws: if system calls cannot be timed there.
  init(compiler: String, folder: URL) throws {
    systemCalls = try SystemCallCosts(folder: folder)
    let process = ProcessInfo.processInfo
    let memory = Double(process.physicalMemory) / 1_073_741_824
    facts = [
      ("date", Date.now.formatted(.iso8601.year().month().day())),
      ("commit", Self.commit),
      ("processor", "\(Self.processor), \(process.activeProcessorCount) cores"),
      ("memory", String(format: "%.0f GiB", memory)),
      ("system", process.operatingSystemVersionString),
      ("Swift", Self.firstLine("swiftc", "--version")),
      ("SQLite", String(cString: raw_sqlite_version())),
      ("dflatc", Self.firstLine(compiler, "--version")),
      ("flatc", Self.firstLine("flatc", "--version")),
      ("GRDB", Self.grdb),
    ]
  }

  private static var packageFolder: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
  }

  private static var commit: String {
    let folder = packageFolder.path
    let commit = firstLine("git", "-C", folder, "rev-parse", "--short", "HEAD")
    let changes = firstLine("git", "-C", folder, "status", "--porcelain", "--untracked-files=no")
    return changes == unknown ? commit : "\(commit), with changes that are not committed"
  }

  private static var processor: String {
    #if os(Linux)
      let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
      let name = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
      return name.map { $0.trimmingCharacters(in: .whitespaces) } ?? unknown
    #else
      return firstLine("sysctl", "-n", "machdep.cpu.brand_string")
    #endif
  }

  /// The version that the package is resolved to.
  private static var grdb: String {
    struct Resolved: Decodable {
      let pins: [Pin]
      struct Pin: Decodable {
        let identity: String
        let state: State
      }
      struct State: Decodable { let version: String? }
    }
    let file = packageFolder.appending(path: "Package.resolved")
    let resolved = (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode(Resolved.self, from: $0) }
    return resolved?.pins.first { $0.identity == "grdb.swift" }?.state.version ?? unknown
  }

  private static let unknown = "unknown"

  /// The first line that a program prints; a fact that cannot be found out is no reason to measure nothing.
  private static func firstLine(_ words: String...) -> String {
    let text = (try? output(of: "/usr/bin/env", words)) ?? ""
    return text.split(separator: "\n").first.map(String.init) ?? unknown
  }
}
