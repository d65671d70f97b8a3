import FBSSchema
import Foundation

/// Why a program that a test needs did not do its work.
package struct ToolFailure: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) {
    self.description = description
  }
}

/// JSON without the spaces between its parts.
package func withoutSpaces(_ json: [UInt8]) -> String {
  var result: [UInt8] = []
  var isInString = false
  var isEscaped = false
  for byte in json {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == 0x5C {
        isEscaped = true
      } else if byte == 0x22 {
        isInString = false
      }
      result.append(byte)
    } else if byte != 0x20, byte != 0x0A {
      isInString = byte == 0x22
      result.append(byte)
    }
  }
  return String(decoding: result, as: UTF8.self)
}

/// Where the build puts its products: beside the test bundle.
package let productsFolder: URL = {
  #if os(macOS)
    return Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL.deletingLastPathComponent()
      ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  #else
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  #endif
}()

/// Runs a program found on PATH, and throws what it says when it fails.
package func run(_ tool: String, _ arguments: [String], in directory: URL) throws {
  // A file rather than a pipe: nothing can block, however much is written.
  let outputFile = directory.appendingPathComponent("output-\(UUID().uuidString)")
  try Data().write(to: outputFile)
  let output = try FileHandle(forWritingTo: outputFile)
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [tool] + arguments
  process.currentDirectoryURL = directory
  process.standardOutput = output
  process.standardError = output
  try process.run()
  process.waitUntilExit()
  try output.close()
  guard process.terminationStatus == 0, process.terminationReason == .exit else {
    let text = String(decoding: try Data(contentsOf: outputFile).prefix(4000), as: UTF8.self)
    throw ToolFailure(description: "\(tool) exits with \(process.terminationStatus): \(text)")
  }
}

/// Builds the Swift program `driver` of sources in `folder`, with modules that the build of the tests has made.
package func buildSwift(_ sources: [String], modules: [String], more: [String] = [], in folder: URL) throws {
  let objects = try modules.flatMap { module in
    let built = productsFolder.appendingPathComponent("\(module).build")
    return try FileManager.default.contentsOfDirectory(atPath: built.path).filter { $0.hasSuffix(".swift.o") }
      .map { built.appendingPathComponent($0).path }
  }
  try run(
    "swiftc",
    [
      "-Onone", "-swift-version", "6", "-warnings-as-errors", "-module-name", "Driver", "-o", "driver", "-I",
      productsFolder.appendingPathComponent("Modules").path,
    ] + more + sources + objects,
    in: folder)
}

/// Files that are only texts.
package struct SchemaTexts: SourceProvider {
  private let texts: [String: String]

  package init(_ files: [(name: String, text: String)]) {
    texts = Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) })
  }

  package func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    guard let text = texts[path] else { throw .notFound }
    return Array(text.utf8)
  }
}
