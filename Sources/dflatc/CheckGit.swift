import FBSSchema
import Foundation

/// What `--against git:REF[:DIR]` names.
struct GitReference {
  /// The commit, as it was written.
  let name: String
  /// The folder, from the repository's root, below which files stood.
  let folder: String?

  /// Nothing if it is none.
  init?(_ text: String) {
    guard text.hasPrefix("git:") else { return nil }
    let parts = text.dropFirst(4).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty else { return nil }
    self.name = String(name)
    folder = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
  }
}

/// A check of files against what they were.
struct GitSides {
  let old: Result<CheckInput, CheckInputError>
  let new: Result<CheckInput, CheckInputError>
  /// Files that were not there.
  let added: [String]

  /// - Parameter renames: By new path, the old one.
  static func read(
    _ reference: GitReference, _ paths: [String], renames: [String: String], includePaths: [String]
  ) throws(CheckInputError) -> GitSides {
    let repository = try GitRepository(reference)
    var oldPaths: [String] = []
    var newPaths: [String] = []
    var oldNames: [String: String] = [:]
    var newNames: [String: String] = [:]
    var added: [String] = []
    var folders: [String] = []
    for path in paths {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        throw CheckInputError(message: "cannot read \(path): there is no such file or folder")
      }
      guard isFolder.boolValue else {
        newPaths.append(path)
        continue
      }
      folders.append(path)
      newPaths += try CheckInput.schemaPaths(below: path)
      let before = try repository.schemas(below: path)
      for path in before where oldNames.updateValue(path, forKey: path) == nil { oldPaths.append(path) }
    }
    for path in newPaths {
      let before = renames[path] ?? path
      newNames[path] = before
      if oldNames[before] != nil { continue }
      if try repository.exists(before) {
        oldNames[before] = before
        oldPaths.append(before)
      } else {
        added.append(path)
      }
    }
    guard !oldPaths.isEmpty else {
      throw CheckInputError(message: "none of the files is in \(reference.name): \(added.joined(separator: ", "))")
    }
    let includes = includePaths + folders
    return GitSides(
      old: Result { () throws(CheckInputError) in
        try CheckInput.compile(oldPaths, names: oldNames, includePaths: includes, repository)
      },
      new: Result { () throws(CheckInputError) in
        try CheckInput.compile(newPaths, names: newNames, includePaths: includes, FileSystem())
      }, added: added)
  }
}

/// The files of a commit, by their paths from the current folder. It reads git's objects: the work tree and the index are
/// left alone.
struct GitRepository: SourceProvider {
  private let commit: String
  private let folder: String?
  /// The path of the current folder in the repository, ending with a slash, or nothing.
  private let prefix: String
  private let root: String
  private let objects: GitObjects

  init(_ reference: GitReference) throws(CheckInputError) {
    let place = try Git.run(["rev-parse", "--show-toplevel", "--show-prefix"])
    guard let place else { throw CheckInputError(message: "the current folder is in no git repository") }
    let lines = place.split(separator: "\n", omittingEmptySubsequences: false)
    root = String(lines.first ?? "")
    prefix = lines.count > 1 ? String(lines[1]) : ""
    let name = "\(reference.name)^{commit}"
    guard let commit = try Git.run(["rev-parse", "--verify", "--quiet", "--end-of-options", name]) else {
      throw CheckInputError(message: "there is no git commit \(reference.name)")
    }
    self.commit = commit.trimmingCharacters(in: .whitespacesAndNewlines)
    folder = reference.folder
    objects = try GitObjects()
  }

  /// A path from the repository's root. Nothing for one outside of it.
  private func path(of path: String) -> String? {
    let inside: String
    if path.hasPrefix("/") {
      let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
      guard resolved.hasPrefix(root + "/") else { return nil }
      inside = String(resolved.dropFirst(root.count + 1))
    } else {
      inside = (folder.map { $0.hasSuffix("/") ? $0 : $0 + "/" } ?? prefix) + path
    }
    var components: [Substring] = []
    for component in inside.split(separator: "/") where component != "." {
      if component == ".." {
        guard components.popLast() != nil else { return nil }
      } else {
        components.append(component)
      }
    }
    return components.joined(separator: "/")
  }

  func identity(of path: String) -> String {
    self.path(of: path) ?? FileSystem().identity(of: path)
  }

  func read(_ path: String) throws(SourceReadError) -> [UInt8] {
    // What is in no repository has no other version.
    guard let inside = self.path(of: path) else { return try FileSystem().read(path) }
    return try objects.read("\(commit):\(inside)")
  }

  func exists(_ path: String) throws(CheckInputError) -> Bool {
    do {
      _ = try read(path)
      return true
    } catch {
      if case .unreadable(let reason) = error { throw CheckInputError(message: "cannot read \(path): \(reason)") }
      return false
    }
  }

  /// The schemas below a folder, as paths from the current one.
  func schemas(below path: String) throws(CheckInputError) -> [String] {
    guard let inside = self.path(of: path) else {
      throw CheckInputError(message: "\(path) is not in the git repository")
    }
    let tree = inside.isEmpty ? commit : "\(commit):\(inside)"
    guard let list = try Git.run(["ls-tree", "-r", "-z", "--name-only", "--end-of-options", tree]) else { return [] }
    let start = path.hasSuffix("/") ? path : path + "/"
    return list.split(separator: "\0").filter {
      $0.hasSuffix(".fbs") && !$0.split(separator: "/").contains { $0.hasPrefix(".") }
    }
    .map { start + $0 }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

/// Runs git.
enum Git {
  static func process(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git"] + arguments
    return process
  }

  /// What a command writes. Nothing if it fails.
  static func run(_ arguments: [String]) throws(CheckInputError) -> String? {
    let process = process(arguments)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    let data: Data?
    do {
      try process.run()
      data = try output.fileHandleForReading.readToEnd()
    } catch {
      throw CheckInputError(message: "cannot run git: \(error.localizedDescription)")
    }
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: data ?? Data(), as: UTF8.self) : nil
  }
}

/// One `git cat-file --batch`, which gives one object after another: a process for each file would be slow.
final class GitObjects {
  private let process = Git.process(["cat-file", "--batch"])
  private let input = Pipe()
  private let output = Pipe()
  private var buffer = Data()

  init() throws(CheckInputError) {
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw CheckInputError(message: "cannot run git: \(error.localizedDescription)")
    }
  }

  deinit {
    do {
      try input.fileHandleForWriting.close()
    } catch {
      process.terminate()
    }
    process.waitUntilExit()
  }

  /// The content of a file, such as `main:a/b.fbs`.
  func read(_ name: String) throws(SourceReadError) -> [UInt8] {
    guard !name.contains("\n") else { throw .notFound }
    do {
      try input.fileHandleForWriting.write(contentsOf: Data((name + "\n").utf8))
      guard let end = try position(of: UInt8(ascii: "\n")) else {
        throw SourceReadError.unreadable(reason: "git ended")
      }
      let header = String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self)
      buffer.removeSubrange(buffer.startIndex...end)
      let words = header.split(separator: " ")
      guard words.count == 3, let count = Int(words[2]), words[1] != "missing" else { throw SourceReadError.notFound }
      while buffer.count < count + 1 {
        let more = output.fileHandleForReading.availableData
        guard !more.isEmpty else { throw SourceReadError.unreadable(reason: "git ended") }
        buffer.append(more)
      }
      let content = [UInt8](buffer.prefix(count))
      buffer = Data(buffer.dropFirst(count + 1))
      guard words[1] == "blob" else { throw SourceReadError.unreadable(reason: "it is no file") }
      return content
    } catch let error as SourceReadError {
      throw error
    } catch {
      throw .unreadable(reason: "cannot talk to git: \(error.localizedDescription)")
    }
  }

  private func position(of byte: UInt8) throws(SourceReadError) -> Data.Index? {
    while true {
      if let index = buffer.firstIndex(of: byte) { return index }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      buffer.append(more)
    }
  }
}
