import Foundation

/// A version of flatc, and the binary schemas that it writes.
package struct FlatcTool: Sendable, CustomStringConvertible {
  /// What failures call it.
  package let description: String
  /// Where it is, or its name in PATH.
  package let program: String
  /// Whether it knows offsets of 64 bits, and unions with a number type of their own.
  package let isNewest: Bool

  /// The one that the system's package manager installs.
  package static let system = FlatcTool(description: "the system's flatc", program: "flatc", isNewest: false)

  /// The newest one. Nil where it cannot be had: `make test` says so.
  package static let newest: FlatcTool? = {
    let path = packageFolder.appendingPathComponent(".build/newest-flatc/bin/flatc").path
    guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
    return FlatcTool(description: "the newest flatc", program: path, isNewest: true)
  }()

  /// Those that there are.
  package static let all = [system] + (newest.map { [$0] } ?? [])

  /// The binary schema of a file. Nil if flatc refuses the schema.
  /// - Parameter options: What is said besides `-b --schema`.
  package func binarySchema(of file: String, in folder: URL, _ options: [String]) throws -> [UInt8]? {
    do {
      try runTool(program, ["-b", "--schema"] + options + [file], in: folder)
    } catch is ProgramFailure {
      return nil
    }
    let name = file.hasSuffix(".fbs") ? String(file.dropLast(4)) : file
    return [UInt8](try Data(contentsOf: folder.appendingPathComponent(name + ".bfbs")))
  }
}
