import Foundation

/// The schemas that others include, however deep, found before dflatc reads any: a build has to know its outputs before.
///
/// Includes stand at the start of a file. What is no schema, or leads nowhere, is left for dflatc to report.
struct IncludedSchemas {
  /// The included files that are no inputs.
  private(set) var schemas: [URL] = []

  /// - Parameters:
  ///   - inputs: The files that include others.
  ///   - folders: The folders in which includes are looked for, after the including file's own.
  init(of inputs: [URL], in folders: [URL]) {
    var known = Set(inputs.map(Self.identity))
    var queue = inputs
    while let file = queue.popLast() {
      for name in Self.includes(in: file) {
        let found = ([file.deletingLastPathComponent()] + folders).lazy
          .map { URL(filePath: name, relativeTo: $0).standardizedFileURL }
          .first { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) }
        guard let found, known.insert(Self.identity(of: found)).inserted else { continue }
        schemas.append(found)
        queue.append(found)
      }
    }
  }

  /// The path of a file from a folder. Nil if it is not in it.
  static func path(of file: URL, below folder: URL) -> String? {
    let root = folder.standardizedFileURL.path + "/"
    let path = file.standardizedFileURL.path
    return path.hasPrefix(root) ? String(path.dropFirst(root.count)) : nil
  }

  private static func identity(of file: URL) -> URL { file.resolvingSymlinksInPath().standardizedFileURL }

  /// The paths that a file includes, as dflatc looks for them: below a folder, and with slashes.
  private static func includes(in file: URL) -> [String] {
    guard let data = try? Data(contentsOf: file) else { return [] }
    // By scalars: a line end of two characters is one character to Swift.
    let blank = #/(?:\s|\u{FEFF}|//[^\n\r]*|/\*(?:[^*]|\*(?!/))*\*/)*/#.matchingSemantics(.unicodeScalar)
    let statement = #/(native_include|include)/#.matchingSemantics(.unicodeScalar)
    let string = #/"([^"]*)"|'([^']*)'/#.matchingSemantics(.unicodeScalar)
    var rest = String(decoding: data, as: UTF8.self)[...]
    func take<Output>(_ pattern: Regex<Output>) -> Regex<Output>.Match? {
      if let skipped = rest.prefixMatch(of: blank) { rest = rest[skipped.range.upperBound...] }
      guard let match = try? pattern.prefixMatch(in: rest) else { return nil }
      rest = rest[match.range.upperBound...]
      return match
    }
    var names: [String] = []
    while let keyword = take(statement), let path = take(string), take(#/;/#) != nil {
      guard keyword.1 == "include" else { continue }
      let name = String(path.1 ?? path.2 ?? "").replacing("\\\\", with: "/").replacing("\\", with: "/")
      names.append(String(name.drop { $0 == "/" }))
    }
    return names
  }
}
