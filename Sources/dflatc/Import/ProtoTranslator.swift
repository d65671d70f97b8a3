import FBSDiagnostics
import FBSSchema
import Foundation
import ProtobufImport

/// Reads files of Protocol Buffers and all that they import, and translates each once.
struct ProtoTranslator {
  let includePaths: [String]
  /// The files that were read.
  private(set) var sources = SourceMap()
  /// The translations, or the reasons why there are none, by the identities of files.
  private var translations: [String: Result<ProtoTranslation, InputError>] = [:]
  /// The imports of each file, with the identities of the files that they lead to, by identity.
  private var imports: [String: [(item: ProtoFile.Import, identity: String)]] = [:]
  /// The identities of the files that are being read, each imported by the one before it.
  private var chain: [String] = []
  /// The paths of the schemas from the output folder, by the identities of the files that they are made of.
  private var names: [String: String] = [:]
  /// The paths of the files that are imported by others, and are no inputs, by their identities.
  private var unwritten: [String: String] = [:]
  /// The paths of the schemas that are written, from the output folder.
  private var written: Set<String> = []

  /// Creates a translator.
  /// - Parameters:
  ///   - includePaths: The folders in which imported files are looked for.
  ///   - inputs: The files whose schemas are written.
  init(includePaths: [String], inputs: [String]) {
    self.includePaths = includePaths
    for path in inputs.reversed() {
      let name = name(of: path)
      names[FileSystem().identity(of: path)] = name
      written.insert(name)
    }
  }

  /// Returns the path of a schema within the output folder. It is the path of the imported file below a folder of `-I`,
  /// by which other files import it, or else its name alone.
  func name(of path: String) -> String {
    let components = AbsolutePath(path).components
    let folder = includePaths.map { AbsolutePath($0).components }.first { components.starts(with: $0) }
    return Self.schemaPath(
      of: folder.map { components.dropFirst($0.count).joined(separator: "/") } ?? (path as NSString).lastPathComponent)
  }

  private static func schemaPath(of path: String) -> String { (path as NSString).deletingPathExtension + ".fbs" }

  /// Returns the translation of a file.
  /// - Throws: `InputError` if the file, or one that it imports, cannot be read. Mistakes in its text are diagnostics of the error.
  mutating func translation(of path: String) throws(InputError) -> ProtoTranslation {
    let identity = FileSystem().identity(of: path)
    if let known = translations[identity] { return try known.get() }
    chain.append(identity)
    let result = Result { () throws(InputError) in try read(path, identity) }
    chain.removeLast()
    translations[identity] = result
    return try result.get()
  }

  private mutating func read(_ path: String, _ identity: String) throws(InputError) -> ProtoTranslation {
    let bytes: [UInt8]
    do {
      bytes = try FileSystem().read(path)
    } catch {
      throw InputError(message: "cannot read \(path): \(error.description)")
    }
    let id = sources.add(path: path, bytes: bytes)
    let file: ProtoFile
    do {
      file = try ProtoFile(sources[id])
    } catch {
      throw failure(error)
    }
    let own = names[identity] ?? name(of: path)
    var found: [String: (translation: ProtoTranslation, include: String)] = [:]
    for item in file.imports {
      guard let (imported, isBeside) = locate(item.path, from: path) else { continue }
      let other = FileSystem().identity(of: imported)
      guard !chain.contains(other) else {
        let message = other == identity ? "the file imports itself" : "\(item.path) imports this file as well"
        throw failure(ProtoFile.Mistake(range: item.range, message: message))
      }
      let target =
        names[other] ?? Self.target(of: item.path, from: isBeside ? own.parentFolder : "") ?? name(of: imported)
      if names.updateValue(target, forKey: other) == nil { unwritten[other] = imported }
      found[item.path] = (try translation(of: imported), include(item.path, target, from: own.parentFolder))
      imports[identity, default: []].append((item, other))
    }
    return ProtoTranslation(file) { found[$0] }
  }

  /// Returns the path of the schema of an imported file, as the import has it; nil if it would lie outside of the output folder.
  /// - Parameter folder: The folder from which the import has the path.
  private static func target(of path: String, from folder: String) -> String? {
    let path = SourcePath.normalized((folder as NSString).appendingPathComponent(schemaPath(of: path)))
    return path.hasPrefix("../") || path.hasPrefix("/") ? nil : path
  }

  /// Returns the path by which a schema includes another one: that of the import if it leads there, from the folder of the schema
  /// or from the output folder.
  /// - Parameters:
  ///   - path: The path in the import.
  ///   - target: The path of the other schema from the output folder.
  ///   - folder: The folder of the schema that includes it.
  private func include(_ path: String, _ target: String, from folder: String) -> String {
    let beside = Self.target(of: path, from: folder)
    // The compiler looks beside the schema first, where another one may have the path of the import.
    let isHidden = beside.map { $0 != target && written.contains($0) } == true
    if beside == target || !isHidden && Self.target(of: path, from: "") == target { return Self.schemaPath(of: path) }
    return AbsolutePath("/" + target).relative(to: AbsolutePath("/" + folder)).joined(separator: "/")
  }

  private func failure(_ mistake: ProtoFile.Mistake) -> InputError {
    InputError(message: mistake.message, diagnostics: [mistake.diagnostic], sources: sources)
  }

  /// Returns the path of an imported file, which is in the folder of the file that imports it (then `isBeside` is true) or in a
  /// folder of `-I`; nil if there is none.
  private func locate(_ name: String, from path: String) -> (path: String, isBeside: Bool)? {
    let folders = [path.parentFolder] + includePaths
    let paths = folders.map { $0.isEmpty ? name : ($0 as NSString).appendingPathComponent(name) }
    guard let index = paths.firstIndex(where: { access($0, R_OK) == 0 }) else { return nil }
    return (paths[index], index == 0)
  }

  /// Returns the translations of the files that a file imports, and of those that these import, by the paths of their schemas
  /// from the output folder.
  func translations(importedBy path: String) -> [String: ProtoTranslation] {
    var found: [String: ProtoTranslation] = [:]
    for identity in reach(of: FileSystem().identity(of: path)) {
      guard let name = names[identity], case .success(let translation) = translations[identity] else { continue }
      found[name] = translation
    }
    return found
  }

  /// Returns the files whose schemas are included, but not written, by each import of a file that leads to some.
  func unwrittenFiles(importedBy path: String) -> [(item: ProtoFile.Import, files: [UnwrittenFile])] {
    var found: [(item: ProtoFile.Import, files: [UnwrittenFile])] = []
    for (item, identity) in imports[FileSystem().identity(of: path)] ?? [] where unwritten[identity] != nil {
      // An input among them has notes about its own imports.
      let files = ([identity] + reach(of: identity)).compactMap(unwrittenFile)
      if !files.isEmpty { found.append((item, files)) }
    }
    return found
  }

  /// The files whose schemas are included, but not written, in the order of their paths.
  var allUnwrittenFiles: [UnwrittenFile] { unwritten.keys.compactMap(unwrittenFile).sorted { $0.path < $1.path } }

  private func unwrittenFile(_ identity: String) -> UnwrittenFile? {
    guard let path = unwritten[identity], let name = names[identity],
      case .success(let translation) = translations[identity], !translation.isEmpty
    else { return nil }
    return UnwrittenFile(path: path, schema: name)
  }

  /// Returns the identities of the files that a file imports, and of those that these import, each once.
  private func reach(of identity: String) -> [String] {
    var found: [String] = []
    var known: Set<String> = [identity]
    var queue = [identity]
    while let next = queue.popLast() {
      for (_, other) in imports[next] ?? [] where known.insert(other).inserted {
        found.append(other)
        queue.append(other)
      }
    }
    return found
  }
}

/// A file that another one imports, and that the run makes no schema of.
struct UnwrittenFile {
  let path: String
  /// The path from the output folder by which its schema is included.
  let schema: String
}
