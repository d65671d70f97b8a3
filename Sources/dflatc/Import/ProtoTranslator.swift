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
  /// The files that each file imports, by the paths in its imports, by identity.
  private var imports: [String: [String: String]] = [:]
  /// The identities of the files that are being read, each imported by the one before it.
  private var chain: [String] = []

  init(includePaths: [String]) { self.includePaths = includePaths }

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
    var found: [String: ProtoTranslation] = [:]
    for item in file.imports {
      guard let imported = locate(item.path, from: path) else { continue }
      let other = FileSystem().identity(of: imported)
      guard !chain.contains(other) else {
        let message = other == identity ? "the file imports itself" : "\(item.path) imports this file as well"
        throw failure(ProtoFile.Mistake(range: item.range, message: message))
      }
      found[item.path] = try translation(of: imported)
      imports[identity, default: [:]][item.path] = other
    }
    return ProtoTranslation(file) { found[$0] }
  }

  private func failure(_ mistake: ProtoFile.Mistake) -> InputError {
    InputError(message: mistake.message, diagnostics: [mistake.diagnostic], sources: sources)
  }

  /// Returns the path of an imported file: one beside the file that imports it, or in a folder of `-I`; nil if there is none.
  private func locate(_ name: String, from path: String) -> String? {
    ([path.parentFolder] + includePaths)
      .map { $0.isEmpty ? name : ($0 as NSString).appendingPathComponent(name) }
      .first { access($0, R_OK) == 0 }
  }

  /// Returns the translations of the files that a file imports, and of those that these import, by the paths of the schemas in
  /// includes.
  func translations(importedBy path: String) -> [String: ProtoTranslation] {
    var found: [String: ProtoTranslation] = [:]
    var known: Set<String> = []
    var queue = [FileSystem().identity(of: path)]
    while let identity = queue.popLast() {
      guard known.insert(identity).inserted else { continue }
      for (path, other) in imports[identity] ?? [:] {
        if case .success(let translation) = translations[other] {
          found[ProtoTranslation.schemaPath(of: path)] = translation
        }
        queue.append(other)
      }
    }
    return found
  }
}
