import FBSDiagnostics
import FBSParser
import FBSSchema
import Foundation

/// Files in a dictionary.
struct MemoryProvider: SourceProvider {
  var files: [String: [UInt8]] = [:]
  var unreadable: [String: String] = [:]

  init(_ texts: [String: String]) {
    files = texts.mapValues { Array($0.utf8) }
  }

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    if let reason = unreadable[path] { throw .unreadable(reason: reason) }
    guard let bytes = files[SourcePath.normalized(path)] ?? files[path] else { throw .notFound }
    return bytes
  }
}

/// The path as text, simplified just enough for tests.
enum SourcePath {
  static func normalized(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == "..", !parts.isEmpty { parts.removeLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }
}

/// The repository's root.
let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// Files below a folder.
struct FolderProvider: SourceProvider {
  let folder: URL

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    let url = folder.appendingPathComponent(path)
    guard FileManager.default.fileExists(atPath: url.path) else { throw .notFound }
    do {
      return [UInt8](try Data(contentsOf: url))
    } catch {
      throw .unreadable(reason: "\(error)")
    }
  }
}

func compile(_ text: String) -> Compilation {
  SchemaCompiler.compile(inputs: ["a.fbs"], provider: MemoryProvider(["a.fbs": text]))
}

func compile(_ files: [String: String], inputs: [String], includePaths: [String] = []) -> Compilation {
  SchemaCompiler.compile(inputs: inputs, includePaths: includePaths, provider: MemoryProvider(files))
}

extension Compilation {
  var codes: [String] { diagnostics.map(\.code.id) }
  var errors: [Diagnostic] { diagnostics.filter { $0.severity == .error } }
}
