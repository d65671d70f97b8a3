import Foundation
import PackagePlugin

/// What the plug-ins have to know of a `dflatc.json` before dflatc reads it: which files will be written, and of what.
///
/// It takes no notice of mistakes: dflatc is given the same file, and shows them with their places.
struct PluginOptions {
  let file: URL
  /// Whether the file holds a JSON object. If not, all options have their defaults.
  let isReadable: Bool
  private let values: [String: Any]

  private init(_ file: URL) {
    self.file = file
    let value = (try? Data(contentsOf: file)).flatMap { try? CommentedJSON.value(of: $0) } as? [String: Any]
    isReadable = value != nil
    values = value ?? [:]
  }

  /// Nil if the folder has none.
  private init?(in folder: URL) {
    let file = folder.appending(path: Self.fileName)
    guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return nil }
    self.init(file)
  }

  /// The options of a target: in its folder, or else in one of its schemas' folders, or else in `common`.
  /// - Throws: `PluginFailure` if several of the schemas' folders have some.
  static func find(in folder: URL, schemas: [URL], orElseIn common: URL? = nil) throws -> PluginOptions? {
    if let own = PluginOptions(in: folder) { return own }
    let found = Set(schemas.map { $0.deletingLastPathComponent().appending(path: fileName).standardizedFileURL })
      .filter { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) }
      .sorted { $0.path < $1.path }
    guard found.count < 2 else {
      throw PluginFailure(
        "there are several dflatc.json: \(found.map(\.path).joined(separator: ", ")); keep one, in \(folder.path)")
    }
    return found.first.map(PluginOptions.init) ?? common.flatMap { PluginOptions(in: $0) }
  }

  /// What the emitters add to a schema's name, of those whose output is Swift.
  var outputs: [String] {
    guard let emitters = values["emit"] as? [String], !emitters.isEmpty else { return Self.defaultOutputs }
    return Self.emitters.filter { emitters.contains($0.name) }.map(\.output)
  }

  /// What `dflatc compile` writes for a schema when no emitter is named.
  static let defaultOutputs = emitters.filter { $0.name != "editors" }.map(\.output)

  private static let emitters = [
    (name: "accessors", output: "_generated.swift"), (name: "data-model", output: "_data_model_generated.swift"),
    (name: "mutating", output: "_mutating_generated.swift"), (name: "query", output: "_query_generated.swift"),
    (name: "editors", output: "_editors_generated.swift"),
  ]

  /// Whether what the schemas include is compiled, too.
  var compilesIncludes: Bool { values["genAll"] as? Bool == true }

  var namespaces: String? { values["namespaces"] as? String }

  /// The folder of the package to which generated files are written. Nil if the build writes them to one of its own.
  var output: URL? {
    (values["output"] as? String).map { URL(filePath: $0, directoryHint: .isDirectory, relativeTo: folder) }
  }

  /// Whether an earlier version is named, which the schemas are checked against.
  var hasEarlierVersion: Bool { values["against"] != nil }

  /// The folders in which includes are looked for.
  var includeFolders: [URL] {
    (values["include"] as? [String] ?? []).map {
      URL(filePath: $0, directoryHint: .isDirectory, relativeTo: folder).standardizedFileURL
    }
  }

  /// The files whose changes have dflatc run again: the options, and the schemas of the include folders.
  var files: [URL] {
    let included = includeFolders.flatMap { folder in
      (FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects as? [URL] ?? [])
        .filter { $0.pathExtension == "fbs" }.map(\.standardizedFileURL)
        .sorted { $0.path < $1.path }
    }
    return [file] + included
  }

  /// Whether `exclude` leaves a schema out: by its path, or by a name within its path from the folder of the options.
  func excludes(_ schema: URL) -> Bool { excludes(included: schema, below: folder) }

  /// Whether `exclude` leaves an included schema out: by its path, or by a name within its path below a folder.
  func excludes(included schema: URL, below base: URL) -> Bool {
    let path = Self.components(of: schema.standardizedFileURL.path)
    let start = Self.components(of: folder.standardizedFileURL.path)
    let inner = IncludedSchemas.path(of: schema, below: base).map { Self.components(of: $0) } ?? []
    return (values["exclude"] as? [String] ?? []).contains { excluded in
      // As for dflatc, a name may have a slash at its end. With another slash, it is a path alone; so is `.`, which no
      // file is called.
      let names = excluded.split(separator: "/").map(String.init)
      if let name = names.first, names.count == 1, !excluded.hasPrefix("/"), ![".", ".."].contains(name) {
        return inner.contains(name)
      }
      // dflatc refuses an empty text, and says where it is.
      guard !excluded.isEmpty else { return false }
      guard excluded.hasPrefix("/") else { return path.starts(with: Self.components(of: excluded, from: start)) }
      // Standardized like that of the schema: macOS drops /private from both.
      return path.starts(with: Self.components(of: URL(filePath: excluded).standardizedFileURL.path))
    }
  }

  /// The names on a path, after those of the folder from which it leads. `.` and `..` are resolved by the text.
  private static func components(of path: String, from start: [String] = []) -> [String] {
    var components = start
    for name in path.split(separator: "/") where name != "." {
      if name == ".." { _ = components.popLast() } else { components.append(String(name)) }
    }
    return components
  }

  private var folder: URL { file.deletingLastPathComponent() }

  private static let fileName = "dflatc.json"
}
